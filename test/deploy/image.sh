#!/bin/sh
# Builds the image of the built binary with buildah, and runs it as its own user: `sh test/deploy/image.sh`.
#
# Needs root and Debian's package `buildah`; no base image is fetched.
set -eu
project=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
chmod 755 "$folder"
port=19410
run="buildah --root $folder/root --runroot $folder/run --storage-driver vfs"
server=
clean() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  $run rm --all > /dev/null || true
  rm -rf "$folder"
}
trap clean EXIT
cp "$project/src/deploy/image/Dockerfile" "$folder/"
"$project/src/deploy/image/rootfs.sh" "$project/dist/poundkey" "$folder/rootfs"
$run bud --isolation chroot --format docker --tag poundkey "$folder" > "$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
container=$($run from poundkey)
inside() { $run run --isolation chroot "$container" -- /usr/local/bin/poundkey "$@"; }
inside --version
inside serve --simulate --port "$port" > "$folder/log" 2>&1 &
for _ in $(seq 100); do ! grep -q 'listens on' "$folder/log" || break; sleep 0.1; done
server=$(pgrep -f "^/usr/local/bin/poundkey serve --simulate --port $port\$")
echo "runs as user $(stat -c %u "/proc/$server")"
inside health --url "http://127.0.0.1:$port"
inside keys add --name my-app > /dev/null
inside backup /data/backup.db
kill "$server"
while kill -0 "$server" 2>/dev/null; do sleep 0.1; done
server=
tail -n 1 "$folder/log"
echo "layers: $(du -sm "$folder/rootfs" | cut -f 1) MB"
