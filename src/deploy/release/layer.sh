#!/bin/sh
# Lays out the image's files for this machine's kind of processor: `layer.sh [--dry-run] INTO` writes INTO/amd64.tar.gz or
# INTO/arm64.tar.gz. Needs GNU tar and what ../image/rootfs.sh needs.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

[ -n "${1:-}" ] || fail "name the folder: layer.sh INTO"
case $(uname -m) in
  x86_64) kind=amd64 system=linux-x64 ;;
  aarch64) kind=arm64 system=linux-arm64 ;;
  *) fail "there is no image for $(uname -m)" ;;
esac
check_sums
make_work_folder
binary=poundkey-$VERSION-$system
mkdir -p "$1" "$WORK/binary"
into=$(cd "$1" && pwd)
listed_digest "$binary" > /dev/null
cp "$RELEASE/$binary" "$WORK/binary/poundkey"
cp "$RELEASE/$binary.cdx.json" "$WORK/binary/poundkey.cdx.json"
"$ROOT/src/deploy/image/rootfs.sh" "$WORK/binary/poundkey" "$WORK/rootfs"
# Owners, times and order are fixed, so that the same files are the same layer.
plain="--format=ustar --sort=name --mtime=@0 --numeric-owner"
(
  cd "$WORK/rootfs/system"
  # shellcheck disable=SC2086
  tar --create $plain --owner=0 --group=0 --file "$WORK/layer.tar" ./*
  cd ../own
  # shellcheck disable=SC2086
  tar --append $plain --owner=10001 --group=10001 --file "$WORK/layer.tar" ./*
)
gzip -9 -n "$WORK/layer.tar"
call cp "$WORK/layer.tar.gz" "$into/$kind.tar.gz"
