#!/bin/sh
# Makes a draft of the release with its files and the changelog's section: `draft.sh [--dry-run]`.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

check_sums
make_work_folder
there=$(published_digest SHA256SUMS)
if [ -n "$there" ]; then
  [ "$there" = "$(digest_of "$RELEASE/SHA256SUMS")" ] || fail "the release v$VERSION is there with other files"
  skip "the release v$VERSION is there with the same files"
fi
write_notes "$WORK/notes.md"
kind=
! is_prerelease || kind=--prerelease
call gh release create "v$VERSION" --draft --verify-tag --title "$VERSION" --notes-file "$WORK/notes.md" \
  ${kind:+"$kind"} "$RELEASE"/*
