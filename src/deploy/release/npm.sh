#!/bin/sh
# Publishes the npm package: `npm.sh [--dry-run]`. The workflow is trusted by the registry, so there is no token.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

name=$(read_channel npm)
[ -n "$name" ] || skip "npm: it isn't published there"
check_sums
file=poundkey-$VERSION.tgz
listed_digest "$file" > /dev/null
make_work_folder
tar -xzOf "$RELEASE/$file" package/package.json | grep -q "^  \"name\": \"$name\",$" ||
  fail "the package isn't named $name"
# Away from the checkout, whose settings for npm don't count here.
cd "$WORK"

ask() {
  if npm view "$@" 2> "$WORK/words"; then
    return
  fi
  grep -q E404 "$WORK/words" || {
    cat "$WORK/words" >&2
    fail "the registry can't be asked"
  }
}

there=$(ask "$name@$VERSION" dist.integrity)
own=sha512-$(openssl dgst -sha512 -binary "$RELEASE/$file" | openssl base64 -A)
if [ -n "$there" ]; then
  [ "$there" = "$own" ] || fail "$name@$VERSION is there with other bytes: $there"
  skip "$name@$VERSION is there with the same bytes"
fi
latest=$(ask "$name" dist-tags.latest)
if is_prerelease; then
  tag=next
elif [ -z "$latest" ] || is_newer "$VERSION" "$latest"; then
  tag=latest
else
  # npm takes no tag that is a range of versions, as v1 is.
  tag=v${VERSION%%.*}-latest
fi
call npm publish "$RELEASE/$file" --access public --tag "$tag"
say "npm: $name@$VERSION, tag $tag"
