#!/bin/sh
# Tries a binary from nothing: `smoke.sh [--dry-run] BINARY`. An empty home, a simulated answer, sound books, a clean stop.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

[ -n "${1:-}" ] || fail "name the binary: smoke.sh BINARY"
chmod +x "$1"
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
WORK=$(mktemp -d)
server=
clean() {
  [ -z "$server" ] || kill -9 "$server" 2> /dev/null || true
  rm -rf "$WORK"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM
mkdir "$WORK/home" "$WORK/folder"
cd "$WORK/folder"

run() {
  env -i PATH=/usr/bin:/bin HOME="$WORK/home" POUNDKEY_PLACES=user "$binary" "$@"
}

version=$(run --version)
case $version in
  *"$VERSION"*) say "$(basename "$binary"): $version" ;;
  *) fail "the binary is another version: $version" ;;
esac
if [ -n "$DRY_RUN" ]; then
  call "$binary" serve --quickstart --port 0
  exit 0
fi

env -i PATH=/usr/bin:/bin HOME="$WORK/home" POUNDKEY_PLACES=user "$binary" serve --quickstart --port 0 \
  > "$WORK/printed" 2>&1 &
server=$!
url=
tries=0
while [ -z "$url" ] || [ -z "$key" ]; do
  tries=$((tries + 1))
  if [ "$tries" -gt 600 ] || ! kill -0 "$server" 2> /dev/null; then
    cat "$WORK/printed" >&2
    fail "the gateway doesn't start"
  fi
  sleep 0.1
  url=$(sed -n 's/.*Base URL  *\(http:[^ ]*\/v1\).*/\1/p' "$WORK/printed" | head -n 1)
  key=$(sed -n 's/.*API key  *\(sk-[^ ]*\).*/\1/p' "$WORK/printed" | head -n 1)
done

printf 'authorization: Bearer %s\n' "$key" > "$WORK/header"
answer=$(curl --silent --show-error --fail --max-time 30 -H "@$WORK/header" -H 'content-type: application/json' \
  -d '{"model":"Sim#sim-mini","messages":[{"role":"user","content":"hello"}]}' "$url/chat/completions")
case $answer in
  *'You said: hello'*) ;;
  *) fail "the simulated answer is another: $answer" ;;
esac
run ledger verify
kill -TERM "$server"
code=0
wait "$server" || code=$?
server=
[ "$code" = 0 ] || fail "the gateway ended with $code"
say "$(basename "$binary"): started, answered, verified and stopped"
