// Probes `/healthz` and the floor from a separate process, and prints each as a line: `health|floor STARTED TOOK`.
const [healthUrl = "", floorUrl = ""] = process.argv.slice(2);
const HEALTH_EVERY_MS = 100;
const FLOOR_EVERY_MS = 40;
const PROBE_MS = 10_000;

async function probe(name: string, url: string, everyMs: number): Promise<never> {
  for (;;) {
    const startedMs = Date.now();
    const isRight = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) })
      .then(async (response) => response.ok && (await response.text()) !== "")
      .catch(() => false);
    const tookMs = isRight ? Date.now() - startedMs : PROBE_MS;
    console.log(`${name} ${startedMs} ${tookMs}`);
    await Bun.sleep(everyMs);
  }
}

await Promise.all([probe("health", healthUrl, HEALTH_EVERY_MS), probe("floor", floorUrl, FLOOR_EVERY_MS)]);

export {};
