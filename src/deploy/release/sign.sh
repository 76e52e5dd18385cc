#!/bin/sh
# Signs SHA256SUMS, and catalogue.json if the release has one: `sign.sh [--dry-run]`.
#
# POUNDKEY_SIGNING_KEY is an Ed25519 key as PEM, or names a file with one. The signatures are added to the release.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

[ -n "${POUNDKEY_SIGNING_KEY:-}" ] || skip "signatures: POUNDKEY_SIGNING_KEY isn't set. SHA256SUMS is not signed."
check_sums
make_work_folder
case $POUNDKEY_SIGNING_KEY in
  *-----BEGIN*)
    # Nobody else may read it, and it goes with the folder.
    (umask 077 && printf '%s\n' "$POUNDKEY_SIGNING_KEY" > "$WORK/key")
    key=$WORK/key
    trap 'rm -rf "$WORK"' EXIT
    ;;
  *) key=$POUNDKEY_SIGNING_KEY ;;
esac
unset POUNDKEY_SIGNING_KEY
openssl pkey -in "$key" -pubout -out "$WORK/public" 2> /dev/null || fail "the key can't be read"
openssl pkey -pubin -in "$WORK/public" -noout -text | grep -q ED25519 || fail "the key isn't an Ed25519 key"
awk '/^signing_key:/ { inside = 1; next } /^[^ ]/ { inside = 0 } inside { sub(/^ */, ""); print }' \
  "$ROOT/src/deploy/channels.yaml" > "$WORK/announced"
if [ -s "$WORK/announced" ] && [ "$(cat "$WORK/announced")" != "$(cat "$WORK/public")" ]; then
  fail "the key isn't the one whose public half stands in channels.yaml"
fi

added=
for name in SHA256SUMS catalogue.json; do
  [ -e "$RELEASE/$name" ] || continue
  openssl pkeyutl -sign -inkey "$key" -rawin -in "$RELEASE/$name" -out "$WORK/$name.sig"
  there=$(published_digest "$name.sig")
  if [ -z "$there" ]; then
    added="$added $RELEASE/$name.sig"
  elif [ "$there" != "$(digest_of "$WORK/$name.sig")" ]; then
    fail "the release v$VERSION has another $name.sig"
  fi
  cp "$WORK/$name.sig" "$RELEASE/$name.sig"
done
[ -n "$added" ] || skip "the release v$VERSION is signed already"
# shellcheck disable=SC2086
call gh release upload "v$VERSION" $added
say "SHA256SUMS is signed"
