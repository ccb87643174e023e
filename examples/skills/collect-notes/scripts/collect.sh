#!/bin/sh
# collect.sh TOPIC FOLDER: gathers the sections about a topic from a folder of notes.
set -eu

fail() {
	echo "error: $1" >&2
	exit 1
}

topic=$1
folder=$2
[ -d "$folder" ] || fail "there is no folder $folder; give the folder of the notes, from the workspace or absolute"
set -- "$folder"/*.md
[ -e "$1" ] || fail "$folder holds no notes (*.md)"

step=${BATON_CALL:-collect}
out=outputs/${BATON_SESSION:-by-hand}/files/${step##*/}.md
mkdir -p "${out%/*}"

# The topic comes through the environment: awk would read escapes in -v.
topic=$topic awk '
	BEGIN { topic = tolower(ENVIRON["topic"]) }
	FNR == 1 { date = ""; inside = 0 }
	/^Date: / { date = substr($0, 7) }
	/^## / {
		inside = (tolower(substr($0, 4)) == topic)
		if (inside) {
			name = FILENAME
			sub(/.*\//, "", name)
			print "@ " name " " date
		}
		next
	}
	/^# / { inside = 0 }
	inside && NF { print }
' "$@" >"$out.new"

sections=$(grep -c '^@ ' "$out.new") || fail "none of the $# notes in $folder has a section \"## $topic\""
mv "$out.new" "$out"
echo "$sections of $# notes are about $topic" >&2
printf '{"path":"%s","notes":%d,"sections":%d}\n' "$out" "$#" "$sections"
