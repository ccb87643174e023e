#!/bin/sh
# acquire.sh TOPIC [FOLDER]: lists the papers of a folder whose topics the topic names.
set -eu

topic=$1
folder=${2:-}
for place in "${BATON_SKILL_DIR:-.}/../../papers" examples/papers papers; do
	[ -n "$folder" ] || { [ -d "$place" ] && folder=$place; }
done
[ -d "$folder" ] || {
	echo "error: there is no folder ${folder:-papers}; the papers of the example stand beside its skills" >&2
	exit 64
}
set -- "$folder"/*.txt
[ -e "$1" ] || {
	echo "error: $folder holds no papers (*.txt)" >&2
	exit 64
}

# The topic comes through the environment: awk would read escapes in -v.
topic=$topic LC_ALL=C awk '
	function text(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); gsub(/[\001-\037]/, " ", s); return "\"" s "\"" }
	function list(s, sep,   n, parts, i, out) {
		n = split(s, parts, sep)
		for (i = 1; i <= n; i++) out = out (i > 1 ? "," : "") text(parts[i])
		return "[" out "]"
	}
	function named(topics,   n, parts, i) {
		n = split(topics, parts, ", *")
		for (i = 1; i <= n; i++) if (index(asked, tolower(parts[i]))) return 1
		return 0
	}
	function close_paper() {
		if (file == "" || !named(topics)) return
		printf "%s{\"title\":%s,\"authors\":%s,\"source\":\"folder\",\"year\":%d,\"file\":%s}", (found++ ? "," : ""), text(title), list(authors, "; *"), year, text(file)
	}
	BEGIN { asked = tolower(ENVIRON["topic"]); printf "{\"raw_papers\":[" }
	FNR == 1 { close_paper(); file = FILENAME; title = authors = topics = ""; year = 0 }
	/^Title: / { title = substr($0, 8) }
	/^Authors: / { authors = substr($0, 10) }
	/^Year: / { year = substr($0, 7) }
	/^Topics: / { topics = substr($0, 9) }
	END {
		close_paper()
		printf "],\"metadata\":{\"total_found\":%d,\"sources_used\":[\"folder\"],\"search_query\":%s}}\n", found, text(ENVIRON["topic"])
		print found + 0 " of " ARGC - 1 " papers are about it" > "/dev/stderr"
	}
' "$@"
