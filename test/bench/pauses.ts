// For how long the loop of a gateway from the sources worked without a break, which holds up everybody else's requests.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Shorter ones aren't written down. */
const LEAST_MS = 3;

/**
 * Runs in the gateway: a timer of a millisecond. Between two of its ticks the loop's thread has worked without a break, and
 * its own CPU time says for how long, whatever else the machine does.
 */
const makeMonitor = (file: string) => `
const { appendFileSync } = require("node:fs");
const measure = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let last = measure();
setInterval(() => {
  const now = measure();
  if (now - last > ${LEAST_MS}) appendFileSync(${JSON.stringify(file)}, Date.now() + " " + (now - last).toFixed(1) + "\\n");
  last = measure();
}, 1);
`;

/** Lists the pauses between two times in milliseconds, the longest first. */
type ListPauses = (fromMs: number, toMs: number) => readonly number[];

/** Has a gateway that will start in the folder watch its loop. */
export function watchPauses(directory: string): ListPauses {
  const file = join(directory, "pauses.log");
  writeFileSync(file, "");
  writeFileSync(join(directory, "monitor.js"), makeMonitor(file));
  // The program starts itself again, without the flags of the runtime.
  writeFileSync(join(directory, "bunfig.toml"), 'preload = ["./monitor.js"]');
  return (fromMs, toMs) => {
    const lines = readFileSync(file, "utf8").trim().split("\n").filter(Boolean);
    return lines
      .map((line) => line.split(" ").map(Number))
      .flatMap(([atMs = 0, ms = 0]) => (atMs >= fromMs && atMs <= toMs ? [ms] : []))
      .toSorted((one, other) => other - one);
  };
}
