// `poundkey setup` that ends anywhere: each file is the old one or the new one, and --undo brings back every byte.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { DISK, type Disk } from "../../../src/cli/setup/disk.ts";
import { holdFile } from "../../../src/store/sqlite/node-lock.ts";
import { sampleRows } from "../../harness/long.ts";
import { type Home, makeHome, nameAgents, OWN_FILES, runSetup, URL } from "./setup-world.ts";

const AGENTS = nameAgents(["claude-code", "codex", "opencode", "gemini-cli", "qwen-code", "aider", "cline"]);
const OTHER = "https://llm.example.com";

class Killed extends Error {}

const expectKilled = (error: unknown) => expect(error).toBeInstanceOf(Killed);

/** Does `count` things, then half of the next one, and nothing any more. */
function makeKilledDisk(count: number): Disk & { readonly done: () => number } {
  let done = 0;
  const take =
    <Words extends readonly unknown[]>(act: (...words: Words) => void, half?: (...words: Words) => void) =>
    (...words: Words) => {
      if (done >= count) {
        if (done === count) half?.(...words);
        done++;
        throw new Killed();
      }
      done++;
      act(...words);
    };
  return {
    makeFolder: take(DISK.makeFolder),
    create: take(DISK.create, (path, bytes, mode) =>
      writeFileSync(path, bytes.slice(0, bytes.length / 2), { mode }),
    ),
    rename: take(DISK.rename),
    remove: take(DISK.remove),
    removeFolder: take(DISK.removeFolder),
    done: () => done,
  };
}

type Step = (home: Home, disk: Disk) => Promise<unknown>;
const connect =
  (url: string): Step =>
  (home, disk) =>
    runSetup({ home, disk }, url, ...AGENTS, "--yes");
const undo: Step = (home, disk) => runSetup({ home, disk }, "--undo");

const RUNS: readonly (readonly [name: string, before: readonly Step[], killed: Step])[] = [
  ["a first run", [], connect(URL)],
  ["a run for another gateway", [connect(URL)], connect(OTHER)],
  ["an undo", [connect(URL)], undo],
];

function makeOwnHome() {
  const home = makeHome();
  for (const [path, text] of Object.entries(OWN_FILES)) home.write(path, text);
  return home;
}

/** A file that a killed run had begun goes with the next run, or with --undo. */
const pickFiles = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith(".poundkey-next")));

for (const [name, before, killed] of RUNS)
  test(`killed anywhere in ${name}, no file is half written, and --undo brings back every byte`, async () => {
    using whole = makeOwnHome();
    for (const step of before) await step(whole, DISK);
    const counting = makeKilledDisk(Number.POSITIVE_INFINITY);
    await killed(whole, counting);
    const next = whole.list();
    const steps = sampleRows(
      Array.from({ length: counting.done() }, (_, at) => at),
      5,
      counting.done(),
    );
    expect(counting.done()).toBeGreaterThan(20);
    for (const at of steps) {
      using home = makeOwnHome();
      const former = home.list();
      for (const step of before) await step(home, DISK);
      const old = home.list();
      await killed(home, makeKilledDisk(at)).catch(expectKilled);
      const now = pickFiles(home.list());
      const normal = (text: string | undefined) => text?.replaceAll(whole.path, home.path);
      for (const path of new Set([...Object.keys(old), ...Object.keys(now), ...Object.keys(next)]))
        expect([at, path, [old[path], normal(next[path])].includes(now[path])]).toEqual([at, path, true]);
      const undone = await runSetup({ home }, "--undo");
      expect([at, undone.code, undone.err]).toEqual([at, 0, ""]);
      expect([at, home.list()]).toEqual([at, former]);
    }
  });

test("one runs at a time, and a lock that a dead process left behind is free", async () => {
  using home = makeOwnHome();
  await connect(URL)(home, DISK);
  const release = holdFile(home.at(".config/poundkey/setup.lock"));
  const written = home.list();
  const second = await runSetup({ home }, OTHER, "--agent", "codex", "--yes");
  expect([second.code, second.err]).toEqual([
    1,
    expect.stringContaining("another poundkey setup is running"),
  ]);
  expect(home.list()).toEqual(written);
  release?.();
  expect((await runSetup({ home }, "--undo")).code).toBe(0);
});
