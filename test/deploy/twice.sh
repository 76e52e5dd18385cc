#!/bin/sh
# Builds the committed sources for every system in two folders, and compares the digests: `sh test/deploy/twice.sh`.
#
# Takes about two minutes, and a gigabyte in the folder for temporary files.
set -eu
project=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
POUNDKEY_COMMIT=$(git -C "$project" rev-parse --short=12 HEAD)
export POUNDKEY_COMMIT
for name in one another/deeper; do
  mkdir -p "$folder/$name"
  git -C "$project" archive HEAD | tar -x -C "$folder/$name"
  # A copy, since a link's target would be part of the names that the bundler makes.
  cp -r "$project/node_modules" "$folder/$name/node_modules"
  (cd "$folder/$name" && npm run build -- --all > build.log 2>&1) || { cat "$folder/$name/build.log"; exit 1; }
done
diff "$folder/one/dist/release/SHA256SUMS" "$folder/another/deeper/dist/release/SHA256SUMS"
cat "$folder/one/dist/release/SHA256SUMS"
