#!/bin/bash
# run-all.sh [peer ...]   Runs every (peer, workload), REPS passes, prints one
# JSON line of medians per (peer, workload); raw lines go to results/raw.jsonl.
# env: REPS=3 SECS=4 (w1 seconds) QUIET_WAIT=0 (max seconds to wait for an idle
# machine before each run) WORKLOADS="w1_c1 w1_c64 ..." LIMITS=1 W3LIMIT=20
# HEAVY_REPS=$REPS (passes that also run w3, w4, w5)
cd "$(dirname "$0")"; HERE=$PWD
REPS=${REPS:-3}; SECS=${SECS:-4}; QUIET_WAIT=${QUIET_WAIT:-0}; LIMITS=${LIMITS:-1}; W3LIMIT=${W3LIMIT:-20}; HEAVY_REPS=${HEAVY_REPS:-$REPS}
D=${TMPDIR:-/tmp}/peers-data/run; mkdir -p $D results; RAW=${RAW:-results/raw.jsonl}
FULL="w1_c1 w1_c64 w2_100 w2_1000 w3 w4 w5"
export RESTATE_BIN=$HERE/restate/node_modules/@restatedev/restate-server-linux-x64/bin/restate-server
PGURL=postgres://postgres@127.0.0.1:55432
# name | folder | env | outside server | workloads
PEERS="
baton-group|baton|BATON_DURABILITY=group||$FULL
baton-interval|baton|BATON_DURABILITY=interval=1s||$FULL
temporal-sqlite|temporal||self|w1_c1 w1_c64 w2_100 w3 w5
temporal-sqlite-tuned|temporal|TUNED=1|self|$FULL
temporal-sqlite-tuned-localact|temporal|TUNED=1 LOCAL_ACTIVITY=1|self|w1_c1 w1_c64 w2_100 w3
dbos-postgres|dbos||pg|$FULL
dbos-sqlite|dbos|DB=sqlite||$FULL
goworkflows-sqlite|goworkflows|BACKEND=sqlite||w1_c1 w1_c64 w2_100
goworkflows-sqlite-mono|goworkflows|BACKEND=sqlite-mono||$FULL
goworkflows-redis|goworkflows|BACKEND=redis|redis|$FULL
restate|restate||self|$FULL
river-postgres|river||pg|w1_c1 w1_c64 w2_100 w2_1000
river-postgres-fastfetch|river|FAST=1|pg|$FULL
langgraph-graph-sqlite|langgraph|API=graph||$FULL
langgraph-func-sqlite|langgraph|API=func||$FULL
langgraph-graph-postgres|langgraph|API=graph|pg|w1_c1 w1_c64 w2_100
"
quiet() { # wait until others use < 25% of the machine, at most QUIET_WAIT s
  local n=0 a b
  while [ $n -lt $QUIET_WAIT ]; do
    a=$(awk '/^cpu /{print $2+$3+$4+$7+$8+$9}' /proc/stat); sleep 1; b=$(awk '/^cpu /{print $2+$3+$4+$7+$8+$9}' /proc/stat)
    [ $((b-a)) -lt $(( $(nproc)*25 )) ] && return; n=$((n+1))
  done
}
endpids() { for p in $(cat "$1"/ext.pid "$1"/data/ext.pid 2>/dev/null); do kill -9 $p 2>/dev/null; done; sleep 0.3; }
k=0
one() { # name folder env server workload pass
  local name=$1 fol=$2 env=$3 server=$4 wl=$5 pass=$6 dir ext="" extdir="" args to=75 db
  [ "$server" = pg ] && ! _common/pg.sh there && { [ $pass = 1 ] && echo "{\"peer\":\"$name\",\"workload\":\"$wl\",\"skipped\":\"no PostgreSQL here\"}"; return; }
  [ "$server" = redis ] && ! command -v redis-server >/dev/null && { [ $pass = 1 ] && echo "{\"peer\":\"$name\",\"workload\":\"$wl\",\"skipped\":\"no Redis here\"}"; return; }
  [ -x $fol/driver ] || { [ $pass = 1 ] && echo "{\"peer\":\"$name\",\"workload\":\"$wl\",\"error\":\"not built\"}"; return; }
  k=$((k+1)); dir=$D/$$-$k; rm -rf $dir; mkdir -p $dir
  case "$server" in
    pg) ext=$(_common/pg.sh start); db=b$$_$k
        psql -h 127.0.0.1 -p 55432 -U postgres -qc "create database $db" >/dev/null
        psql -h 127.0.0.1 -p 55432 -U postgres -qc "checkpoint" >/dev/null
        env="$env DB=$PGURL/$db?sslmode=disable"; extdir=${TMPDIR:-/tmp}/peers-data/pg/base ;;
    redis) mkdir -p $dir/redis
        redis-server --port 56379 --bind 127.0.0.1 --appendonly yes --save "" --dir $dir/redis --daemonize no >/dev/null 2>&1 &
        ext=$!; sleep 0.4; env="$env REDIS_ADDR=127.0.0.1:56379"; extdir=$dir/redis ;;
  esac
  case $wl in
    w1_c1) args="-mode w1 -c 1 -secs $SECS" ;; w1_c64) args="-mode w1 -c 64 -secs $SECS" ;;
    w2_100) args="-mode w2 -n 100" ;; w2_1000) args="-mode w2 -n 1000" ;;
    w3) args="-mode w3 -n 1000 -limit $W3LIMIT"; to=$((W3LIMIT+45)) ;; w4) args="-mode w4 -n 1000" ;; w5) args="-mode w5" ;;
  esac
  quiet
  local out; out=$(env $env timeout -s KILL $to ./$fol/driver $args -dir $dir/d ${ext:+-ext $ext} ${extdir:+-extdir $extdir} 2>$dir/err | tail -1)
  [ -n "$out" ] && [ "${out:0:1}" = "{" ] || out="{\"peer\":\"$name\",\"workload\":\"$wl\",\"error\":$(tail -c 300 $dir/err | jq -Rs 'if .=="" then "timeout after '$to' s" else . end')}"
  echo "$out" | jq -c --arg p "$name" --arg w "$wl" --argjson n $pass --arg l "$(cut -d' ' -f1 /proc/loadavg)" '.peer=$p|.workload=$w|.pass=$n|.loadavg=($l|tonumber)' | tee -a $RAW >&2
  endpids $dir/d
  [ "$server" = redis ] && { kill $ext; wait $ext 2>/dev/null; }
  [ "$server" = pg ] && psql -h 127.0.0.1 -p 55432 -U postgres -qc "drop database $db with (force)" >/dev/null
  rm -rf $dir
}
for pass in $(seq 1 $REPS); do
  # Baton's own benchmark, between the passes: ratios to plain publishes on the same server.
  if [ "${BATON_BENCH:-1}" = 1 ] && [ -x ../../bin/baton ]; then
    for class in group interval=1s; do
      quiet; mkdir -p $D/home; BATON_HOME=$D/home ../../bin/baton bench --quiet --json --durability $class >>results/baton-bench.jsonl || echo "baton bench failed" >&2
      rm -rf $D/home
    done
  fi
  [ $LIMITS = 1 ] && [ -x limits/driver ] && { quiet; limits/driver $D/limits | jq -c --argjson n $pass '.pass=$n' | tee -a $RAW >&2; rm -rf $D/limits; }
  while IFS='|' read -r name fol env server wls; do
    [ -z "$name" ] && continue
    if [ $# -gt 0 ]; then case " $* " in *" $name "*) ;; *) continue ;; esac; fi
    for wl in ${WORKLOADS:-$wls}; do
      case " $wls " in *" $wl "*) ;; *) continue ;; esac
      case $wl in w3|w4|w5) [ $pass -gt $HEAVY_REPS ] && continue ;; esac
      one "$name" "$fol" "$env" "$server" "$wl" $pass </dev/null
    done
  done <<< "$PEERS"
done
./summary.sh $RAW
