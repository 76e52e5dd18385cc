// Loaded before the test files: notes when each begins and ends, and the CPU it took, where `TEST_MARKS` names a file.
import { afterAll, beforeAll } from "bun:test";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Mark } from "./progress.ts";

const STAT = "/proc/self/stat";
const MS_PER_TICK = 10;

/** Returns the CPU of this process and of its children that have ended, where the system tells: on Linux. */
function measureCpuMs(): number {
  if (!existsSync(STAT)) return process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
  const text = readFileSync(STAT, "utf8");
  // Behind the name, which may hold blanks: own user and system time are fields 14 and 15, the children's 16 and 17.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * MS_PER_TICK;
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
