#!/bin/bash
# pg.sh start|stop : PostgreSQL with default settings on 127.0.0.1:55432, data in ${TMPDIR:-/tmp}/peers-data/pg
set -e
PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
D=${TMPDIR:-/tmp}/peers-data/pg
case "$1" in
there) command -v initdb >/dev/null && command -v psql >/dev/null && id postgres >/dev/null 2>&1 ;;
start)
  mkdir -p ${TMPDIR:-/tmp}/peers-data; chmod 755 ${TMPDIR:-/tmp}/peers-data
  if [ ! -f $D/PG_VERSION ]; then
    mkdir -p $D; chown postgres $D; chmod 700 $D
    su postgres -s /bin/bash -c "PATH=$PATH initdb -D $D -A trust -U postgres -E UTF8 --locale=C" >/dev/null
  fi
  [ -f $D/postmaster.pid ] && kill -0 $(head -1 $D/postmaster.pid) 2>/dev/null || \
  su postgres -s /bin/bash -c "PATH=$PATH pg_ctl -D $D -w -o '-p 55432 -c listen_addresses=127.0.0.1 -c unix_socket_directories=${TMPDIR:-/tmp}/peers-data/pg' -l $D/log start" >/dev/null
  head -1 $D/postmaster.pid ;;
stop) su postgres -s /bin/bash -c "PATH=$PATH pg_ctl -D $D -m fast stop" >/dev/null ;;
esac
