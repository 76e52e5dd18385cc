// The formula and the manual are pushed to a branch: once, forward alone, and never in place of other content of one version.
import { afterEach, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillRelease, listCalls, makeTree, SYSTEMS, type Tree } from "./tree.ts";

const CHANNELS = {
  repository: "https://github.com/acme/pound",
  formula: "acme/tap/poundkey",
  manual: "https://manual.example.com/",
};
/** A binary that writes a manual of one page, as `docs build` does. */
const MANUAL = '#!/bin/sh\n[ "$1 $2" = "docs build" ] && mkdir -p "$3" && echo manual > "$3/index.html"\n';

const trees: Tree[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

/** A release whose repositories at GitHub are folders of the first tree made in a test. */
function makeFilled(version: string, program = MANUAL): Tree {
  const tree = makeTree(version, CHANNELS);
  trees.push(tree);
  fillRelease(tree, version, "poundkey", program);
  const remotes = join(trees[0]?.beside ?? "", "remotes");
  if (trees.length === 1) {
    for (const name of ["homebrew-tap", "pound"]) {
      mkdirSync(join(remotes, name), { recursive: true });
      Bun.spawnSync(["git", "init", "--quiet", "--bare", join(remotes, `${name}.git`)]);
    }
  }
  writeFileSync(
    join(tree.beside, ".gitconfig"),
    `[url "${remotes}/"]\n\tinsteadOf = https://github.com/acme/\n`,
  );
  return tree;
}

const SECRETS = { TAP_TOKEN: "tap-secret", GITHUB_TOKEN: "job-secret" };

/** Returns a file of a branch at the other side, or null. */
function readRemote(name: string, branch: string, path: string): string | null {
  const folder = join(trees[0]?.beside ?? "", "remotes", `${name}.git`);
  const { exitCode, stdout } = Bun.spawnSync(["git", "-C", folder, "show", `${branch}:${path}`]);
  return exitCode === 0 ? stdout.toString() : null;
}

const readFormula = () => readRemote("homebrew-tap", "main", "Formula/poundkey.rb");

test("a formula is pushed as printed, once, and never over another of its version or a newer one", async () => {
  const tree = makeFilled("1.4.0");
  const dry = await tree.run("formula.sh", ["--dry-run"], SECRETS);
  expect([dry.code, dry.err, listCalls(dry.out)]).toEqual([0, "", [expect.stringMatching(/^git .* push /)]]);
  expect(dry.out).not.toContain("secret");
  expect(readFormula()).toBeNull();
  expect(await tree.replay(dry.out)).toMatchObject({ code: 0 });
  expect(readFormula()).toContain('version "1.4.0"');

  const again = await makeFilled("1.4.0").run("formula.sh", [], SECRETS);
  expect([again.code, again.out]).toEqual([0, "skipped: Formula of 1.4.0 is there with the same bytes\n"]);
  const other = await makeFilled("1.4.0", "#!/bin/sh\n# another\n").run("formula.sh", [], SECRETS);
  expect([other.code, other.err]).toEqual([1, "formula.sh: Formula of 1.4.0 is there with other bytes\n"]);
  const older = await makeFilled("1.3.9").run("formula.sh", [], SECRETS);
  expect([older.code, older.out]).toEqual([0, expect.stringContaining("1.4.0 is there, which is newer")]);
  expect(await makeFilled("1.10.0").run("formula.sh", [], SECRETS)).toMatchObject({ code: 0 });
  expect(readFormula()).toContain('version "1.10.0"');
});

test("the formula is one that Ruby reads, with the binary and digest of each system and the user's own places", async () => {
  const tree = makeFilled("1.4.0");
  await tree.run("formula.sh", [], SECRETS);
  const formula = readFormula() ?? "";
  const sums = await Bun.file(join(tree.release, "SHA256SUMS")).text();
  for (const system of SYSTEMS.filter((one) => !one.endsWith("musl"))) {
    const name = `poundkey-1.4.0-${system}`;
    const digest = new RegExp(`^(\\S+) {2}${name}$`, "m").exec(sums)?.[1];
    expect(formula).toContain(
      `url "https://github.com/acme/pound/releases/download/v1.4.0/${name}"\n      sha256 "${digest}"\n`,
    );
  }
  const order = [...formula.matchAll(/on_\w+|poundkey-1\.4\.0-[\w-]+/g)].map(([word]) => word);
  expect(order.join(" ")).toBe(
    "on_macos on_arm poundkey-1.4.0-darwin-arm64 on_intel poundkey-1.4.0-darwin-x64 " +
      "on_linux on_arm poundkey-1.4.0-linux-arm64 on_intel poundkey-1.4.0-linux-x64",
  );
  expect(formula).toContain(
    '      #!/bin/sh\n      POUNDKEY_PLACES=user exec "#{libexec}/poundkey" "$@"\n    SH',
  );
  const ruby = Bun.which("ruby");
  if (ruby === null) return console.log("Ruby isn't installed: it doesn't read the formula.");
  const read = Bun.spawn([ruby, "-c"], { stdin: new Blob([formula]), stdout: "pipe" });
  expect([await read.exited, await new Response(read.stdout).text()]).toEqual([0, "Syntax OK\n"]);
});

test("a manual is written by the released binary, and replaces that of an older version alone", async () => {
  const tree = makeFilled("1.4.0");
  const dry = await tree.run("manual.sh", ["--dry-run"], SECRETS);
  expect([dry.code, dry.err, listCalls(dry.out)]).toEqual([0, "", [expect.stringMatching(/^git .* push /)]]);
  expect(await tree.replay(dry.out)).toMatchObject({ code: 0 });
  const read = (path: string) => readRemote("pound", "gh-pages", path);
  expect([read("index.html"), read("CNAME"), read("version.txt")]).toEqual([
    "manual\n",
    "manual.example.com\n",
    "1.4.0\n",
  ]);
  expect(await makeFilled("1.4.0").run("manual.sh", [], SECRETS)).toMatchObject({
    code: 0,
    out: "skipped: Manual of 1.4.0 is there with the same bytes\n",
  });
  const changed = MANUAL.replace("echo manual", "echo other");
  expect(await makeFilled("1.4.0", changed).run("manual.sh", [], SECRETS)).toMatchObject({
    code: 1,
    err: "manual.sh: Manual of 1.4.0 is there with other bytes\n",
  });
  expect(await makeFilled("1.5.0", changed).run("manual.sh", [], SECRETS)).toMatchObject({ code: 0 });
  expect([read("index.html"), read("version.txt")]).toEqual(["other\n", "1.5.0\n"]);
});
