// CPU time per request and per chunk at 32 connections: whole answers, streams in one dialect, translated streams.
import { makeDice } from "../selectors/dice.ts";
import { computeMedian, computeRatio, type Ratio, shown, spread, writeRatio } from "./figures.ts";
import type { Surface } from "./loads/answer.ts";
import { DIRECT, FLOOR, OURS, type Scenario, type Stage } from "./loads/stage.ts";
import { type Cost, costs, type Load, warmedUp } from "./measure.ts";
import type { Aim, Bars, Finding, Table } from "./report.ts";

const CONNECTIONS = 32;
const PACED_CONNECTIONS = 48;
const AGENTS = 8;
export const CHUNKS = 200;
const ROUNDS = 10;
/** Fewer rounds, because paced streams give steadier figures. */
const PACED_ROUNDS = 6;
/** The seed of the draws for intervals, so that the same rounds give the same ones. */
const SEED = 1;

export interface Case {
  readonly title: string;
  readonly scenario: Scenario;
  readonly requests: number;
  /** The number of requests before the first round. */
  readonly before: number;
  readonly connections: number;
  /** True if the key has no limit of requests, so that nothing is held or paid. */
  readonly isFree?: boolean;
  readonly rounds: number;
  /** A multiple of the floor. */
  readonly atMost: number;
  /** The factor below Portkey. */
  readonly lessThanPortkey?: number;
}

export const whole: Case = {
  title: "whole answers, 1 KB",
  scenario: { speech: "openai", manner: "", chunks: null },
  requests: 4000,
  before: 24_000,
  connections: CONNECTIONS,
  rounds: ROUNDS,
  atMost: 3,
  lessThanPortkey: 10,
};

export function streamed(speech: Scenario["speech"], paceMs: number): Case {
  const isPaced = paceMs > 0;
  const manner = `~chunks=${CHUNKS}${isPaced ? `~pace=${paceMs}` : ""}`;
  const kind = speech === "openai" ? "same dialect" : "translated";
  return {
    title: `streams of ${CHUNKS} chunks, ${kind}, ${isPaced ? `a chunk per ${paceMs} ms` : "in one burst"}`,
    scenario: { speech, manner, chunks: CHUNKS },
    requests: isPaced ? 96 : 640,
    before: isPaced ? 288 : 12_000,
    connections: isPaced ? PACED_CONNECTIONS : CONNECTIONS,
    rounds: isPaced ? PACED_ROUNDS : ROUNDS,
    atMost: speech === "openai" ? (isPaced ? 1.5 : 2.5) : isPaced ? 2 : 3,
  };
}

/** A request of a few words, or a stream in one burst, whose client and provider speak these dialects. */
export function between(surface: Surface, speech: Scenario["speech"], isStreamed: boolean): Case {
  const kind = surface === speech ? "native" : `translated to ${speech}`;
  const base = isStreamed ? streamed("openai", 0) : whole;
  const size = isStreamed ? `a stream of ${CHUNKS} chunks` : "a whole answer";
  return { ...base, title: `${size}, ${surface}, ${kind}`, scenario: { ...base.scenario, speech, surface } };
}

/** A coding agent's request of about that size. */
export function agent(speech: Scenario["speech"], kilobytes: number): Case {
  const isNative = speech === "anthropic";
  return {
    title: `an agent's body of ${kilobytes} KB, ${isNative ? "Messages, native" : "chat"}`,
    scenario: { speech, surface: speech, manner: "", chunks: null, agentKilobytes: kilobytes },
    requests: Math.ceil(30_000 / kilobytes),
    before: Math.ceil(600_000 / kilobytes),
    connections: AGENTS,
    rounds: ROUNDS,
    atMost: kilobytes < 100 ? 6 : 9,
  };
}

/** Anthropic sends a delta about every 15 ms. */
export function deltas(paceMs: number): Case {
  const manner = `~chunks=${CHUNKS}~pace=${paceMs}`;
  return {
    ...streamed("anthropic", paceMs),
    title: `streams of ${CHUNKS} deltas, native, one per ${paceMs} ms`,
    scenario: { speech: "anthropic", surface: "anthropic", manner, chunks: CHUNKS },
  };
}

