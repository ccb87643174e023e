#!/bin/sh
# search.sh: reads {call: {intent}, …} on stdin and gathers the clippings whose topics the goal names.
set -eu
LC_ALL=C
export LC_ALL

goal=$(sed -n 's/.*"intent":"\([^"]*\)".*/\1/p')
folder=${BATON_SKILL_DIR:-.}/../../clippings
step=${BATON_CALL:-search}
out=outputs/${BATON_SESSION:-by-hand}/files/${step##*/}.clippings.txt
mkdir -p "${out%/*}"

# asked FILE: says whether one of the clipping's topics stands in the goal.
asked() {
	sed -n 's/^Topics: *//p' "$1" | tr ',' '\n' | sed 's/^ *//; s/ *$//' | while read -r topic; do
		case $(printf '%s' "$goal" | tr '[:upper:]' '[:lower:]') in
		*"$(printf '%s' "$topic" | tr '[:upper:]' '[:lower:]')"*) echo yes ;;
		esac
	done | grep -q yes
}

: >"$out.new"
found=0
for file in $(find "$folder" -name '*.txt' | sort -r); do
	asked "$file" || continue
	cat "$file" >>"$out.new"
	echo >>"$out.new"
	found=$((found + 1))
done
if [ "$found" -eq 0 ]; then
	rm -f "$out.new"
	echo "error: no clipping is about this: $goal" >&2
	exit 64
fi
mv "$out.new" "$out"
echo "$found clippings" >&2
printf '{"path":"%s","found":%d}\n' "$out" "$found"
