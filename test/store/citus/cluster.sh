#!/bin/sh
# A Citus cluster for measurements by hand: a coordinator and two workers on one machine, on loopback alone. It takes a
# PostgreSQL whose folder of programs is in PG_BIN and that has the extension citus; without one it says so and ends.
#
#   test/store/citus/cluster.sh start FOLDER    makes it in FOLDER and prints the coordinator's address
#   test/store/citus/cluster.sh stop FOLDER     stops it and deletes FOLDER
#   test/store/citus/cluster.sh kill|pause|resume|revive FOLDER 1|2    a worker
#   test/store/citus/cluster.sh follow FOLDER     starts a standby of the coordinator that has each COMMIT before it is answered
#   test/store/citus/cluster.sh promote FOLDER    kills the coordinator and makes its standby the next, whose address it prints
set -eu
PG_BIN=${PG_BIN:-/usr/lib/postgresql/15/bin}
PORT=${PORT:-27600}
here=$(dirname "$0")
command=${1:-} folder=${2:-} worker=${3:-1}
[ -n "$folder" ] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }

if [ ! -x "$PG_BIN/pg_config" ] || [ ! -f "$("$PG_BIN/pg_config" --sharedir)/extension/citus.control" ]; then
  echo "skipped: $PG_BIN has no extension citus (set PG_BIN to a PostgreSQL that has)"
  exit 0
fi

# PostgreSQL refuses to run as root.
as_user() { if [ "$(id -u)" = 0 ]; then env HOME=/ setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }
port_of() { case $1 in coordinator) echo "$PORT" ;; standby) echo "$((PORT + 3))" ;; *) echo $((PORT + ${1#worker})) ;; esac; }
ask() { "$PG_BIN/psql" -qtAX -v ON_ERROR_STOP=1 -h 127.0.0.1 -U postgres "$@"; }
launch() {
  as_user "$PG_BIN/pg_ctl" -D "$folder/$1" -l "$folder/$1.log" -w -o "-p $(port_of "$1")" start >/dev/null
}
signal_all() {
  pid=$(head -n 1 "$folder/worker$worker/postmaster.pid")
  # shellcheck disable=SC2046 # Each child is an argument of its own.
  kill "-$1" "$pid" $(cat "/proc/$pid/task/$pid/children") 2>/dev/null || true
}

case $command in
start)
  mkdir -p "$folder"
  [ "$(id -u)" != 0 ] || chown 65534:65534 "$folder"
  for node in coordinator worker1 worker2; do
    as_user "$PG_BIN/initdb" -D "$folder/$node" -U postgres -A trust -N -E UTF8 --locale=C >/dev/null
    cat >>"$folder/$node/postgresql.conf" <<CONF
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 500
max_prepared_transactions = 500
citus.max_client_connections = -1
fsync = off
full_page_writes = off
CONF
    launch "$node"
    ask -p "$(port_of "$node")" -d postgres -c 'CREATE DATABASE poundkey'
    ask -p "$(port_of "$node")" -d poundkey -c 'CREATE EXTENSION citus'
  done
  ask -p "$PORT" -d poundkey <<SQL >/dev/null
SELECT citus_set_coordinator_host('127.0.0.1', $PORT);
SELECT citus_add_node('127.0.0.1', $((PORT + 1)));
SELECT citus_add_node('127.0.0.1', $((PORT + 2)));
SQL
  echo "postgres://postgres@127.0.0.1:$PORT/poundkey"
  ;;
distribute) ask -p "$PORT" -d poundkey -f "$here/distribute.sql" ;;
stop)
  for node in worker2 worker1 standby coordinator; do
    as_user "$PG_BIN/pg_ctl" -D "$folder/$node" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "${folder:?}/$node" "$folder/$node.log"
  done
  rmdir "$folder"
  ;;
follow)
  as_user "$PG_BIN/pg_basebackup" -c fast -D "$folder/standby" -R -d "host=127.0.0.1 port=$PORT user=postgres application_name=standby"
  launch standby
  ask -p "$PORT" -d postgres -c "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
  ask -p "$PORT" -d postgres -c 'SELECT pg_reload_conf()' >/dev/null
  ;;
promote)
  as_user "$PG_BIN/pg_ctl" -D "$folder/coordinator" -m immediate stop >/dev/null
  as_user "$PG_BIN/pg_ctl" -D "$folder/standby" -w promote >/dev/null
  port=$(port_of standby)
  # Copied with the coordinator's settings, it would wait for a standby of that name itself.
  ask -p "$port" -d postgres -c 'ALTER SYSTEM RESET synchronous_standby_names'
  ask -p "$port" -d postgres -c 'SELECT pg_reload_conf()' >/dev/null
  echo "postgres://postgres@127.0.0.1:$port/poundkey"
  ;;
kill) as_user "$PG_BIN/pg_ctl" -D "$folder/worker$worker" -m immediate stop >/dev/null ;;
revive) launch "worker$worker" ;;
pause) signal_all STOP ;;
resume) signal_all CONT ;;
*) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
