#!/bin/sh
# Lays out the files of the image in a new folder: in `system` the binary, the libraries that it loads, certificates and the
# user, in `own` the folder for its data, which the image gives to the user.
#
#   rootfs.sh BINARY FOLDER
#
# Needs a Linux like the image's: Debian 12 or newer, with ca-certificates.
set -eu
binary=$1
if [ -e "$2" ]; then
  echo "$2 exists already: name a new folder" >&2
  exit 1
fi
root=$2/system
install -D -m 755 "$binary" "$root/usr/local/bin/poundkey"
ldd "$binary" | grep -o '/[^ ]*' | while read -r library; do
  install -D -m 755 "$library" "$root$library"
done
[ -e "$root/lib64/ld-linux-x86-64.so.2" ] || [ -e "$root/lib/ld-linux-aarch64.so.1" ] || {
  echo "ldd found no libraries of $binary" >&2
  exit 1
}
install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
echo 'poundkey:x:10001:10001::/data:/sbin/nologin' > "$root/etc/passwd"
echo 'poundkey:x:10001:' > "$root/etc/group"
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
install -d -m 1777 "$root/tmp"
install -d -m 700 "$2/own/data"
# The bill of materials, if the build has left one beside the binary.
bill=$(dirname "$binary")/poundkey.cdx.json
[ ! -e "$bill" ] || install -D -m 644 "$bill" "$root/usr/local/share/poundkey/poundkey.cdx.json"
