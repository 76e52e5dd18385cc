#!/bin/sh
# Publishes the chart, which names the published image by its digest: `chart.sh [--dry-run]`.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

chart=$(read_channel chart)
[ -n "$chart" ] || skip "chart: it isn't published"
image=$(read_channel image)
[ -n "$image" ] || skip "chart: the image that it would name isn't published"
check_sums
make_work_folder
digest=$(image_digest "$image:$VERSION")
[ -n "$digest" ] || fail "there is no $image:$VERSION: image.sh comes first"

cp -R "$ROOT/src/deploy/chart" "$WORK/poundkey"
sed "s|^  repository: .*|  repository: $image|; s|^  digest: \"\"|  digest: $digest|" \
  "$ROOT/src/deploy/chart/values.yaml" > "$WORK/poundkey/values.yaml"
grep -q "^  digest: $digest\$" "$WORK/poundkey/values.yaml" || fail "the chart's values have no place for the digest"
helm package "$WORK/poundkey" --destination "$WORK" > /dev/null

plain=
! is_on_loopback "${chart#oci://}" || plain=--plain-http
# The archive has times, so that its content is compared.
if helm pull "$chart" --version "$VERSION" --untar --untardir "$WORK/there" ${plain:+"$plain"} > /dev/null 2> "$WORK/words"; then
  mkdir "$WORK/own"
  tar -xzf "$WORK/poundkey-$VERSION.tgz" -C "$WORK/own"
  diff -r "$WORK/there" "$WORK/own" > /dev/null || fail "$chart $VERSION is there with other content"
  skip "$chart $VERSION is there with the same content"
elif ! grep -qiE 'not found|unknown|denied' "$WORK/words"; then
  cat "$WORK/words" >&2
  fail "the registry of charts can't be asked"
fi
call helm push "$WORK/poundkey-$VERSION.tgz" "${chart%/*}" ${plain:+"$plain"}
say "chart: $chart $VERSION, with $image@$digest"
