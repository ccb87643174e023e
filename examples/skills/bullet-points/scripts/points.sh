#!/bin/sh
# points.sh: reads {context, …} on stdin and keeps the points of the files that it names.
set -eu
LC_ALL=C
export LC_ALL

step=${BATON_CALL:-points}
out=outputs/${BATON_SESSION:-by-hand}/files/${step##*/}.points.txt
mkdir -p "${out%/*}"

sources=$(grep -o '"path":"[^"]*"' | sed 's/^"path":"//; s/"$//' | sort -u)
[ -n "$sources" ] || {
	echo "error: no earlier step names a file" >&2
	exit 64
}
# shellcheck disable=SC2086 # paths of our own, without blanks
awk '
	/^Title: / { title = substr($0, 8) }
	/^Date: / { print "# " title " (" substr($0, 7) ")" }
	/^- / { print }
' $sources >"$out.new"
mv "$out.new" "$out"
points=$(grep -c '^- ' "$out" || true)
echo "$points points" >&2
printf '{"path":"%s","points":%d}\n' "$out" "$points"
