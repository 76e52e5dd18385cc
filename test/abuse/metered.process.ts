// The gateway with a meter: the delays of a separate timer loop are written to `lateness.log` in the working directory.
import { openSync, writeSync } from "node:fs";

const EVERY_MS = 10;
const log = openSync("lateness.log", "w");
let dueMs = performance.now() + EVERY_MS;
setInterval(() => {
  const nowMs = performance.now();
  writeSync(log, `${Date.now()} ${Math.max(0, nowMs - dueMs).toFixed(1)}\n`);
  dueMs = nowMs + EVERY_MS;
}, EVERY_MS);

await import("../../src/main.ts");
