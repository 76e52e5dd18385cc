#!/bin/sh
# Publishes the Homebrew formula in its tap: `formula.sh [--dry-run]`. TAP_TOKEN may write there.
# shellcheck source=functions.sh source-path=SCRIPTDIR
. "$(dirname "$0")/functions.sh"

formula=$(read_channel formula)
[ -n "$formula" ] || skip "formula: it isn't published"
repository=$(read_channel repository)
[ -n "$repository" ] || skip "formula: the binaries that it would name aren't published"
[ -n "${TAP_TOKEN:-}" ] || skip "formula: TAP_TOKEN isn't set"
! is_prerelease || skip "formula: $VERSION is a pre-release"
check_sums
for system in darwin-arm64 darwin-x64 linux-arm64 linux-x64; do
  listed_digest "poundkey-$VERSION-$system" > /dev/null
done
make_work_folder

owner=${formula%%/*}
tap=${formula#*/}
tap=${tap%%/*}
sign_in_git "$TAP_TOKEN"
unset TAP_TOKEN
check_out "https://github.com/$owner/homebrew-$tap.git" main
file=$WORK/checkout/Formula/${formula##*/}.rb
mkdir -p "$WORK/checkout/Formula"
before=
[ ! -e "$file" ] || before=$(sed -n 's/^  version "\(.*\)"$/\1/p' "$file")

# The address and digest of the binary for one system.
write_source() {
  name=poundkey-$VERSION-$1
  cat << END
      url "$repository/releases/download/v$VERSION/$name"
      sha256 "$(listed_digest "$name")"
END
}

cat > "$file" << END
# The formula of Poundkey $VERSION, written by its release.
class Poundkey < Formula
  desc "One address, one key, every model: a gateway to language models"
  homepage "$repository"
  version "$VERSION"
  license "MIT"

  on_macos do
    on_arm do
$(write_source darwin-arm64)
    end
    on_intel do
$(write_source darwin-x64)
    end
  end

  on_linux do
    on_arm do
$(write_source linux-arm64)
    end
    on_intel do
$(write_source linux-x64)
    end
  end

  def install
    libexec.install Dir["poundkey-*"].first => "poundkey"
    chmod 0755, libexec/"poundkey"
    (bin/"poundkey").write <<~SH
      #!/bin/sh
      POUNDKEY_PLACES=user exec "#{libexec}/poundkey" "\$@"
    SH
    chmod 0755, bin/"poundkey"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/poundkey --version")
  end
end
END
push_checkout "Formula of $VERSION" main "$before"
