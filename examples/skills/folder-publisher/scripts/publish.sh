#!/bin/sh
# publish.sh: reads {context, …} on stdin and copies the files that it names into a folder.
set -eu
LC_ALL=C
export LC_ALL

files=$(grep -o '"path":"[^"]*"' | sed 's/^"path":"//; s/"$//' | sort -u)
[ -n "$files" ] || {
	echo "error: there is nothing to publish" >&2
	exit 64
}
out=outputs/${BATON_SESSION:-by-hand}/published
mkdir -p "$out"
n=0
for file in $files; do
	cp "$file" "$out/"
	n=$((n + 1))
done
echo "$n files published" >&2
printf '{"url":"%s/","files":%d}\n' "$out" "$n"
