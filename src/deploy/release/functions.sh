# Functions that the scripts of a release share. Each of them reads this file first.
# shellcheck shell=sh disable=SC2034
set -eu

ROOT=$(cd "$(dirname "$0")/../../.." && pwd)
# The folder with the files of the release.
RELEASE=${RELEASE:-$ROOT/dist/release}
VERSION=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$ROOT/package.json")

# --dry-run may stand anywhere.
DRY_RUN=
for word in "$@"; do
  shift
  case $word in
    --dry-run) DRY_RUN=yes ;;
    *) set -- "$@" "$word" ;;
  esac
done

# What is said stands in the workflow's summary too.
say() {
  printf '%s\n' "$*"
  [ -z "${GITHUB_STEP_SUMMARY:-}" ] || printf -- '- %s\n' "$*" >> "$GITHUB_STEP_SUMMARY"
}

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

skip() {
  say "skipped: $*"
  exit 0
}

# The address of a channel, or nothing if it isn't published.
read_channel() {
  sed -n "s/^$1: *//p" "$ROOT/src/deploy/channels.yaml" | sed 's/ *#.*$//; s/^"\(.*\)"$/\1/; s/^null$//'
}

quote() {
  case $1 in
    '' | *[!A-Za-z0-9_./:=@%+,-]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s' "$1" ;;
  esac
}

# Runs the command, or prints it as a line for a shell.
call() {
  if [ -z "$DRY_RUN" ]; then
    "$@"
    return
  fi
  printf 'would run:'
  for word in "$@"; do
    printf ' %s' "$(quote "$word")"
  done
  printf '\n'
}

# Makes $WORK, a folder that goes at the end. With --dry-run it stays, since the printed command may name it.
make_work_folder() {
  WORK=$(mktemp -d)
  [ -n "$DRY_RUN" ] || trap 'rm -rf "$WORK"' EXIT
  trap 'exit 1' HUP INT TERM
}

digest_of() {
  sha256sum < "$1" | cut -d ' ' -f 1
}

# The digest that SHA256SUMS has for a file.
listed_digest() {
  awk -v name="$1" '$2 == name { print $1; found = 1 } END { exit !found }' "$RELEASE/SHA256SUMS" ||
    fail "SHA256SUMS has no $1"
}

# Fails unless the folder's files are those of SHA256SUMS.
check_sums() {
  [ -s "$RELEASE/SHA256SUMS" ] || fail "there is no SHA256SUMS in $RELEASE"
  (cd "$RELEASE" && sha256sum --check --strict --quiet SHA256SUMS) ||
    fail "the files in $RELEASE aren't those of SHA256SUMS"
}

is_prerelease() {
  case $VERSION in
    *-*) return 0 ;;
    *) return 1 ;;
  esac
}

# True if the first version comes after the second.
is_newer() {
  [ "$1" != "$2" ] || return 1
  # So that 1.0.0-rc.1 comes before 1.0.0.
  newest=$(printf '%s\n%s\n' "$1" "$2" | sed 's/-/~/' | sort -V | tail -n 1)
  [ "$newest" = "$(printf '%s' "$1" | sed 's/-/~/')" ]
}

# Prints the changelog's section of this version.
print_changes() {
  awk -v version="$VERSION" '
    /^## / { inside = $2 == version; next }
    /^<!--/ { next }
    inside
  ' "$ROOT/CHANGELOG.md"
}

# Writes the notes of the release into a file.
write_notes() {
  print_changes > "$1"
  [ -e "$RELEASE/SHA256SUMS.sig" ] || printf '\nSHA256SUMS is not signed.\n' >> "$1"
}

# The digest of a file of the release as it is published, or nothing if it isn't there.
published_digest() {
  if gh release download "v$VERSION" --pattern "$1" --output - > "$WORK/published" 2> "$WORK/words"; then
    digest_of "$WORK/published"
  elif ! grep -qiE 'not found|no assets' "$WORK/words"; then
    cat "$WORK/words" >&2
    fail "the release can't be asked"
  fi
}

# Registries on this machine speak plain HTTP.
is_on_loopback() {
  case $1 in
    127.0.0.1:* | localhost:*) return 0 ;;
    *) return 1 ;;
  esac
}

# The digest of an image's manifest in its registry, or nothing if it isn't there. GHCR denies what it doesn't have.
image_digest() {
  verify=true
  ! is_on_loopback "$1" || verify=false
  if skopeo inspect --raw --tls-verify="$verify" "docker://$1" > "$WORK/manifest" 2> "$WORK/words"; then
    printf 'sha256:%s' "$(digest_of "$WORK/manifest")"
  elif ! grep -qiE 'manifest unknown|name unknown|not found|denied' "$WORK/words"; then
    cat "$WORK/words" >&2
    fail "the registry of images can't be asked"
  fi
}

# Lets git sign in at GitHub with a token, which is in the environment and so on no command line.
sign_in_git() {
  GIT_CONFIG_COUNT=1
  GIT_CONFIG_KEY_0=http.https://github.com/.extraheader
  GIT_CONFIG_VALUE_0="AUTHORIZATION: basic $(printf 'x-access-token:%s' "$1" | openssl base64 -A)"
  export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0
}

# Checks out a branch of a repository into $WORK/checkout, or begins it.
check_out() {
  git init --quiet --initial-branch "$2" "$WORK/checkout"
  git -C "$WORK/checkout" remote add origin "$1"
  heads=$(git ls-remote --heads "$1" "$2") || fail "$1 can't be asked"
  if [ -n "$heads" ]; then
    git -C "$WORK/checkout" fetch --quiet --depth 1 origin "$2"
    git -C "$WORK/checkout" reset --quiet --hard FETCH_HEAD
  fi
}

# Pushes what has changed in $WORK/checkout. It may only have replaced an older version, which is named here, if any.
push_checkout() {
  git -C "$WORK/checkout" add --all
  if git -C "$WORK/checkout" diff --cached --quiet; then
    skip "$1 is there with the same bytes"
  fi
  [ "$3" != "$VERSION" ] || fail "$1 is there with other bytes"
  [ -z "$3" ] || is_newer "$VERSION" "$3" || skip "$1: $3 is there, which is newer"
  git -C "$WORK/checkout" -c user.name=poundkey -c user.email=poundkey@users.noreply.github.com \
    commit --quiet --message "$1"
  call git -C "$WORK/checkout" push --quiet origin "HEAD:$2"
  say "$1 is published"
}