async function measured(stage: Stage, one: Case): Promise<ReadonlyMap<string, readonly Cost[]>> {
  const others = stage.contenders(one.scenario).filter(({ name }) => name !== DIRECT);
  const requests = stage.size(one.requests, 16);
  await warmedUp(others, { connections: one.connections, requests: stage.size(one.before, 16) });
  const load: Load = { connections: one.connections, warmUp: Math.ceil(requests / 5), requests };
  return costs(others, stage.size(one.rounds, 1), load);
}

function tableOf(one: Case, found: ReadonlyMap<string, readonly Cost[]>): Table {
  const rows = [...found].map(([name, rounds]) => {
    const cpu = rounds.map(({ cpuMicros }) => cpuMicros);
    const median = computeMedian(cpu);
    const perChunk = one.scenario.chunks === null ? [] : [shown(median / one.scenario.chunks)];
    return [name, spread(cpu), ...perChunk, writeRatio(compareToFloor(found, name)), shown(1e6 / median)];
  });
  const perChunk = one.scenario.chunks === null ? [] : ["CPU per chunk, µs"];
  return {
    head: [
      `${one.title}, ${one.connections} at once`,
      "CPU per request, µs",
      ...perChunk,
      "times the floor",
      "requests per second per core",
    ],
    rows,
  };
}

function compareToFloor(found: ReadonlyMap<string, readonly Cost[]>, name: string): Ratio {
  const readCpu = (one: string) => (found.get(one) ?? []).map(({ cpuMicros }) => cpuMicros);
  return computeRatio(readCpu(name), readCpu(FLOOR), makeDice(SEED));
}

function aimsOf(one: Case, found: ReadonlyMap<string, readonly Cost[]>): readonly Aim[] {
  const cpuOf = (name: string) => computeMedian((found.get(name) ?? []).map(({ cpuMicros }) => cpuMicros));
  const ours: Aim = {
    what: `CPU per request over the floor's, ${one.title}`,
    measured: compareToFloor(found, OURS).value,
    unit: "×",
    atMost: one.atMost,
  };
  if (!found.has("Portkey") || one.lessThanPortkey === undefined) return [ours];
  const less: Aim = {
    what: `Portkey's CPU per request over ours, ${one.title}`,
    measured: cpuOf("Portkey") / cpuOf(OURS),
    unit: "×",
    atMost: null,
    atLeast: one.lessThanPortkey,
  };
  return [ours, less];
}

function barsOf(one: Case, found: ReadonlyMap<string, readonly Cost[]>): Bars {
  const bars = [...found].map(([name, rounds]) => ({
    name,
    value: computeMedian(rounds.map(({ cpuMicros }) => cpuMicros)),
  }));
  return { title: `CPU per request, ${one.title}`, unit: "µs", bars };
}

async function compared(stage: Stage, title: string, cases: readonly Case[]): Promise<Finding> {
  const parts: { table: Table; aims: readonly Aim[]; bars: Bars }[] = [];
  for (const one of cases) {
    const found = await measured(stage, one);
    parts.push({ table: tableOf(one, found), aims: aimsOf(one, found), bars: barsOf(one, found) });
  }
  return {
    title,
    note: "Rounds of all in random order: medians (least–most), and ratios of sums with their 95 % interval. Requests per second per core: what one core's time suffices for.",
    tables: parts.map(({ table }) => table),
    aims: parts.flatMap(({ aims }) => aims),
    bars: parts.map(({ bars }) => bars),
  };
}

export function benchWhole(stage: Stage): Promise<Finding> {
  return compared(stage, "CPU per request: whole answers", [whole]);
}

export function benchStreamed(stage: Stage): Promise<Finding> {
  const paceMs = stage.size(4, 1);
  return compared(stage, "CPU per request: streams", [
    streamed("openai", 0),
    streamed("openai", paceMs),
    streamed("anthropic", 0),
    streamed("anthropic", paceMs),
  ]);
}
