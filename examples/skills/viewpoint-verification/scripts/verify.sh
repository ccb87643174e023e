#!/bin/sh
# verify.sh: reads {inputs, …} on stdin and weighs what speaks for the hypotheses.
set -eu

document=$(cat)
count() { printf '%s' "$document" | LC_ALL=C grep -o "$1" | LC_ALL=C sort -u | wc -l; }
hypotheses=$(count '"id":"H[0-9]*"')
for=$(count '{"claim":"[^}]*"holds":true[^}]*}')
against=$(count '{"claim":"[^}]*"holds":false[^}]*}')

LC_ALL=C awk -v h="$hypotheses" -v yes="$for" -v no="$against" 'BEGIN {
	all = yes + no
	confidence = all ? (yes + 0.5 * (h < no ? h : no)) / all : 0
	verdict = confidence >= 0.8 ? "strongly_supported" : confidence >= 0.6 ? "moderately_supported" : confidence >= 0.3 ? "weakly_supported" : "insufficient_evidence"
	printf "{\"verification_results\":[{\"for\":%d,\"against\":%d,\"hypotheses\":%d}],\"aggregate_confidence\":%.4f,\"verdict\":\"%s\"}\n", yes, no, h, confidence, verdict
}'
