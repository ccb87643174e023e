#!/bin/sh
# suppose.sh: reads {inputs, …} on stdin and supposes something about each open claim.
set -eu

# What was supposed before is counted, so that each cycle of a loop goes one further.
document=$(cat)
before=$(printf '%s' "$document" | LC_ALL=C grep -o '"id":"H[0-9]*"' | LC_ALL=C sort -u | wc -l)
claims=$(printf '%s' "$document" | LC_ALL=C grep -o '"type":"contradiction","claim":"[^"]*"' | sed 's/.*"claim"/"claim"/' || true)
[ -n "$claims" ] || claims=$(printf '%s' "$document" | LC_ALL=C grep -o '"claim":"[^"]*"' || true)
[ -n "$claims" ] || {
	echo "error: there are no claims to suppose anything of" >&2
	exit 64
}

printf '%s\n' "$claims" | sed 's/^"claim":"//; s/"$//' | LC_ALL=C sort -u | LC_ALL=C awk -v before="$before" '
	NR <= 5 && NR <= before + 1 {
		printf "%s{\"id\":\"H%d\",\"text\":\"Under some condition that the papers do not report: %s\",\"rationale\":\"the papers do not agree, or only one looked\",\"prediction\":\"a study that reports the condition finds it\",\"test\":\"repeat the study with the condition varied\",\"refutation\":\"no condition makes a difference\",\"source\":\"%s\",\"novelty\":0.5,\"feasibility\":0.7,\"testability\":0.8}", (NR == 1 ? "{\"hypotheses\":[" : ","), NR, $0, $0
		n++
	}
	END { printf "],\"metadata\":{\"count\":%d}}\n", n }
'
