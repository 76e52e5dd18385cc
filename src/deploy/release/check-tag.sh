#!/bin/sh
# Checks that a tag may be released: `check-tag.sh [--dry-run] TAG`, in a checkout of that tag with the whole history.
#
# Version, chart and changelog agree, nothing is changed, the commit is on the default branch, and its tests have passed.
# With --dry-run the tests aren't asked about.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

tag=${1:-}
[ -n "$tag" ] || fail "name the tag: check-tag.sh v$VERSION"
[ "$tag" = "v$VERSION" ] || fail "the tag is $tag, and package.json has $VERSION"
chart=$ROOT/src/deploy/chart/Chart.yaml
for field in version appVersion; do
  found=$(sed -n "s/^$field: *//p" "$chart" | tr -d '"')
  [ "$found" = "$VERSION" ] || fail "the chart's $field is $found, and package.json has $VERSION"
done
newest=$(sed -n 's/^## \([0-9][^ ]*\) (\([0-9]* [A-Z][a-z]* [0-9]*\))$/\1/p' "$ROOT/CHANGELOG.md" | head -n 1)
[ "$newest" = "$VERSION" ] || fail "the changelog's newest dated section is ${newest:-missing}, not $VERSION"
[ -z "$(git -C "$ROOT" status --porcelain)" ] || fail "the checkout has changes"
commit=$(git -C "$ROOT" rev-parse HEAD)
tagged=$(git -C "$ROOT" rev-parse --verify --quiet "refs/tags/$tag^{commit}") || fail "there is no tag $tag"
[ "$tagged" = "$commit" ] || fail "the tag is at another commit than the checkout"
branch=$(git -C "$ROOT" symbolic-ref --quiet --short refs/remotes/origin/HEAD || echo origin/main)
git -C "$ROOT" merge-base --is-ancestor "$commit" "$branch" || fail "the commit isn't on $branch"

asked="gh run list --workflow ci.yml --event push --commit $commit --json conclusion --jq .[0].conclusion"
if [ -n "$DRY_RUN" ]; then
  # shellcheck disable=SC2086
  call $asked
  say "$tag may be released, if its tests have passed: that was not asked"
  exit 0
fi
# shellcheck disable=SC2086
conclusion=$(cd "$ROOT" && $asked)
[ "$conclusion" = success ] || fail "the tests of $commit have not passed: ${conclusion:-they did not run}"
say "$tag may be released"
