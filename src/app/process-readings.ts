// Readings of this process for the metrics that every exporter calls the same.
import { readdirSync, readFileSync } from "node:fs";
import type { Reading } from "../telemetry/metrics.ts";

/** Linux tells of a process's files here; elsewhere there is no such folder. */
const FILES = "/proc/self/fd";
const LIMITS = "/proc/self/limits";

export const PROCESS_READINGS = {
  process_cpu_seconds_total: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  process_resident_memory_bytes: () => read(() => process.memoryUsage.rss()),
  process_start_time_seconds: () => Math.round(performance.timeOrigin),
  // One is the folder itself, open while it is read.
  process_open_fds: () => read(() => readdirSync(FILES).length - 1),
  process_max_fds: () =>
    read(() => Number(/^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1])),
} satisfies Readonly<Record<string, Reading>>;

/** null where it can't be read, or is no number, as `unlimited`. */
function read(count: () => number): number | null {
  try {
    const value = count();
    return Number.isFinite(value) ? value : null;
  } catch {
    return null;
  }
}
