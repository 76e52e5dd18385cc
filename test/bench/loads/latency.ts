// Latency added to the provider's own: on one connection, at a steady rate, and for every piece of a stream.

import { computeMedian, computePercentile, shown } from "../figures.ts";
import { inRounds, warmedUp } from "../measure.ts";
import type { Finding, Table } from "../report.ts";
import { nothingSeen, type Seen } from "./answer.ts";
import { arrivals, closedLoop } from "./client.ts";
import { type Contender, DIRECT, FLOOR, OURS, type Scenario, type Stage } from "./stage.ts";

const FIRST_BYTE_MS = 20;
const SHARES = [0.5, 0.99, 0.999] as const;

function merged(rounds: readonly Seen[]): Seen {
  return {
    latencies: rounds.flatMap(({ latencies }) => latencies),
    firsts: rounds.flatMap(({ firsts }) => firsts),
    gaps: rounds.flatMap(({ gaps }) => gaps),
    delays: rounds.flatMap(({ delays }) => delays),
    chunks: rounds.reduce((sum, { chunks }) => sum + chunks, 0),
  };
}

/** The latency that each adds to the direct call, at the same percentiles. */
function addedTable(title: string, found: ReadonlyMap<string, Seen>): Table {
  const direct = found.get(DIRECT)?.latencies ?? [];
  const rows = [...found].map(([name, { latencies }]) => {
    const cells = SHARES.map((share) => {
      const value = computePercentile(latencies, share);
      return name === DIRECT ? `(${shown(value)})` : shown(value - computePercentile(direct, share));
    });
    return [name, String(latencies.length), ...cells];
  });
  return { head: [title, "requests", "p50, ms", "p99, ms", "p99.9, ms"], rows };
}

function addedBy(found: ReadonlyMap<string, Seen>, name: string, share: number): number {
  const of = (one: string) => computePercentile(found.get(one)?.latencies ?? [], share);
  return of(name) - of(DIRECT);
}

/** Measures all over the same period, taking turns on one connection each, so that disturbances affect all alike. */
async function measureInTurns(stage: Stage, firstByteMs: number): Promise<ReadonlyMap<string, Seen>> {
  const scenario: Scenario = { speech: "openai", manner: `~latency=${firstByteMs}`, chunks: null };
  const all = stage.contenders(scenario);
  const found = new Map(all.map(({ name }) => [name, nothingSeen()]));
  const periodMs = all.length * (firstByteMs + 4);
  const run = (requests: number, seenBy: (name: string) => Seen) => {
    const asks = all.map(({ name, ask }) => ({ ask, seen: seenBy(name) }));
    return arrivals({ asks, periodMs, requests, connectionsMax: 1 });
  };
  await run(stage.size(50, 4), () => nothingSeen());
  await run(stage.size(300, 15), (name) => found.get(name) ?? nothingSeen());
  return found;
}

async function atRate(stage: Stage, all: readonly Contender[], load: { perSecond: number; seconds: number }) {
  const rounds = stage.size(3, 1);
  const results = await inRounds(all, rounds, async ({ ask }) => {
    const run = async (seconds: number) => {
      const seen = nothingSeen();
      const requests = Math.ceil(load.perSecond * seconds);
      const periodMs = 1000 / load.perSecond;
      await arrivals({ asks: [{ ask, seen }], periodMs, requests, connectionsMax: 256 });
      return seen;
    };
    await run(load.seconds / 8);
    return run(load.seconds);
  });
  return new Map([...results].map(([name, seen]) => [name, merged(seen)]));
}

/** One connection that sends the next request at once, in rounds of random order. */
async function backToBack(stage: Stage): Promise<ReadonlyMap<string, Seen>> {
  const all = stage.contenders({ speech: "openai", manner: "", chunks: null });
  const load = { connections: 1, requests: stage.size(500, 15) };
  const results = await inRounds(all, stage.size(5, 1), async ({ ask }) => {
    const seen = nothingSeen();
    await closedLoop(() => ask, load, seen);
    return seen;
  });
  return new Map([...results].map(([name, seen]) => [name, merged(seen)]));
}

const RATE = 400;

/** With only one connection and 300 requests, a server would be measured while its code is still interpreted. */
const BEFORE = 20_000;
const BEFORE_CONNECTIONS = 32;

async function warm(stage: Stage): Promise<void> {
  const atOnce: Scenario = { speech: "openai", manner: "", chunks: null };
  const others = stage.contenders(atOnce).filter(({ name }) => name !== DIRECT);
  await warmedUp(others, { connections: BEFORE_CONNECTIONS, requests: stage.size(BEFORE, 16) });
}

