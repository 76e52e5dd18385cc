#!/bin/sh
# Installs the judges of src/deploy into a folder, which takes about 10 minutes: helm, compose-check and kubernetes-validate.
#
#   sh test/deploy/install-tools.sh FOLDER && PATH="FOLDER:$PATH" npm test -- deploy/files
#
# Needs Go and Python with venv.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
sources=$(cd "$(dirname "$0")" && pwd)
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet kubernetes-validate
ln -sf venv/bin/kubernetes-validate "$folder/kubernetes-validate"
mkdir -p "$folder/compose"
cp "$sources/compose/main.go" "$folder/compose/"
cd "$folder/compose"
[ -e go.mod ] || go mod init compose-check
go get github.com/compose-spec/compose-go/v2@v2.16.2
go mod tidy
go build -o "$folder/compose-check" .
GOBIN=$folder go install helm.sh/helm/v3/cmd/helm@v3.22.0
