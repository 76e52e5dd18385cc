#!/bin/sh
# Builds actionlint from its sources into a folder's `bin`: `sh actionlint.sh FOLDER`. Without Go it does nothing.
set -eu
mkdir -p "$1/bin"
PATH=$PATH:/usr/local/go/bin
command -v go > /dev/null || exit 0
GOBIN=$1/bin GOPATH=$1/go GOFLAGS=-modcacherw go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
rm -rf "$1/go"
