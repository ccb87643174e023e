#!/bin/sh
# extract.sh NOTES: takes the facts out of collected notes.
set -eu
LC_ALL=C
export LC_ALL

fail() {
	echo "error: $1" >&2
	exit 1
}

notes=$1
[ -r "$notes" ] || fail "there is no file $notes; collect-notes makes it"

step=${BATON_CALL:-extract}
out=outputs/${BATON_SESSION:-by-hand}/files/${step##*/}.tsv
mkdir -p "${out%/*}"
tab=$(printf '\t')

# Facts are sorted by the date of their note, then by their place, so that the last one is the newest.
awk '
	/^@ / { note = $2; date = $3; next }
	/^- [^:]+: ./ {
		line = substr($0, 3)
		at = index(line, ": ")
		value = substr(line, at + 2)
		source = note
		if (match(value, / \([^()]*\)$/)) {
			source = substr(value, RSTART + 2, RLENGTH - 3) ", " note
			value = substr(value, 1, RSTART - 1)
		}
		printf "%s\t%d\t%s\t%s\t%s\n", date, NR, substr(line, 1, at - 1), value, source
	}
' "$notes" | sort -t "$tab" -k 1,1 -k 2,2n | awk -F '\t' '
	{
		if ($3 in value && value[$3] != $4) before[$3] = value[$3]
		value[$3] = $4
		source[$3] = $5
		date[$3] = $1
	}
	END { for (key in value) printf "%s\t%s\t%s\t%s\t%s\n", key, value[key], source[key], date[key], before[key] }
' | sort >"$out.new"

[ -s "$out.new" ] || fail "$notes holds no facts; a fact is a line like \"- price: 10 EUR (quote)\""
mv "$out.new" "$out"
facts=$(awk 'END { print NR }' "$out")
revised=$(awk -F '\t' '$5 != "" { n++ } END { print n + 0 }' "$out")
echo "$facts facts, $revised of them revised by a later note" >&2
printf '{"path":"%s","facts":%d,"revised":%d}\n' "$out" "$facts" "$revised"
