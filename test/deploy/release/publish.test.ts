// A release is drafted, signed and made public as the scripts say, each step once; what isn't published is skipped, and said.
//
// `gh` isn't installed everywhere, and asks a site. Here a program in its place keeps the release's files in a folder.
import { afterEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fillRelease, listCalls, makeTree, type Tree } from "./tree.ts";

const GH = `#!/bin/sh
set -eu
cd "$(dirname "$0")"
echo "$@" >> calls
case "$1 $2" in
  "release download") [ -d files ] || { echo 'release not found' >&2; exit 1; }
    [ -e "files/$5" ] || { echo 'no assets match the file pattern' >&2; exit 1; }
    cat "files/$5" ;;
  "release create") mkdir files
    while [ "$#" -gt 0 ]; do case $1 in --notes-file) cp "$2" notes; shift ;; /*) cp "$1" files/ ;; esac; shift; done
    echo true > draft ;;
  "release upload") shift 3; cp "$@" files/ ;;
  "release view") cat draft ;;
  "release list") cat tags 2> /dev/null || true ;;
  "release edit") echo false > draft
    while [ "$#" -gt 0 ]; do case $1 in --notes-file) cp "$2" notes ;; esac; shift; done ;;
esac
`;

const trees: Tree[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

interface Site extends Tree {
  readonly at: string;
  readonly env: Readonly<Record<string, string>>;
  readonly summary: string;
}

function makeSite(version = "1.4.0", channels: Readonly<Record<string, string>> = {}): Site {
  const tree = makeTree(version, channels);
  trees.push(tree);
  fillRelease(tree, version, "poundkey");
  const at = join(tree.beside, "bin");
  mkdirSync(at);
  writeFileSync(join(at, "gh"), GH);
  chmodSync(join(at, "gh"), 0o755);
  const summary = join(tree.beside, "summary");
  return { ...tree, at, summary, env: { PATH: `${at}:${process.env.PATH}`, GITHUB_STEP_SUMMARY: summary } };
}

const readAt = ({ at }: Site, name: string) => readFileSync(join(at, name), "utf8");

function makeKey(folder: string): string {
  const file = join(folder, "release.key");
  Bun.spawnSync(["openssl", "genpkey", "-algorithm", "ed25519", "-out", file]);
  return readFileSync(file, "utf8");
}

test("a release is drafted with all files and the changelog's section, signed, and made public", async () => {
  const site = makeSite();
  const dry = await site.run("draft.sh", ["--dry-run"], site.env);
  expect([dry.code, existsSync(join(site.at, "files"))]).toEqual([0, false]);
  expect(await site.replay(dry.out, site.env)).toMatchObject({ code: 0 });
  expect(readdirSync(join(site.at, "files")).toSorted()).toEqual(readdirSync(site.release).toSorted());
  expect(readAt(site, "notes")).toBe("\n- Now.\n\n\nSHA256SUMS is not signed.\n");

  const pem = makeKey(site.beside);
  const left = () => readdirSync(site.beside).filter((name) => name.startsWith("tmp."));
  const before = left();
  const signed = await site.run("sign.sh", [], { ...site.env, POUNDKEY_SIGNING_KEY: pem });
  expect([signed.code, signed.out]).toEqual([0, "SHA256SUMS is signed\n"]);
  expect(left()).toEqual(before);
  const check = ["openssl", "pkeyutl", "-verify", "-inkey", join(site.beside, "release.key"), "-rawin"];
  const sums = join(site.at, "files", "SHA256SUMS");
  expect(Bun.spawnSync([...check, "-in", sums, "-sigfile", `${sums}.sig`]).exitCode).toBe(0);
  const again = await site.run("sign.sh", [], {
    ...site.env,
    POUNDKEY_SIGNING_KEY: join(site.beside, "release.key"),
  });
  expect(again.out).toBe("skipped: the release v1.4.0 is signed already\n");

  expect(await site.run("publish.sh", [], site.env)).toMatchObject({
    code: 0,
    out: "the release v1.4.0 is public\n",
  });
  expect([readAt(site, "draft"), readAt(site, "notes")]).toEqual(["false\n", "\n- Now.\n\n"]);
  expect(readAt(site, "calls")).toContain("release edit v1.4.0 --draft=false --latest=true");
  expect((await site.run("publish.sh", [], site.env)).out).toContain("is public already");
  expect((await site.run("draft.sh", [], site.env)).out).toContain("is there with the same files");
  expect(readFileSync(site.summary, "utf8")).toContain("- the release v1.4.0 is public\n");
});

test("without a key the release goes on, and its notes say that it isn't signed", async () => {
  const site = makeSite();
  await site.run("draft.sh", [], site.env);
  expect(await site.run("sign.sh", [], site.env)).toMatchObject({
    code: 0,
    out: expect.stringContaining("not signed"),
  });
  await site.run("publish.sh", [], site.env);
  expect(readAt(site, "notes")).toContain("SHA256SUMS is not signed.");
});

test("a key of another kind, or another than the announced one, signs nothing", async () => {
  const site = makeSite();
  const another = join(site.beside, "another.key");
  Bun.spawnSync(["openssl", "genpkey", "-algorithm", "ed448", "-out", another]);
  const other = await site.run("sign.sh", [], { ...site.env, POUNDKEY_SIGNING_KEY: another });
  expect([other.code, other.err]).toEqual([1, "sign.sh: the key isn't an Ed25519 key\n"]);
  const pem = makeKey(site.beside);
  const rows = "signing_key: |\n  -----BEGIN PUBLIC KEY-----\n  MCow\n  -----END PUBLIC KEY-----\n";
  site.write("src/deploy/channels.yaml", rows);
  const unknown = await site.run("sign.sh", [], { ...site.env, POUNDKEY_SIGNING_KEY: pem });
  expect([unknown.code, unknown.err]).toEqual([
    1,
    expect.stringContaining("isn't the one whose public half"),
  ]);
  expect(unknown.out + unknown.err).not.toContain(pem.split("\n")[1] ?? "");
  expect(existsSync(join(site.release, "SHA256SUMS.sig"))).toBe(false);
});

test("a release with other files is neither drafted again, signed over, nor made public", async () => {
  const site = makeSite();
  await site.run("draft.sh", [], site.env);
  await site.run("sign.sh", [], { ...site.env, POUNDKEY_SIGNING_KEY: makeKey(site.beside) });
  fillRelease(site, "1.4.0", "poundkey", "#!/bin/sh\n# another\n");
  const calls = readAt(site, "calls").match(/release (create|upload|edit)/g);
  for (const [script, says] of [
    ["draft.sh", "is there with other files"],
    ["sign.sh", "has another SHA256SUMS.sig"],
    ["publish.sh", "is there with other files"],
  ] as const) {
    const key = join(site.beside, "release.key");
    const { code, err } = await site.run(script, [], { ...site.env, POUNDKEY_SIGNING_KEY: key });
    expect([script, code, err]).toEqual([script, 1, expect.stringContaining(says)]);
  }
  expect(readAt(site, "calls").match(/release (create|upload|edit)/g)).toEqual(calls);
});

test("a pre-release and an older line aren't the latest release", async () => {
  for (const [version, tags] of [
    ["1.5.0-rc.1", "v1.4.0"],
    ["1.3.9", "v1.3.8\nv1.10.0"],
  ] as const) {
    const site = makeSite(version);
    await site.run("draft.sh", [], site.env);
    writeFileSync(join(site.at, "tags"), `${tags}\n`);
    const { out } = await site.run("publish.sh", ["--dry-run"], site.env);
    expect(listCalls(out)).toEqual([expect.stringContaining("--latest=false")]);
    expect(readAt(site, "calls").includes("--prerelease")).toBe(version.includes("-"));
  }
});

const CHANNELS = {
  repository: "https://github.com/acme/pound",
  npm: "poundkey",
  image: "127.0.0.1:9/acme/pound",
  chart: "oci://127.0.0.1:9/acme/charts/poundkey",
  formula: "acme/tap/poundkey",
  manual: "https://acme.github.io/pound",
};
const SENDING = ["npm.sh", "image.sh", "chart.sh", "formula.sh", "manual.sh"];

test("a pre-release reaches neither the tap nor the manual", async () => {
  const site = makeSite("1.5.0-rc.1", CHANNELS);
  for (const script of ["formula.sh", "manual.sh"]) {
    const { out } = await site.run(script, [], { ...site.env, TAP_TOKEN: "any", GITHUB_TOKEN: "any" });
    expect(out).toMatch(/^skipped: .* 1\.5\.0-rc\.1 is a pre-release\n$/);
  }
});

test("a channel that isn't published is skipped, and the summary says so", async () => {
  const site = makeSite();
  for (const script of SENDING)
    expect(
      await site.run(script, [site.beside], { ...site.env, TAP_TOKEN: "any", GITHUB_TOKEN: "any" }),
    ).toEqual({
      code: 0,
      out: expect.stringMatching(/^skipped: .* published.*\n$/),
      err: "",
    });
  expect(readFileSync(site.summary, "utf8").match(/^- skipped: /gm)).toHaveLength(SENDING.length);
  const named = makeSite("1.4.0", CHANNELS);
  for (const [script, secret] of Object.entries({ "formula.sh": "TAP_TOKEN", "manual.sh": "GITHUB_TOKEN" }))
    expect((await named.run(script, [], named.env)).out).toMatch(
      new RegExp(`^skipped: .* ${secret} isn't set\n$`),
    );
});

test("the formula and the manual each need their channel and the repository", async () => {
  for (const [script, own] of [
    ["formula.sh", "formula"],
    ["manual.sh", "manual"],
  ] as const) {
    for (const lacking of [own, "repository"]) {
      const site = makeSite("1.4.0", { ...CHANNELS, [lacking]: "" });
      const { code, out } = await site.run(script, [], {
        ...site.env,
        TAP_TOKEN: "any",
        GITHUB_TOKEN: "any",
      });
      expect([script, lacking, code, out]).toEqual([
        script,
        lacking,
        0,
        expect.stringMatching(/^skipped: .*n't published\n$/),
      ]);
    }
  }
});

test("a site that doesn't answer as expected ends a script, whatever it would have done", async () => {
  const site = makeSite("1.4.0", CHANNELS);
  const early = await site.run("publish.sh", [], site.env);
  expect([early.code, early.err]).toEqual([1, expect.stringContaining("there is no release v1.4.0")]);
  writeFileSync(join(site.at, "gh"), "#!/bin/sh\necho 'connection refused' >&2\nexit 1\n");
  for (const script of ["draft.sh", "sign.sh", "publish.sh"]) {
    const { code, err } = await site.run(script, [], {
      ...site.env,
      POUNDKEY_SIGNING_KEY: makeKey(site.beside),
    });
    expect([script, code, err]).toEqual([
      script,
      1,
      expect.stringMatching(/refused\n.*the release can't be asked\n$/),
    ]);
  }
  writeFileSync(
    join(site.beside, ".gitconfig"),
    `[url "${site.beside}/none/"]\n\tinsteadOf = https://github.com/\n`,
  );
  const tap = await site.run("formula.sh", [], { ...site.env, TAP_TOKEN: "any" });
  expect([tap.code, tap.err]).toEqual([1, expect.stringContaining("homebrew-tap.git can't be asked")]);
});

test("a formula needs the digest of each binary that it names", async () => {
  const site = makeSite("1.4.0", CHANNELS);
  const sums = join(site.release, "SHA256SUMS");
  writeFileSync(sums, readFileSync(sums, "utf8").replace(/^.*darwin-x64\n/m, ""));
  const { code, err } = await site.run("formula.sh", [], { ...site.env, TAP_TOKEN: "any" });
  expect([code, err]).toEqual([1, "formula.sh: SHA256SUMS has no poundkey-1.4.0-darwin-x64\n"]);
});

test("nothing is sent of files that aren't those of SHA256SUMS", async () => {
  const site = makeSite("1.4.0", CHANNELS);
  writeFileSync(join(site.release, "poundkey-1.4.0-linux-x64"), "changed since");
  const env = { ...site.env, TAP_TOKEN: "any", GITHUB_TOKEN: "any", POUNDKEY_SIGNING_KEY: "any" };
  const scripts = [...SENDING, "draft.sh", "sign.sh", "publish.sh", "layer.sh"];
  const ends = await Promise.all(scripts.map((script) => site.run(script, [site.beside], env)));
  for (const [at, { code, err }] of ends.entries())
    expect([scripts[at], code, err]).toEqual([
      scripts[at],
      1,
      expect.stringContaining("aren't those of SHA256SUMS"),
    ]);
  rmSync(join(site.release, "SHA256SUMS"));
  expect((await site.run("npm.sh", [], env)).err).toContain("there is no SHA256SUMS");
});

test("SHA256SUMS is written over the binaries, their bills and the package", async () => {
  const site = makeSite();
  const before = readFileSync(join(site.release, "SHA256SUMS"), "utf8");
  const tarball = join(site.root, "dist", "poundkey-1.4.0.tgz");
  writeFileSync(tarball, readFileSync(join(site.release, "poundkey-1.4.0.tgz")));
  rmSync(join(site.release, "poundkey-1.4.0.tgz"));
  rmSync(join(site.release, "SHA256SUMS"));
  writeFileSync(join(site.release, "SHA256SUMS.sig"), "of the list before");
  expect(await site.run("sums.sh")).toMatchObject({ code: 0, out: "SHA256SUMS has 13 files\n" });
  const after = readFileSync(join(site.release, "SHA256SUMS"), "utf8");
  expect(after.split("\n").toSorted()).toEqual(before.split("\n").toSorted());
  expect(existsSync(join(site.release, "SHA256SUMS.sig"))).toBe(false);
});

test("each script is one that can be run, and the functions aren't", () => {
  const folder = join(import.meta.dir, "../../../src/deploy/release");
  for (const name of readdirSync(folder))
    expect([name, statSync(join(folder, name)).mode & 0o100]).toEqual([
      name,
      name === "functions.sh" ? 0 : 0o100,
    ]);
});