export async function benchLatency(stage: Stage): Promise<Finding> {
  await warm(stage);
  const one = await measureInTurns(stage, FIRST_BYTE_MS);
  const instant = await measureInTurns(stage, 0);
  const scenario: Scenario = { speech: "openai", manner: `~latency=${FIRST_BYTE_MS}`, chunks: null };
  const load = { perSecond: stage.size(RATE, 50), seconds: stage.size(3, 0.3) };
  const many = await atRate(stage, stage.contenders(scenario), load);
  const busy = await backToBack(stage);
  return {
    title: "Added latency",
    note: `The provider's first byte comes after ${FIRST_BYTE_MS} ms; each has answered ${stage.size(BEFORE, 16)} requests before. Added to the direct way (its own in brackets); counted from the time at which a request was meant to be sent.`,
    tables: [
      addedTable("one connection", one),
      addedTable("one connection, a provider that answers at once", instant),
      addedTable("one connection, back to back, a provider that answers at once", busy),
      addedTable(`${load.perSecond} requests per second, whatever comes back`, many),
    ],
    aims: [
      {
        what: `Added to the floor's latency, one connection, p50 (${FIRST_BYTE_MS} ms provider)`,
        measured: addedBy(one, OURS, 0.5) - addedBy(one, FLOOR, 0.5),
        unit: "ms",
        atMost: 0.5,
      },
      {
        what: "A paid answer, one connection back to back, p50 (instant provider)",
        measured: computePercentile(busy.get(OURS)?.latencies ?? [], 0.5),
        unit: "ms",
        atMost: 0.6,
      },
    ],
    bars: [0.5, 0.99].map((share) => ({
      title: `Added latency, one connection, p${share * 100}`,
      unit: "ms",
      bars: [...one.keys()]
        .filter((name) => name !== DIRECT)
        .map((name) => ({ name, value: Math.max(0, addedBy(one, name, share)) })),
    })),
  };
}

const PACE_MS = 10;
const CHUNKS = 50;

/** Streams that arrive at a steady rate: the first piece, and each later one. */
export async function benchTokens(stage: Stage): Promise<Finding> {
  const manner = `~latency=${FIRST_BYTE_MS}~pace=${PACE_MS}~chunks=${CHUNKS}`;
  const load = { perSecond: stage.size(60, 20), seconds: stage.size(3, 0.2) };
  const found = await atRate(stage, stage.contenders({ speech: "openai", manner, chunks: CHUNKS }), load);
  const direct = found.get(DIRECT) ?? nothingSeen();
  const rows = [...found].map(([name, seen]) => {
    const added = (of: (seen: Seen) => readonly number[], share: number) =>
      name === DIRECT
        ? `(${shown(computePercentile(of(seen), share))})`
        : shown(computePercentile(of(seen), share) - computePercentile(of(direct), share));
    const firsts = (one: Seen) => one.firsts;
    const gap = computePercentile(seen.gaps, 0.99);
    const delay = [0.5, 0.99].map((share) => shown(computePercentile(seen.delays, share)));
    return [name, String(seen.chunks), added(firsts, 0.5), added(firsts, 0.99), shown(gap), ...delay];
  });
  const gapOf = (name: string) => computePercentile(found.get(name)?.gaps ?? [], 0.99);
  return {
    title: "Tokens under way",
    note: `${load.perSecond} streams per second of ${CHUNKS} chunks, one per ${PACE_MS} ms, the first after ${FIRST_BYTE_MS} ms; every chunk counted and in order. Under way: from the provider's sending of a chunk to its coming.`,
    tables: [
      {
        head: [
          "",
          "chunks",
          "first token added p50, ms",
          "p99, ms",
          "gap p99, ms",
          "under way p50, ms",
          "p99, ms",
        ],
        rows,
      },
    ],
    aims: [
      {
        what: "Gap between chunks over the floor's, p99",
        measured: gapOf(OURS) / gapOf(FLOOR),
        unit: "×",
        atMost: 1.5,
      },
    ],
    bars: [
      {
        title: "Time to first token added, p50",
        unit: "ms",
        bars: [...found]
          .filter(([name]) => name !== DIRECT)
          .map(([name, { firsts }]) => ({
            name,
            value: Math.max(0, computeMedian(firsts) - computeMedian(direct.firsts)),
          })),
      },
    ],
  };
}
