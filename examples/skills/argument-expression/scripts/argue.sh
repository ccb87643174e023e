#!/bin/sh
# argue.sh: reads {inputs, …} on stdin and argues for each hypothesis by the claims it rests on.
set -eu

document=$(cat)
sources=$(printf '%s' "$document" | LC_ALL=C grep -o '"testability":[0-9.]*' | wc -l)
papers=$(printf '%s' "$document" | LC_ALL=C grep -o '"paper":"[^"]*"' | sed 's/^"paper":"//; s/"$//' | LC_ALL=C sort -u || true)
claims=$(printf '%s' "$document" | LC_ALL=C grep -o '{"claim":"[^}]*}' | LC_ALL=C sort -u || true)
[ -n "$claims" ] || {
	echo "error: there is no evidence to argue from" >&2
	exit 64
}

references=$(printf '%s\n' "$papers" | awk 'NF { printf "%s\"%s\"", (n++ ? "," : ""), $0 }')
printf '%s\n' "$claims" | LC_ALL=C awk -v references="$references" -v hypotheses="$sources" '
	function field(name,   rest) {
		rest = $0
		if (!sub(".*\"" name "\":\"", "", rest)) return ""
		sub(/".*/, "", rest)
		return rest
	}
	{ printf "%s{\"claim\":\"%s\",\"evidence\":\"%s (%s)\",\"reasoning\":\"it was observed%s\"}", (n++ ? "," : "{\"arguments\":["), field("claim"), field("evidence"), field("paper"), ($0 ~ /"holds":true/ ? "" : " not to hold") }
	END { printf "],\"sections\":[{\"title\":\"discussion\",\"arguments\":%d,\"hypotheses\":%d}],\"references\":[%s]}\n", n, hypotheses, references }
'
