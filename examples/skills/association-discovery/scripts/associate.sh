#!/bin/sh
# associate.sh EXTRACTED_KNOWLEDGE: pairs the claims of a JSON list of papers.
set -eu

# One claim a line, as knowledge-extraction writes them, each paper once.
printf '%s' "$1" | LC_ALL=C grep -o '{"claim":"[^}]*}' | LC_ALL=C sort -u | LC_ALL=C awk '
	function field(name,   rest) {
		rest = $0
		if (!sub(".*\"" name "\":\"?", "", rest)) return ""
		sub(/("|,"|}).*/, "", rest)
		return rest
	}
	{
		claim = field("claim"); holds = ($0 ~ /"holds":true/); paper = field("paper")
		if (!(claim in first)) order[++n] = claim
		first[claim] = 1
		count[claim]++
		for (i = 1; i < count[claim]; i++) {
			kind = (verdict[claim, i] == holds) ? "supplement" : "contradiction"
			pairs = pairs (pairs == "" ? "" : ",") "{\"type\":\"" kind "\",\"claim\":\"" claim "\",\"item1\":\"" who[claim, i] "\",\"item2\":\"" paper "\",\"confidence\":0.9}"
			edges = edges (edges == "" ? "" : ",") "[\"" who[claim, i] "\",\"" paper "\"]"
			kinds[kind]++
		}
		verdict[claim, count[claim]] = holds
		who[claim, count[claim]] = paper
		nodes[paper] = 1
	}
	END {
		for (i = 1; i <= n; i++) if (count[order[i]] == 1)
			gaps = gaps (gaps == "" ? "" : ",") "{\"type\":\"single_source\",\"description\":\"" order[i] "\",\"confidence\":0.5,\"evidence\":[\"" who[order[i], 1] "\"],\"priority\":\"medium\"}"
		printf "{\"associations\":[%s],\"knowledge_graph\":{\"edges\":[%s]},\"research_gaps\":[%s]}\n", pairs, edges, gaps
		printf "%d contradictions, %d supplements\n", kinds["contradiction"], kinds["supplement"] > "/dev/stderr"
	}
'
