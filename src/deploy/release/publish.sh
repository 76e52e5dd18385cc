#!/bin/sh
# Makes the draft of the release public: `publish.sh [--dry-run]`.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

check_sums
make_work_folder
there=$(published_digest SHA256SUMS)
[ -n "$there" ] || fail "there is no release v$VERSION with SHA256SUMS"
[ "$there" = "$(digest_of "$RELEASE/SHA256SUMS")" ] || fail "the release v$VERSION is there with other files"
[ "$(gh release view "v$VERSION" --json isDraft --jq .isDraft)" = true ] || skip "the release v$VERSION is public already"
newest=$(gh release list --exclude-drafts --exclude-pre-releases --limit 100 --json tagName --jq '.[].tagName' |
  sed 's/^v//' | sort -V | tail -n 1)
is_latest=true
if is_prerelease || { [ -n "$newest" ] && ! is_newer "$VERSION" "$newest"; }; then
  is_latest=false
fi
write_notes "$WORK/notes.md"
call gh release edit "v$VERSION" --draft=false --latest="$is_latest" --notes-file "$WORK/notes.md"
[ -e "$RELEASE/SHA256SUMS.sig" ] || say "SHA256SUMS is not signed"
say "the release v$VERSION is public"
