#!/bin/sh
# draw.sh: reads {context, …} on stdin and draws the headings of the files that it names.
set -eu
LC_ALL=C
export LC_ALL

paths=$(grep -o '"path":"[^"]*"' | sed 's/^"path":"//; s/"$//' | sort -u)
source=$(printf '%s\n' "$paths" | grep '\.points\.txt$' || printf '%s\n' "$paths" | grep -E '\.(article\.md|clippings\.txt)$' || true)
[ -n "$source" ] || {
	echo "error: no earlier step names a file with points" >&2
	exit 64
}
step=${BATON_CALL:-diagram}
out=outputs/${BATON_SESSION:-by-hand}/files/${step##*/}.svg
mkdir -p "${out%/*}"

# shellcheck disable=SC2086 # paths of our own, without blanks
sed -n 's/^##* *//p; s/^Title: *//p' $source | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' | awk '
	{ text[++n] = $0 }
	END {
		printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"%d\" font-family=\"sans-serif\" font-size=\"14\">\n", n * 70 + 20
		for (i = 1; i <= n; i++) {
			y = i * 70 - 50
			printf "<rect x=\"20\" y=\"%d\" width=\"600\" height=\"44\" rx=\"8\" fill=\"#eef\" stroke=\"#336\"/><text x=\"40\" y=\"%d\">%s</text>\n", y, y + 27, text[i]
			if (i < n) printf "<path d=\"M320 %d v26\" stroke=\"#336\"/>\n", y + 44
		}
		print "</svg>"
	}
' >"$out.new"
mv "$out.new" "$out"
boxes=$(grep -c '<rect' "$out" || true)
echo "$boxes boxes" >&2
printf '{"path":"%s","boxes":%d}\n' "$out" "$boxes"
