// Times `/healthz` during the attack, judged only while a trivial server beside it was fast.
import { join } from "node:path";

const HEALTH_MAX_MS = 500;
/** A slower floor shows that the machine is busy and says nothing about the gateway. */
const FLOOR_MAX_MS = 100;
const BESIDE_MS = 100;

interface Probe {
  /** Unix milliseconds. */
  readonly startedMs: number;
  readonly tookMs: number;
}

export interface Health {
  readonly probes: number;
  /** The number of probes during which the floor was fast. */
  readonly judged: number;
  readonly slowestMs: number;
  readonly tooSlow: readonly Probe[];
}

export interface Watch {
  /** Stops probing. Returns the results. */
  end(): Promise<Health>;
}

export async function startWatch(url: string): Promise<Watch> {
  const floor = spawn("floor.process.ts");
  const floorUrl = await addressOf(floor);
  const watcher = spawn("watch.process.ts", `${url}/healthz`, floorUrl);
  const text = new Response(watcher.stdout).text();
  return {
    async end() {
      watcher.kill();
      floor.kill();
      await Promise.all([watcher.exited, floor.exited]);
      return judged(await text);
    },
  };
}

function spawn(file: string, ...args: readonly string[]) {
  return Bun.spawn([process.execPath, join(import.meta.dir, file), ...args], {
    stdout: "pipe",
    stderr: "ignore",
  });
}

async function addressOf(child: Bun.Subprocess<"ignore", "pipe", "ignore">): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  const reader = child.stdout.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("the floor did not start");
    text += decoder.decode(value, { stream: true });
    const address = /listens on (\S+)\n/.exec(text)?.[1];
    if (address) return address;
  }
}

/** A probe counts if the floor was fast throughout, just before and just after it. */
function judged(text: string): Health {
  const probes = { health: [] as Probe[], floor: [] as Probe[] };
  for (const [, name, started, took] of text.matchAll(/^(health|floor) ([\d.]+) ([\d.]+)$/gm)) {
    probes[name === "floor" ? "floor" : "health"].push({ startedMs: Number(started), tookMs: Number(took) });
  }
  const counted = probes.health.filter(({ startedMs, tookMs }) => {
    const beside = probes.floor.filter(
      (one) =>
        one.startedMs + one.tookMs >= startedMs - BESIDE_MS &&
        one.startedMs <= startedMs + tookMs + BESIDE_MS,
    );
    return beside.length > 0 && beside.every((one) => one.tookMs < FLOOR_MAX_MS);
  });
  return {
    probes: probes.health.length,
    judged: counted.length,
    slowestMs: Math.max(0, ...counted.map(({ tookMs }) => tookMs)),
    tooSlow: counted.filter(({ tookMs }) => tookMs > HEALTH_MAX_MS),
  };
}
