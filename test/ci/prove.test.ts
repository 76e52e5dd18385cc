// New rows that prove themselves: which files a change touches, how often they run within a minute, and on how slow a machine.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../whole/world/until.ts";
import { findBase, listChanged, listTitles } from "./prove-changes.ts";
import { planRuns } from "./prove-plan.ts";
import { runSlowly } from "./prove-slowly.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-prove-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("titles are those of tests, groups and rows of tables", () => {
  const text = `
describe("a group", () => {
  test("one holds", () => {});
  test.concurrent(
    "another holds",
  );
  test.each([
    ["a row", 1],
    [\`another \\\`row\\\`\`, 2],
  ])("%s", () => expect(text.includes("no title")).toBe(true));
});`;
  expect(listTitles(text).toSorted()).toEqual(
    ["a group", "a row", "another \\`row\\`", "another holds", "one holds"].toSorted(),
  );
});

test.skipIf(Bun.which("git") === null)(
  "a change touches test files that differ from main, those with new titles first",
  () => {
    const git = (...args: readonly string[]) => {
      const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
      expect(Bun.spawnSync(["git", ...identity, ...args], { cwd: folder }).exitCode).toBe(0);
    };
    const write = (name: string, text: string) => writeFileSync(join(folder, "test", name), text);
    mkdirSync(join(folder, "test"));
    git("init", "-q", "-b", "main");
    for (const name of ["a", "b", "c", "d"]) write(`${name}.test.ts`, `test("${name} holds", () => {});\n`);
    write("helper.ts", "");
    git("add", ".");
    expect(findBase(folder)).toBeNull();
    git("commit", "-qm", "Begin");
    git("checkout", "-qb", "work");
    write("a.test.ts", `test("a holds", () => { expect(1).toBe(1); });\n`);
    write("b.test.ts", `test("b holds", () => {});\ntest("b holds twice", () => {});\n`);
    write("helper.ts", "1;\n");
    rmSync(join(folder, "test/d.test.ts"));
    git("commit", "-qam", "Work");
    write("e.test.ts", `test("e holds", () => {});\n`);
    const base = findBase(folder) ?? "";
    expect(listChanged(folder, base)).toEqual([
      { file: "test/b.test.ts", newTitles: ["b holds twice"] },
      { file: "test/e.test.ts", newTitles: ["e holds"] },
      { file: "test/a.test.ts", newTitles: [] },
    ]);
    expect(() => listChanged(folder, "nowhere")).toThrow("Git knows no revision nowhere.");
  },
);

describe("a minute", () => {
  const proof = (file: string, cpuMs: number | null, isNew = true) => ({ file, cpuMs, isNew });
  const count = (runs: readonly string[], file: string) => runs.filter((one) => one === file).length;

  test("runs each file twice, those with new titles first, and repeats them while there is time", () => {
    const { runs, left } = planRuns([proof("touched", 1000, false), proof("new", 2000)]);
    expect(runs.slice(0, 4)).toEqual(["new", "touched", "new", "touched"]);
    expect(count(runs, "new") * 8 + count(runs, "touched") * 4).toBeWithin(53, 61);
    expect(left).toEqual([]);
  });

  test("leaves what would take too long, and what needs more than the project", () => {
    const { runs, left } = planRuns([proof("long", 8000), proof("apart", null), proof("short", 400)]);
    expect(new Set(runs)).toEqual(new Set(["short"]));
    expect(count(runs, "short")).toBe(10);
    expect(left.toSorted()).toEqual(["apart", "long"]);
  });

  test("is nothing if no test was touched", () => {
    expect(planRuns([])).toEqual({ runs: [], left: [] });
  });
});

describe("a slow machine", () => {
  const PID = join(tmpdir(), `poundkey-prove-${process.pid}`);
  const GO = `${PID}-go`;
  afterAll(() => {
    for (const file of [PID, GO]) rmSync(file, { force: true });
  });
  const run = (script: string, limitMs: number) =>
    runSlowly({ command: ["sh", "-c", script], cwd: folder, env: { PATH: process.env.PATH ?? "" }, limitMs });

  test.skipIf(!existsSync("/proc/self/stat"))(
    "stops and continues the command and what it starts",
    async () => {
      // The shell waits for a child, which tells its number and waits for a file.
      const running = run(
        `sh -c 'echo $$ > ${PID}; until [ -e ${GO} ]; do sleep 0.01; done; echo ran; exit 3'`,
        60_000,
      );
      await until("it runs", () => existsSync(PID) && readFileSync(PID, "utf8") !== "");
      const stat = `/proc/${readFileSync(PID, "utf8").trim()}/stat`;
      const readState = () => /\) (\w)/.exec(readFileSync(stat, "utf8"))?.[1];
      for (let times = 0; times < 2; times++) {
        await until("it is stopped", () => readState() === "T");
        await until("it goes on", () => readState() !== "T");
      }
      writeFileSync(GO, "");
      expect(await running).toEqual({ exitCode: 3, output: "ran\n" });
    },
  );

  test("ends what takes too long, with all that it started", async () => {
    const { exitCode, output } = await run("echo began; sleep 600 & sleep 600", 300);
    expect([exitCode, output]).toEqual([null, "began\n"]);
  });
});
