#!/bin/bash
# builds every driver; npm packages for langgraph and restate
cd "$(dirname "$0")"; export GOFLAGS=-buildvcs=false
(cd ../.. && make --no-print-directory build)
for d in ${*:-limits baton dbos goworkflows river restate langgraph temporal}; do (cd $d && go build -mod=mod -o driver .) || echo "FAILED $d"; done
[ $# -gt 0 ] || (cd temporal/server && go build -mod=mod -o server .) || echo "FAILED temporal/server"
for d in langgraph restate; do [ -d $d/node_modules ] || (cd $d && npm i --no-audit --no-fund); done
