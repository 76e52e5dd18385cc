// Reports of `npm test`: what Bun tells of files that pass, fail, hang, crash and don't load.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeProgress, type Mark, readMarks, Screen, sumCpuMs } from "./progress.ts";
import { listMissing, readReport } from "./report.ts";

const FILES = {
  "good.test.ts": `test("holds", () => {}); test.skip("waits for its tool", () => {});`,
  "red.test.ts": `describe('"a" & <b>', () => describe("c", () => test("fails", () => expect(1).toBe(2))));
    test("holds too", () => {});`,
  "hook.test.ts": `beforeAll(() => { throw new Error("no set-up"); }); test("never runs", () => {});`,
  "hangs.test.ts": `test("hangs", () => new Promise(() => {}));`,
  "crashes.test.ts": `test("first", () => {}); test("is killed", () => { process.kill(process.pid, "SIGKILL"); });`,
  "broken.test.ts": `import "./nothing.ts"; test("never", () => {});`,
};
const NAMES = Object.keys(FILES).toSorted();

const folder = mkdtempSync(join(tmpdir(), "poundkey-report-"));
const report = join(folder, "report.xml");
const marks = join(folder, "marks");

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(
      join(folder, name),
      `import { beforeAll, describe, expect, test } from "bun:test";\n${text}\n`,
    );
  const flags = [
    "--timeout",
    "2000",
    "--parallel=2",
    "--no-isolate",
    "--preload",
    `${import.meta.dir}/marks.ts`,
  ];
  const reporting = ["--reporter=junit", `--reporter-outfile=${report}`];
  const child = Bun.spawn([process.execPath, "test", ...flags, ...reporting], {
    cwd: folder,
    env: { ...process.env, TEST_MARKS: marks },
    stdout: "ignore",
    stderr: "ignore",
  });
  await child.exited;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("each file with rows has a result, and a limit of time is told from an error", () => {
  const results = readReport(readFileSync(report, "utf8"), folder);
  const lines = results.map(
    ({ file, passed, failed, late, skipped }) =>
      `${file}: ${passed}, ${skipped}, ${late}, ${failed.join("; ")}`,
  );
  expect(lines.toSorted()).toEqual([
    "crashes.test.ts: 1, 0, 0, (worker crashed)",
    "good.test.ts: 1, 1, 0, ",
    "hangs.test.ts: 0, 0, 1, hangs",
    "hook.test.ts: 0, 0, 0, (unnamed)",
    'red.test.ts: 1, 0, 0, "a" & <b> > c > fails',
  ]);
  expect(listMissing(NAMES, results)).toEqual(["broken.test.ts"]);
});

test("workers mark where each file begins and ends, with their CPU", () => {
  const written = readMarks(marks);
  const ended = written.filter(({ at }) => at === "end").map(({ file }) => file.split("/").at(-1));
  expect(ended).toContain("good.test.ts");
  expect(ended).not.toContain("crashes.test.ts");
  for (const ms of sumCpuMs(written).values()) expect(ms).toBeGreaterThanOrEqual(0);
});

const MARKS: readonly Mark[] = [
  { at: "begin", pid: 1, file: "test/kill/kill.test.ts", cpuMs: 100 },
  { at: "begin", pid: 2, file: "test/core/price.test.ts", cpuMs: 50 },
  { at: "end", pid: 2, file: "test/core/price.test.ts", cpuMs: 80 },
  { at: "begin", pid: 2, file: "test/console/looks.test.tsx", cpuMs: 200 },
];

test("progress says how many files have ended, and which are running", () => {
  expect(describeProgress(MARKS, 9)).toBe("1 of 9 files, running: kill/kill, console/looks");
  expect(describeProgress([], 9)).toBe("");
});

test("a file takes what its worker used since the end of the file before it, with loading", () => {
  const marks: readonly Mark[] = [
    ...MARKS,
    { at: "end", pid: 2, file: "test/console/looks.test.tsx", cpuMs: 300 },
  ];
  expect([...sumCpuMs(marks)]).toEqual([
    ["test/core/price.test.ts", 80],
    ["test/console/looks.test.tsx", 220],
  ]);
  const others: readonly Mark[] = [
    { at: "begin", pid: 3, file: "test/a.test.ts", cpuMs: 10 },
    { at: "end", pid: 3, file: "test/b.test.ts", cpuMs: 90 },
  ];
  expect(sumCpuMs(others).size).toBe(0);
});

test("a terminal keeps the line at its bottom", () => {
  const written: string[] = [];
  const terminal = new Screen({ isTTY: true, columns: 12, write: (text) => written.push(text) });
  const end = terminal.follow(() => "1 of 9 files, running");
  terminal.print("(fail) one\n");
  end();
  terminal.print("done\n");
  const clear = "\r\x1b[2K";
  expect(written[0]).toBe(`${clear}1 of 9 file`);
  expect(written.slice(-3)).toEqual([`${clear}(fail) one\n1 of 9 file`, clear, `${clear}done\n`]);
});
