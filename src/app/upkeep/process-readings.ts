// Reads this process's CPU, memory and file descriptors, for the metrics that all Prometheus exporters share.
import { readdirSync, readFileSync } from "node:fs";
import type { Reading } from "../../telemetry/metrics.ts";

/** Linux lists a process's open files here. Other systems have no such folder. */
const FILES = "/proc/self/fd";
const LIMITS = "/proc/self/limits";

export const PROCESS_READINGS = {
  process_cpu_seconds_total: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  process_resident_memory_bytes: () => read(() => process.memoryUsage.rss()),
  process_start_time_seconds: () => Math.round(performance.timeOrigin),
  // One of them is the open folder itself.
  process_open_fds: () => read(() => readdirSync(FILES).length - 1),
  process_max_fds: () =>
    read(() => Number(/^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS, "utf8"))?.[1])),
} satisfies Readonly<Record<string, Reading>>;

/** Returns null if the value can't be read or isn't a number, like `unlimited`. */
function read(count: () => number): number | null {
  try {
    const value = count();
    return Number.isFinite(value) ? value : null;
  } catch {
    return null;
  }
}
