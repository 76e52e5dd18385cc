#!/bin/sh
# Puts the npm package beside the binaries and writes SHA256SUMS over all: `sums.sh [--dry-run]`, after both builds.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

[ -d "$RELEASE" ] || fail "there is no $RELEASE: npm run build -- --all makes it"
package=${PACKAGE:-$ROOT/dist/poundkey-$VERSION.tgz}
[ -e "$package" ] || fail "there is no $package: npm run build -- --npm makes it"
make_work_folder
cp "$package" "$RELEASE/"
for file in "$RELEASE"/*; do
  name=$(basename "$file")
  case $name in
    SHA256SUMS* | *.sig) ;;
    *) printf '%s  %s\n' "$(digest_of "$file")" "$name" ;;
  esac
done | LC_ALL=C sort -k 2 > "$WORK/SHA256SUMS"
# A signature of the list before.
[ -n "$DRY_RUN" ] || rm -f "$RELEASE/SHA256SUMS.sig"
call cp "$WORK/SHA256SUMS" "$RELEASE/SHA256SUMS"
say "SHA256SUMS has $(wc -l < "$WORK/SHA256SUMS" | tr -d ' ') files"
