// Probes `/healthz` from a separate process, and prints each probe as a line: `STARTED TOOK BUSY`.
import { readFileSync } from "node:fs";

const [url = "", pid = ""] = process.argv.slice(2);
const EVERY_MS = 100;
const PROBE_MS = 10_000;

/** Returns how long the gateway's event loop has been running on a core so far, in milliseconds. */
function readBusyMs(): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

for (;;) {
  const startedMs = Date.now();
  const busyMs = readBusyMs();
  const isRight = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) })
    .then(async (response) => response.ok && (await response.text()) !== "")
    .catch(() => false);
  const tookMs = isRight ? Date.now() - startedMs : PROBE_MS;
  console.log(`${startedMs} ${tookMs} ${readBusyMs() - busyMs}`);
  await Bun.sleep(EVERY_MS);
}
