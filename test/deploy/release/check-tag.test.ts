// A tag is released only if everything that names the version agrees, on the default branch, after green tests.
import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commit, makeTree, type Tree } from "./tree.ts";

const trees: Tree[] = [];
afterAll(() => {
  for (const tree of trees) tree.remove();
});

/** A checkout of 1.4.0. `gh` isn't installed everywhere, and asks a site: this one answers with a conclusion. */
function makeChecked(conclusion = "success"): Tree & { readonly env: Readonly<Record<string, string>> } {
  const tree = makeTree("1.4.0");
  trees.push(tree);
  const bin = join(tree.beside, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "gh"), `#!/bin/sh\necho "$@" >> "$0.asked"\necho ${conclusion}\n`);
  chmodSync(join(bin, "gh"), 0o755);
  return { ...tree, env: { PATH: `${bin}:${process.env.PATH}` } };
}

const git = ({ root }: Tree, ...args: readonly string[]) => {
  const named = ["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args];
  expect([args, Bun.spawnSync(named, { cwd: root }).exitCode]).toEqual([args, 0]);
};

test.concurrent("a right tag passes, after the tests of its very commit were asked for", async () => {
  const tree = makeChecked();
  commit(tree, "v1.4.0");
  const { code, out, err } = await tree.run("check-tag.sh", ["v1.4.0"], tree.env);
  expect([code, out, err]).toEqual([0, "v1.4.0 may be released\n", ""]);
  const [head] = Bun.spawnSync(["git", "rev-parse", "HEAD"], { cwd: tree.root })
    .stdout.toString()
    .split("\n");
  const asked = readFileSync(join(tree.beside, "bin", "gh.asked"), "utf8");
  expect(asked).toContain(`--workflow ci.yml --event push --commit ${head} `);
});

test.concurrent("a dry run says that it didn't ask", async () => {
  const tree = makeChecked("failure");
  commit(tree, "v1.4.0");
  const { code, out } = await tree.run("check-tag.sh", ["--dry-run", "v1.4.0"], tree.env);
  expect([code, out]).toEqual([0, expect.stringMatching(/^would run: gh run list .*\n.*was not asked\n$/)]);
});

interface Wrong {
  readonly what: string;
  readonly tag?: string;
  readonly conclusion?: string;
  readonly before?: (tree: Tree) => void;
  readonly after?: (tree: Tree) => void;
  readonly says: string;
}

const replace = (tree: Tree, path: string, from: string | RegExp, to: string) =>
  tree.write(path, readFileSync(join(tree.root, path), "utf8").replace(from, to));

const WRONG: readonly Wrong[] = [
  { what: "another tag", tag: "v1.4.1", says: "the tag is v1.4.1, and package.json has 1.4.0" },
  {
    what: "another version of the chart",
    before: (tree) => replace(tree, "src/deploy/chart/Chart.yaml", /^version: .*$/m, "version: 1.3.0"),
    says: "the chart's version is 1.3.0",
  },
  {
    what: "another version of the chart's program",
    before: (tree) => replace(tree, "src/deploy/chart/Chart.yaml", /^appVersion: .*$/m, "appVersion: 1.3.0"),
    says: "the chart's appVersion is 1.3.0",
  },
  {
    what: "a changelog without its section",
    before: (tree) => replace(tree, "CHANGELOG.md", "## 1.4.0 (28 November 2026)", "## Later"),
    says: "the changelog's newest dated section is 0.9.0",
  },
  {
    what: "a change that isn't committed",
    after: (tree) => tree.write("package-lock.json", "{}"),
    says: "the checkout has changes",
  },
  {
    what: "a tag at another commit",
    after: (tree) => {
      git(tree, "commit", "--quiet", "--allow-empty", "--message", "More");
      git(tree, "update-ref", "refs/remotes/origin/main", "HEAD");
    },
    says: "the tag is at another commit",
  },
  {
    what: "a commit that isn't on the default branch",
    after: (tree) => {
      git(tree, "commit", "--quiet", "--allow-empty", "--message", "Aside");
      git(tree, "tag", "--force", "v1.4.0");
    },
    says: "the commit isn't on origin/main",
  },
  { what: "red tests", conclusion: "failure", says: "have not passed: failure" },
  { what: "no tests", conclusion: "", says: "have not passed: they did not run" },
];

test.concurrent.each(WRONG.map((row) => [row.what, row] as const))("%s is refused", async (_, row) => {
  const tree = makeChecked(row.conclusion);
  row.before?.(tree);
  commit(tree, "v1.4.0");
  row.after?.(tree);
  const { code, err } = await tree.run("check-tag.sh", [row.tag ?? "v1.4.0"], tree.env);
  expect([code, err]).toEqual([1, expect.stringContaining(row.says)]);
});
