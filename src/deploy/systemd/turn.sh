#!/bin/sh
# Starts the instance of poundkey@ that isn't running, waits until it listens, and then stops the other.
set -eu
if systemctl --quiet is-active poundkey@a; then old=a new=b; else old=b new=a; fi
# Returns once the gateway has told systemd that it listens. If it fails, the other goes on.
systemctl start "poundkey@$new"
systemctl --quiet enable "poundkey@$new"
systemctl --quiet disable "poundkey@$old"
systemctl stop "poundkey@$old"
echo "poundkey@$new serves"
