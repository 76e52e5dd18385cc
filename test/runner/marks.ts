// Loaded before the test files: notes when each begins and ends, and the CPU it took, where `TEST_MARKS` names a file.
import { afterAll, beforeAll } from "bun:test";
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { listChildren, readProcess } from "./proc.ts";
import type { Mark } from "./progress.ts";

/** Returns the CPU of this process and of all that it started, where the system tells: on Linux. */
function measureCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return sumCpuMs(process.pid) || (user + system) / 1000;
}

/** Those that run on count too, as a database server of many files. */
function sumCpuMs(pid: number): number {
  const { cpuMs = 0 } = readProcess(pid) ?? {};
  return listChildren(pid).reduce((sum, child) => sum + sumCpuMs(child), cpuMs);
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
