// Probes `/healthz` during the attack: no client may keep the event loop busy for long.
import { join } from "node:path";

/**
 * Bounds how long the event loop may run on a core while a probe waits. Time in which it got no core, or waited for the
 * disk, is the machine's.
 */
const BUSY_MAX_MS = 500;
/** Without an answer after this, the loop stands still, whatever it waits for. */
const ANSWER_MAX_MS = 10_000;

interface Probe {
  /** Unix milliseconds. */
  readonly startedMs: number;
  readonly tookMs: number;
  readonly busyMs: number;
}

export interface Health {
  readonly probes: number;
  readonly slowestMs: number;
  readonly busiestMs: number;
  readonly tooSlow: readonly Probe[];
}

export interface Watch {
  /** Stops probing. Returns the results. */
  end(): Promise<Health>;
}

export function startWatch(url: string, pid: number): Watch {
  const watcher = Bun.spawn(
    [process.execPath, join(import.meta.dir, "watch.process.ts"), `${url}/healthz`, String(pid)],
    { stdout: "pipe", stderr: "ignore" },
  );
  const text = new Response(watcher.stdout).text();
  return {
    async end() {
      watcher.kill();
      await watcher.exited;
      return judge(await text);
    },
  };
}

function judge(text: string): Health {
  const probes = [...text.matchAll(/^([\d.]+) ([\d.]+) ([\d.]+)$/gm)].map(([, started, took, busy]) => ({
    startedMs: Number(started),
    tookMs: Number(took),
    busyMs: Number(busy),
  }));
  return {
    probes: probes.length,
    slowestMs: Math.max(0, ...probes.map(({ tookMs }) => tookMs)),
    busiestMs: Math.max(0, ...probes.map(({ busyMs }) => busyMs)),
    tooSlow: probes.filter(({ tookMs, busyMs }) => busyMs > BUSY_MAX_MS || tookMs >= ANSWER_MAX_MS),
  };
}
