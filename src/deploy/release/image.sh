#!/bin/sh
# Publishes the image for amd64 and arm64: `image.sh [--dry-run] FOLDER`, with the layers of layer.sh in FOLDER.
#
# The image is written as a folder first, so its digest is known before anything is sent. X.Y and latest only move forward.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

image=$(read_channel image)
[ -n "$image" ] || skip "image: it isn't published"
[ -n "${1:-}" ] || fail "name the folder of the layers: image.sh FOLDER"
check_sums
make_work_folder
layout=$WORK/image
blobs=$layout/blobs/sha256
mkdir -p "$blobs"
printf '{"imageLayoutVersion":"1.0.0"}' > "$layout/oci-layout"

# Prints the media type, digest and size of a file, which becomes a part of the image.
describe() {
  digest=$(digest_of "$2")
  printf '"mediaType":"application/vnd.oci.image.%s","digest":"sha256:%s","size":%s' \
    "$1" "$digest" "$(wc -c < "$2" | tr -d ' ')"
  cp "$2" "$blobs/$digest"
}

# The settings of the image, as ../image/Dockerfile has them.
write_config() {
  cat << END
{"architecture":"$1","os":"linux","config":{"User":"10001:10001","ExposedPorts":{"8080/tcp":{}},\
"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],\
"Entrypoint":["/usr/local/bin/poundkey"],"Cmd":["serve","--host","0.0.0.0"],"Volumes":{"/data":{}},"WorkingDir":"/data",\
"Healthcheck":{"Test":["CMD","/usr/local/bin/poundkey","health"],"Interval":15000000000,"Timeout":5000000000,\
"StartPeriod":7200000000000},\
"Labels":{"org.opencontainers.image.title":"poundkey","org.opencontainers.image.version":"$VERSION",\
"org.opencontainers.image.licenses":"MIT","org.opencontainers.image.source":"$(read_channel repository)"}},\
"rootfs":{"type":"layers","diff_ids":["sha256:$2"]}}
END
}

manifests=
for kind in amd64 arm64; do
  layer=$1/$kind.tar.gz
  [ -e "$layer" ] || fail "there is no $layer"
  system=linux-x64
  [ "$kind" = amd64 ] || system=linux-arm64
  gzip -dc "$layer" > "$WORK/layer.tar"
  tar -xOf "$WORK/layer.tar" ./usr/local/bin/poundkey > "$WORK/poundkey"
  [ "$(digest_of "$WORK/poundkey")" = "$(listed_digest "poundkey-$VERSION-$system")" ] ||
    fail "the binary in $layer isn't the one of SHA256SUMS"
  write_config "$kind" "$(digest_of "$WORK/layer.tar")" > "$WORK/config"
  {
    printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{'
    describe config.v1+json "$WORK/config"
    printf '},"layers":[{'
    describe layer.v1.tar+gzip "$layer"
    printf '}]}'
  } > "$WORK/part"
  part=$(describe manifest.v1+json "$WORK/part")
  manifests="$manifests${manifests:+,}{$part,\"platform\":{\"architecture\":\"$kind\",\"os\":\"linux\"}}"
done
printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[%s]}' "$manifests" > "$WORK/both"
both=$(describe index.v1+json "$WORK/both")
printf '{"schemaVersion":2,"manifests":[{%s,"annotations":{"org.opencontainers.image.ref.name":"%s"}}]}' \
  "$both" "$VERSION" > "$layout/index.json"
own=sha256:$(digest_of "$WORK/both")

verify=true
! is_on_loopback "$image" || verify=false

# Sends the image under a tag.
send() {
  call skopeo copy --all --preserve-digests --dest-tls-verify="$verify" "oci:$layout:$VERSION" "docker://$image:$1"
}

there=$(image_digest "$image:$VERSION")
if [ -z "$there" ]; then
  send "$VERSION"
  say "image: $image:$VERSION, $own"
elif [ "$there" = "$own" ]; then
  say "done: $image:$VERSION is there with the same digest"
else
  fail "$image:$VERSION is there with another digest: $there"
fi
[ -z "${GITHUB_OUTPUT:-}" ] || printf 'name=%s\ndigest=%s\n' "$image" "$own" >> "$GITHUB_OUTPUT"
is_prerelease && exit 0

for tag in "${VERSION%.*}" latest; do
  there=$(image_digest "$image:$tag")
  [ "$there" != "$own" ] || continue
  if [ -n "$there" ]; then
    newest=$(skopeo inspect --config --override-os linux --override-arch amd64 --tls-verify="$verify" "docker://$image:$tag" |
      sed -n 's/.*"org.opencontainers.image.version": *"\([^"]*\)".*/\1/p')
    if [ -z "$newest" ] || ! is_newer "$VERSION" "$newest"; then
      say "$image:$tag stays at ${newest:-an image without a version}"
      continue
    fi
  fi
  send "$tag"
  say "image: $image:$tag"
done
