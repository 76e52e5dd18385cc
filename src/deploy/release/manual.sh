#!/bin/sh
# Publishes the manual on the branch gh-pages: `manual.sh [--dry-run]`. GITHUB_TOKEN may write there.
#
# The released binary for this machine writes it, so it is the manual of this version.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

manual=$(read_channel manual)
[ -n "$manual" ] || skip "manual: it isn't published"
repository=$(read_channel repository)
[ -n "$repository" ] || skip "manual: the repository isn't published"
[ -n "${GITHUB_TOKEN:-}" ] || skip "manual: GITHUB_TOKEN isn't set"
! is_prerelease || skip "manual: $VERSION is a pre-release"
check_sums
make_work_folder

binary=poundkey-$VERSION-linux-x64
listed_digest "$binary" > /dev/null
cp "$RELEASE/$binary" "$WORK/poundkey"
chmod +x "$WORK/poundkey"
sign_in_git "$GITHUB_TOKEN"
unset GITHUB_TOKEN
check_out "$repository.git" gh-pages
before=$(cat "$WORK/checkout/version.txt" 2> /dev/null || true)
find "$WORK/checkout" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
(cd "$WORK" && env -i PATH="$PATH" HOME="$WORK" ./poundkey docs build "$WORK/site")
cp -R "$WORK/site/." "$WORK/checkout/"
printf '%s\n' "$VERSION" > "$WORK/checkout/version.txt"
# Pages would leave out names that begin with an underscore.
: > "$WORK/checkout/.nojekyll"
host=${manual#https://}
host=${host%%/*}
case $host in
  *.github.io) ;;
  *) printf '%s\n' "$host" > "$WORK/checkout/CNAME" ;;
esac
push_checkout "Manual of $VERSION" gh-pages "$before"
