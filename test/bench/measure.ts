// Shared by all benchmarks: rounds in random order, and each contender's CPU time per request.

import { shuffled } from "./figures.ts";
import { nothingSeen, type Seen } from "./loads/answer.ts";
import { type Ask, closedLoop } from "./loads/client.ts";
import type { Contender } from "./loads/stage.ts";
import { cpuMicros } from "./processes.ts";

/** Runs `once` for each in every round, in a new random order, and collects the results by name. */
export async function inRounds<One extends { readonly name: string }, Result>(
  all: readonly One[],
  rounds: number,
  once: (one: One, round: number) => Promise<Result>,
  random: () => number = Math.random,
): Promise<ReadonlyMap<string, readonly Result[]>> {
  const results = new Map(all.map(({ name }) => [name, [] as Result[]]));
  for (let round = 0; round < rounds; round++) {
    for (const one of shuffled(all, random)) results.get(one.name)?.push(await once(one, round));
  }
  return results;
}

export interface Load {
  readonly connections: number;
  readonly warmUp: number;
  readonly requests: number;
}

export interface Cost {
  readonly cpuMicros: number;
  /** Requests per second of wall time in one round. */
  readonly perSecond: number;
  readonly seen: Seen;
}

/** CPU time per request of the process and its children. `asks` returns the request with that number. */
export async function measureCost(pid: number, asks: (index: number) => Ask, load: Load): Promise<Cost> {
  const { connections, warmUp, requests } = load;
  await closedLoop(asks, { connections, requests: warmUp }, nothingSeen());
  const seen = nothingSeen();
  const startedMs = performance.now();
  const before = cpuMicros(pid);
  await closedLoop(asks, { connections, requests }, seen);
  const used = cpuMicros(pid) - before;
  const perSecond = (requests * 1000) / (performance.now() - startedMs);
  return { cpuMicros: used / requests, perSecond, seen };
}

/** The slow get fewer requests so that a run ends. Their CPU time is large enough to be measured with fewer. */
const SLOW: Readonly<Record<string, number>> = { Portkey: 0.2 };

/**
 * A server's first ten to twenty thousand requests also pay for compiling its code and cost two or three times as much
 * as later ones, so measuring starts after that.
 */
export async function warmedUp(contenders: readonly Contender[], load: Omit<Load, "warmUp">): Promise<void> {
  for (const { name, ask } of contenders) {
    const requests = Math.ceil(load.requests * (SLOW[name] ?? 1));
    await closedLoop(() => ask, { ...load, requests }, nothingSeen());
  }
}

export function costs(contenders: readonly Contender[], rounds: number, load: Load) {
  return inRounds(contenders, rounds, ({ name, pid, ask }) => {
    const share = SLOW[name] ?? 1;
    const requests = Math.ceil(load.requests * share);
    return measureCost(pid, () => ask, { ...load, requests, warmUp: Math.ceil(load.warmUp * share) });
  });
}
