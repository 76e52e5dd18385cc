// Loaded before the test files: notes when each begins and ends, and the CPU it took, where `TEST_MARKS` names a file.
import { afterAll, beforeAll } from "bun:test";
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Mark } from "./progress.ts";

const PROC = "/proc";
const MS_PER_TICK = 10;

/** Returns the CPU of this process and of all that it started, where the system tells: on Linux. */
function measureCpuMs(): number {
  if (existsSync(`${PROC}/self/stat`)) return sumTicks(process.pid) * MS_PER_TICK;
  return process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
}

/** The ticks of a process, of its children that have ended, and of those that run on, as a database server of many files. */
function sumTicks(pid: number): number {
  try {
    const text = readFileSync(`${PROC}/${pid}/stat`, "utf8");
    // Behind the name, which may hold blanks: own user and system time are fields 14 and 15, the ended children's 16 and 17.
    const ticks = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 15);
    return [...ticks, ...listChildren(pid).map(sumTicks)].reduce<number>((sum, one) => sum + Number(one), 0);
  } catch {
    // It has ended since.
    return 0;
  }
}

/** Each thread has children of its own. */
function listChildren(pid: number): readonly number[] {
  return readdirSync(`${PROC}/${pid}/task`).flatMap((thread) => {
    const listed = readFileSync(`${PROC}/${pid}/task/${thread}/children`, "utf8");
    return listed.split(" ").filter(Boolean).map(Number);
  });
}

const marks = process.env.TEST_MARKS;
if (marks) {
  const write = (at: Mark["at"]) => {
    const file = relative(`${import.meta.dir}/../..`, Bun.main);
    const mark: Mark = { at, pid: process.pid, file, cpuMs: measureCpuMs() };
    appendFileSync(marks, `${JSON.stringify(mark)}\n`);
  };
  beforeAll(() => write("begin"));
  afterAll(() => write("end"));
}
