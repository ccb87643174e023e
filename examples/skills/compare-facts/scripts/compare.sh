#!/bin/sh
# compare.sh LEFT RIGHT: compares two tables of facts.
set -eu
LC_ALL=C
export LC_ALL

left=$1
right=$2
for file in "$left" "$right"; do
	[ -r "$file" ] && continue
	echo "error: there is no file $file; extract-facts makes it" >&2
	exit 1
done

step=${BATON_CALL:-compare}
out=outputs/${BATON_SESSION:-by-hand}/files/${step##*/}.tsv
mkdir -p "${out%/*}"

awk -F '\t' '
	NR == FNR { value[$1] = $2; source[$1] = $3; next }
	!($1 in value) { printf "right\t%s\t\t\t%s\t%s\n", $1, $2, $3; next }
	{
		verdict = (value[$1] == $2) ? "agree" : "differ"
		printf "%s\t%s\t%s\t%s\t%s\t%s\n", verdict, $1, value[$1], source[$1], $2, $3
		delete value[$1]
	}
	END { for (key in value) printf "left\t%s\t%s\t%s\t\t\n", key, value[key], source[key] }
' "$left" "$right" | sort >"$out.new"
mv "$out.new" "$out"

count() { awk -F '\t' -v verdict="$1" '$1 == verdict { n++ } END { print n + 0 }' "$out"; }
echo "$(count agree) facts agree, $(count differ) differ" >&2
printf '{"path":"%s","agree":%d,"differ":%d,"only_left":%d,"only_right":%d}\n' \
	"$out" "$(count agree)" "$(count differ)" "$(count left)" "$(count right)"
