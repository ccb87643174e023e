#!/bin/sh
# keep.sh NAME: keeps the document of a call (inputs and context, as JSON on stdin) in a file of the session.
set -eu
out=outputs/${BATON_SESSION:-by-hand}/files/${1%.md}.json
mkdir -p "${out%/*}"
cat >"$out.new"
mv "$out.new" "$out"
printf '{"path":"%s"}\n' "$out"
