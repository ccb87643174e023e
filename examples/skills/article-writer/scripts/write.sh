#!/bin/sh
# write.sh: reads {context, call: {intent}, …} on stdin and writes an article of the points that it names.
set -eu
LC_ALL=C
export LC_ALL

document=$(cat)
goal=$(printf '%s' "$document" | sed -n 's/.*"intent":"\([^"]*\)".*/\1/p')
paths=$(printf '%s' "$document" | grep -o '"path":"[^"]*"' | sed 's/^"path":"//; s/"$//' | sort -u)
source=$(printf '%s\n' "$paths" | grep '\.points\.txt$' || printf '%s\n' "$paths" | grep '\.clippings\.txt$' || true)
step=${BATON_CALL:-article}
out=outputs/${BATON_SESSION:-by-hand}/files/${step##*/}.article.md
mkdir -p "${out%/*}"

{
	printf '# %s\n\n' "${goal:-An article}"
	if [ -z "$source" ]; then
		echo "Nothing was gathered for this article yet."
	else
		# shellcheck disable=SC2086 # paths of our own, without blanks
		awk '/^# / { print "\n#" $0 "\n"; next } /^Title: / { print "\n## " substr($0, 8) "\n"; next } /^- / { print substr($0, 3) }' $source
	fi
} >"$out.new"
mv "$out.new" "$out"
echo "written to $out" >&2
printf '{"path":"%s","lines":%d}\n' "$out" "$(wc -l <"$out")"
