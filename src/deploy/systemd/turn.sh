#!/bin/sh
# Starts the instance of poundkey@ that isn't running, waits until it listens, and then stops the other.
set -eu
if systemctl --quiet is-active poundkey@a; then old=a new=b; else old=b new=a; fi
# Returns once the gateway has told systemd that it listens. If it fails, the other goes on.
if ! systemctl start "poundkey@$new"; then
  journalctl --no-pager --unit "poundkey@$new" --lines 10 >&2
  systemctl stop "poundkey@$new"
  exit 1
fi
systemctl --quiet enable "poundkey@$new"
systemctl --quiet disable "poundkey@$old"
systemctl stop "poundkey@$old"
echo "poundkey@$new serves"
