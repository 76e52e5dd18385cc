// A change differs from the main line's commit, or from the digests of the last green run.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readGraph } from "../runner/graph.ts";
import { keepGreen, readChange } from "./change.ts";
import { FLAKY_FILE } from "./flaky.ts";
import { chooseMeasured, chooseNear } from "./gate.ts";
import { makeReach } from "./second-try.ts";

const ROW = { file: "test/a.test.ts", title: "holds", cause: "a timer", since: "2026-11-28" };

let root = "";
let cache = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "poundkey-change-"));
  cache = mkdtempSync(join(tmpdir(), "poundkey-kept-"));
  write("src/a.ts", 'import "./b.ts";');
  write("src/b.ts", "");
  write("src/c.ts", "");
  write("test/a.test.ts", 'import "../src/a.ts";');
  write("test/b.test.ts", 'import "../src/b.ts";');
  write("test/c.test.ts", 'import "../src/c.ts";');
  write(FLAKY_FILE, "[]");
});
afterEach(() => {
  for (const folder of [root, cache]) rmSync(folder, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function git(...words: readonly string[]): void {
  gitAt(undefined, ...words);
}

function gitAt(date: string | undefined, ...words: readonly string[]): void {
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
  const { success, stderr } = Bun.spawnSync(["git", ...author, "-C", root, ...words], {
    env: { ...process.env, GIT_COMMITTER_DATE: date },
  });
  if (!success) throw new Error(stderr.toString());
}

function commit(date?: string): void {
  git("add", "-A");
  gitAt(date, "commit", "-qm", "a step");
}

test.skipIf(!Bun.which("git"))(
  "on a branch it is all that differs from the main line, committed or not",
  async () => {
    git("init", "-q");
    commit();
    git("checkout", "-qb", "work");
    write("src/b.ts", "// changed");
    commit();
    write("src/c.ts", "// changed");
    write("src/new.ts", "");
    write(FLAKY_FILE, JSON.stringify([ROW]));
    const change = await readChange(root, cache);
    expect(change.since).toStartWith("main at ");
    expect(change.files?.toSorted()).toEqual(["src/b.ts", "src/c.ts", "src/new.ts", FLAKY_FILE].toSorted());
    expect(change.rows).toEqual([]);
    expect(change.push).toEqual({ base: String(change.base), count: 1, files: change.files ?? [] });
  },
);

test.skipIf(!Bun.which("git"))("on the main line it is its last commit", async () => {
  git("init", "-q");
  commit();
  write("src/b.ts", "// changed");
  commit();
  expect((await readChange(root, cache)).files).toEqual(["src/b.ts"]);
});

test.skipIf(!Bun.which("git"))(
  "a push to the main line may have brought its last hours' commits",
  async () => {
    git("init", "-q");
    commit("2026-11-28T08:00:00Z");
    write("src/a.ts", "// before");
    commit("2026-11-28T09:00:00Z");
    write("src/b.ts", "// changed");
    commit("2026-11-28T13:00:00Z");
    write("src/c.ts", "// changed");
    commit("2026-11-28T14:00:00Z");
    const { files, push } = await readChange(root, cache);
    expect(files).toEqual(["src/c.ts"]);
    expect(push).toMatchObject({ count: 2, files: ["src/b.ts", "src/c.ts"] });
  },
);

test("without a main line it is what differs from the last green run", async () => {
  expect(await readChange(root, cache)).toMatchObject({ files: null, rows: null });
  await keepGreen(root, cache, new Date("2026-11-28"));
  write("src/b.ts", "// changed");
  write("src/new.ts", "");
  rmSync(join(root, "src/c.ts"));
  const change = await readChange(root, cache);
  expect(change).toEqual({
    since: "the last green run, at 2026-11-28T00:00:00.000Z",
    base: null,
    push: null,
    files: ["src/b.ts", "src/c.ts", "src/new.ts"],
    rows: [],
  });
});

test("the tests nearest to a change come first, and those beyond the time are left", async () => {
  const graph = await readGraph(root);
  const change = { files: ["src/b.ts"] };
  const mayRun = () => true;
  expect(chooseNear(change, graph, { mayRun, costOf: () => 1 })).toEqual({
    files: ["test/b.test.ts", "test/a.test.ts"],
    left: 0,
  });
  expect(chooseNear(change, graph, { mayRun, costOf: () => 9 })).toEqual({
    files: ["test/b.test.ts"],
    left: 1,
  });
});

test("the files that a change touches, and those of which it keeps another cost, are measured while there is time", () => {
  const files = ["test/a.test.ts", "test/b.test.ts", "test/c.test.ts", "test/d.test.ts"];
  const kept = new Map([
    ["test/a.test.ts", 30],
    ["test/b.test.ts", 1],
    ["test/c.test.ts", 10],
  ]);
  const before = new Map(kept).set("test/c.test.ts", 40);
  const change = { files: ["src/b.ts", "test/a.test.ts", "test/d.test.ts"] };
  expect(chooseMeasured(change, kept, before, files)).toEqual(["test/d.test.ts", "test/c.test.ts"]);
  expect(chooseMeasured(change, kept, null, files)).toEqual(["test/d.test.ts", "test/a.test.ts"]);
});

test("a change reaches the tests that import it, and all where nobody knows who reads it", async () => {
  const graph = await readGraph(root);
  const listReached = (files: readonly string[] | null) => graph.tests.filter(makeReach({ files }, graph));
  expect(listReached(["src/b.ts"])).toEqual(["test/a.test.ts", "test/b.test.ts"]);
  expect(listReached(["test/c.test.ts"])).toEqual(["test/c.test.ts"]);
  expect(listReached(["README.md", "src/docs/keys.md", FLAKY_FILE])).toEqual([]);
  expect(listReached(["package.json"])).toEqual([...graph.tests]);
  expect(listReached(null)).toEqual([...graph.tests]);
});
