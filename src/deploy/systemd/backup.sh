#!/bin/sh
# Copies the store into the folder, named by the time, and keeps the newest KEEP copies (14).
#
# The master key isn't part of a copy: keep it in another place. Copy the folder to another machine too.
set -eu
folder=$1
poundkey=${POUNDKEY:-/usr/local/bin/poundkey}
# Left by a copy that was killed halfway.
rm -f -- "$folder"/poundkey-*.db.draft-*
# The store's address, so that a mistake in the configuration stops no backup.
"$poundkey" backup ${POUNDKEY_STORE:+--store "$POUNDKEY_STORE"} "$folder/poundkey-$(date -u +%Y-%m-%dT%H%M%SZ).db"
# The names sort by time.
ls -1 "$folder" | grep '^poundkey-.*\.db$' | sort -r | tail -n "+$((${KEEP:-14} + 1))" | while read -r old; do
  rm -- "$folder/$old"
done
