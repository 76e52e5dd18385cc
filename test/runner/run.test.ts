// The program behind `npm test`, over planted files: what it counts, what it runs again, and what it leaves behind.
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../tidy/sources.ts";
import { until } from "../whole/world/until.ts";

/** The parts of the program. Its own tests stay out, which would run too. */
const PARTS = [
  "test/run.ts",
  "test/runner",
  "test/harness/own-folder.ts",
  "test/ci/change.ts",
  "test/ci/flaky.ts",
  "test/ci/times.data.json",
  "bunfig.toml",
];

/** By these seconds the processes of this very run are found. */
const NAP = `${3600 + Math.random()}`;

const FILES = {
  "good.test.ts": `test("holds", () => {});`,
  "waits.test.ts": `console.log("skipped: no tool on this machine"); test.skip("waits for its tool", () => {});`,
  "no-row.test.ts": `describe.skipIf(true)("without data", () => { for (const one of []) test(one, () => {}); });`,
  "crashes.test.ts": `throw new Error("before its first row"); test("never", () => {});`,
  "late-once.test.ts": `test("is late at first", async () => {
    if (existsSync(SEEN)) return;
    writeFileSync(SEEN, "");
    await new Promise(() => {});
  }, 200);`,
  "late-and-wrong.test.ts": `test("is late", () => new Promise(() => {}), 200); test("is wrong", () => expect(1).toBe(2));`,
  // A daemon, whose parent has ended, and a child of the worker's in a group of its own, which works elsewhere.
  "starts.test.ts": `test("goes on", async () => {
    Bun.spawn(["sh", "-c", "setsid sleep ${NAP} &"], { env: { PATH: process.env.PATH } });
    Bun.spawn(["sleep", "${NAP}"], { cwd: "/", env: { PATH: process.env.PATH }, detached: true });
    mkdtempSync(join(tmpdir(), "left-"));
    mkdtempSync(join(process.env.TEST_MEMORY, "left-"));
    writeFileSync(SEEN, process.env.TEST_MEMORY);
    await new Promise(() => {});
  }, 60_000);`,
};

let project: string;
let temporary: string;
let seen: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "poundkey-planted-"));
  temporary = join(project, "tmp");
  seen = join(project, "seen");
  for (const part of PARTS)
    cpSync(join(ROOT, part), join(project, part), {
      recursive: true,
      filter: (path) => !path.endsWith(".test.ts"),
    });
  mkdirSync(join(project, "test/planted"));
  mkdirSync(temporary);
  const head = `import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const SEEN = ${JSON.stringify(seen)};
`;
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(join(project, "test/planted", name), `${head}${text}\n`);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function start(names: readonly (keyof typeof FILES)[], env: Readonly<Record<string, string>> = {}) {
  rmSync(seen, { force: true });
  const files = names.map((name) => `test/planted/${name}`);
  return Bun.spawn([process.execPath, "test/run.ts", "--at-once", "2", ...files], {
    cwd: project,
    env: { PATH: process.env.PATH ?? "", HOME: project, TMPDIR: temporary, ...env },
    stdout: "pipe",
    stderr: "ignore",
  });
}

async function run(names: readonly (keyof typeof FILES)[], env?: Readonly<Record<string, string>>) {
  const child = start(names, env);
  const output = await new Response(child.stdout).text();
  return { code: await child.exited, output, last: output.trimEnd().split("\n").at(-1) };
}

test("a file whose rows are all skipped passes, and one line says why", async () => {
  const { code, output, last } = await run(["good.test.ts", "waits.test.ts", "no-row.test.ts"]);
  expect([code, last]).toEqual([0, "1 passed, 0 failed, 1 skipped"]);
  expect(output.split("\n").filter((line) => line.startsWith("skipped: "))).toEqual([
    "skipped: 1 rows: no tool on this machine; test/planted/no-row.test.ts has no row here",
  ]);
});

test("a file that crashes before its first row fails", async () => {
  const { code, output, last } = await run(["good.test.ts", "crashes.test.ts"]);
  expect([code, last]).toEqual([1, "1 passed, 1 failed"]);
  expect(output).toContain("  test/planted/crashes.test.ts: (ended without a row)");
});

test("on a busy machine a file that ran out of its time runs once more, alone, and says so", async () => {
  const { code, output, last } = await run(["good.test.ts", "late-once.test.ts"], {
    TEST_BUSY: "as planted",
  });
  expect([code, last]).toEqual([0, "2 passed, 0 failed"]);
  expect(output).toContain(
    "The machine is busy: as planted. Out of its time, so once more, alone: test/planted/late-once.test.ts",
  );
});

test("it doesn't where the machine isn't busy, nor where the file did something wrong", async () => {
  expect((await run(["good.test.ts", "late-once.test.ts"])).last).toBe("1 passed, 1 failed");
  const wrong = await run(["good.test.ts", "late-and-wrong.test.ts"], { TEST_BUSY: "as planted" });
  expect(wrong.last).toBe("1 passed, 2 failed");
  expect(wrong.output).not.toContain("once more");
});

test("a run changes no file of the project and leaves no folder behind", async () => {
  const path = join(project, "test/runner/timings.data.json");
  const before = readFileSync(path, "utf8");
  await run(["good.test.ts", "late-once.test.ts"]);
  expect(readFileSync(path, "utf8")).toBe(before);
  expect(readdirSync(temporary)).toEqual([]);
});

/** Returns the command lines of what the planted test has started and is still there. */
function listLeft(): readonly string[] {
  const command = `for one in /proc/[0-9]*; do tr '\\0' ' ' <"$one/cmdline" && echo; done 2>/dev/null`;
  const lines = Bun.spawnSync(["sh", "-c", command]).stdout.toString().split("\n");
  return lines.filter((line) => line.startsWith(`sleep ${NAP}`));
}

test.skipIf(!existsSync("/proc/self/cwd")).each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s to it alone ends all that it has started, daemons too, and removes its folders",
  async (signal) => {
    const child = start(["starts.test.ts"]);
    const memory = await until("it has started them", () =>
      existsSync(seen) ? readFileSync(seen, "utf8") : null,
    );
    expect(existsSync(memory)).toBe(true);
    await until("both are there", () => listLeft().length === 2);
    child.kill(signal);
    expect(await child.exited).toBe({ SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal]);
    expect(listLeft()).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
    expect(existsSync(memory)).toBe(false);
  },
);
