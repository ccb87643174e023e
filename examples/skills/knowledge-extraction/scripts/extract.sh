#!/bin/sh
# extract.sh RAW_PAPERS: takes the claims out of the papers of a JSON list.
set -eu

# The files of the list, one a line. They are names of this installation without quotes in them.
files=$(printf '%s' "$1" | LC_ALL=C grep -o '"file":"[^"]*"' | sed 's/^"file":"//; s/"$//' || true)
[ -n "$files" ] || {
	echo "error: the list names no file; knowledge-acquisition gives one" >&2
	exit 64
}

printf '%s\n' "$files" | while IFS= read -r file; do
	[ -r "$file" ] && continue
	echo "error: there is no file $file" >&2
	exit 64
done

printf '%s\n' "$files" | LC_ALL=C awk '
	function text(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); gsub(/[\001-\037]/, " ", s); return "\"" s "\"" }
	function id(s) { sub(/.*\//, "", s); sub(/\.txt$/, "", s); return s }
	BEGIN { printf "{\"extracted_knowledge\":[" }
	{
		file = $0; title = method = claims = findings = ""
		while ((getline line < file) > 0) {
			if (line ~ /^Title: /) title = substr(line, 8)
			if (line ~ /^Method: /) method = substr(line, 9)
			if (line ~ /^Claim: /) {
				split(substr(line, 8), part, / \| /)
				claims = claims (claims == "" ? "" : ",") "{\"claim\":" text(part[1]) ",\"holds\":" (part[2] == "yes" ? "true" : "false") ",\"evidence\":" text(part[3]) ",\"paper\":" text(id(file)) "}"
				findings = findings (findings == "" ? "" : ",") text(part[1])
				all++
			}
		}
		close(file)
		printf "%s{\"id\":%s,\"title\":%s,\"key_findings\":[%s],\"methodology\":%s,\"domain\":\"example\",\"key_themes\":[],\"claims\":[%s]}", (papers++ ? "," : ""), text(id(file)), text(title), findings, text(method), claims
	}
	END {
		printf "],\"field_summary\":{\"papers\":%d,\"claims\":%d}}\n", papers, all
		print all + 0 " claims in " papers " papers" > "/dev/stderr"
	}
'
