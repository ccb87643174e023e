#!/bin/sh
# report.sh TITLE LEFT RIGHT COMPARISON: writes a comparison as a page.
set -eu

title=$1
left=$2
right=$3
comparison=$4
if [ ! -s "$comparison" ]; then
	echo "error: there is no comparison in $comparison; compare-facts makes it" >&2
	exit 1
fi

step=${BATON_CALL:-report}
out=outputs/${BATON_SESSION:-by-hand}/files/${step##*/}.md
mkdir -p "${out%/*}"

# What is put in by name comes through the environment: awk would read escapes in -v.
title=$title left=$left right=$right awk -F '\t' '
	BEGIN { title = ENVIRON["title"]; left = ENVIRON["left"]; right = ENVIRON["right"] }
	function add(section, line) { text[section] = text[section] line "\n"; count[section]++ }
	function show(heading, section) { if (section in text) printf "\n## %s\n\n%s", heading, text[section] }
	$1 == "differ" { add("differ", "| " $2 " | " $3 " | " $5 " |") }
	$1 == "agree" { add("agree", "- " $2 ": " $3) }
	$1 == "left" { add("left", "- " $2 ": " $3) }
	$1 == "right" { add("right", "- " $2 ": " $5) }
	{ add("sources", "| " $2 " | " $4 " | " $6 " |") }
	END {
		print "# " title "\n"
		print NR " facts: " count["differ"] + 0 " differ, " count["agree"] + 0 " are the same, " \
			count["left"] + 0 " are known of " left " only, " count["right"] + 0 " of " right " only."
		columns = " | " left " | " right " |\n|---|---|---|\n"
		if ("differ" in text) text["differ"] = "|" columns text["differ"]
		text["sources"] = "| fact" columns text["sources"]
		show("Where they differ", "differ")
		show("The same with both", "agree")
		show("Only known of " left, "left")
		show("Only known of " right, "right")
		show("Sources", "sources")
	}
' "$comparison" >"$out.new"
mv "$out.new" "$out"
echo "report is in $out" >&2
printf '{"path":"%s","lines":%d}\n' "$out" "$(awk 'END { print NR }' "$out")"
