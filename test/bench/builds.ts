// Two builds of the gateway, and the floor, in turn: CPU per request, and ratios of sums with their 95 % interval.
import { makeDice } from "../selectors/dice.ts";
import { agent, between, type Case, deltas, streamed, whole } from "./cpu.ts";
import { computeRatio, type Ratio, writeRatio } from "./figures.ts";
import { askGateway, type Contender, FLOOR, findBuild, type Scenario, type Stage } from "./loads/stage.ts";
import { inRounds, measureCost } from "./measure.ts";
import { addPaidKey, startGateway } from "./peers/gateways.ts";
import type { Started } from "./processes.ts";
import type { Aim, Finding, Table } from "./report.ts";

const THIS = "this build";
const OTHER = "other build";
/** The upper end of the interval of a change that must not cost anything. */
const RATIO_MAX = 1.03;
const FIRST_REQUESTS = 16_000;
const FIRST = "first";
/** Requests that are measured, at least, for each one that warms a process up: what a round costs is mostly its warm-up. */
const MEASURED = 1 / 3;

/** Kilobytes. The whole request is a little longer. */
const AGENT_SIZES = [64, 248, 1000] as const;

function listCases(paceMs: number, deltaMs: number): Readonly<Record<string, Case>> {
  const bodies = AGENT_SIZES.flatMap((kilobytes) => [
    [`agent-${kilobytes}`, agent("openai", kilobytes)] as const,
    [`messages-${kilobytes}`, agent("anthropic", kilobytes)] as const,
  ]);
  return {
    whole,
    free: { ...whole, title: "whole answers, 1 KB, of a key without limits", isFree: true },
    messages: between("anthropic", "anthropic", false),
    "messages-chat": between("anthropic", "openai", false),
    "burst-messages": between("anthropic", "openai", true),
    "burst-responses": between("responses", "openai", true),
    "burst-native": between("anthropic", "anthropic", true),
    burst: streamed("openai", 0),
    paced: streamed("openai", paceMs),
    deltas: deltas(deltaMs),
    ...Object.fromEntries(bodies),
  };
}

export const BUILD_CASES: readonly string[] = [...Object.keys(listCases(0, 1)), FIRST];

export interface BuildOptions {
  /** The path of a binary, or a revision of the repository. */
  readonly other: string;
  readonly rounds: number;
  readonly seed: number;
  /** Requests that warm a process up, instead of the case's own number. */
  readonly warmUp?: number | undefined;
  /** Some of `BUILD_CASES`. */
  readonly only: readonly string[];
}

/** Nanoseconds of CPU time per request in each round, by contender. All rounds have the same number of requests. */
type Rounds = ReadonlyMap<string, readonly number[]>;

/** Throws if an answer is wrong. */
export async function compareBuilds(stage: Stage, options: BuildOptions): Promise<Finding> {
  const { rounds, seed, only } = options;
  const binaries = { [OTHER]: await findBuild(options.other, stage.directory), [THIS]: stage.binary };
  const builds: readonly Build[] = Object.entries(binaries).map(([name, binary]) => ({ name, binary }));
  const random = makeDice(seed);
  const cases = listCases(stage.size(4, 1), stage.size(15, 1));
  const tables: Table[] = [];
  const aims: Aim[] = [];
  const add = (title: string, found: Rounds) => {
    const ratios = compareRounds(found, random);
    tables.push(writeTable(title, found, ratios));
    aims.push(...ratios.flatMap((one) => (one.name === THIS ? [describeAim(title, one.toOther)] : [])));
  };
  for (const [name, one] of Object.entries(cases)) {
    if (!only.includes(name)) continue;
    const before = options.warmUp ?? one.before;
    const requests = Math.max(one.requests, Math.ceil(before * MEASURED));
    const load = { ...one, before: stage.size(before, 16), requests: stage.size(requests, 16) };
    const floor = stage.contenders(one.scenario).filter((program) => program.name === FLOOR);
    const found = await measureFresh(stage, [...floor, ...builds], load, rounds, random);
    add(`${one.title}, ${one.connections} at once`, found);
  }
  if (only.includes(FIRST)) {
    const requests = stage.size(FIRST_REQUESTS, 16);
    const title = `a process's first ${requests.toLocaleString("en")} whole answers`;
    // The floor has no start to speak of.
    add(title, await measureFresh(stage, builds, { ...whole, before: 0, requests }, rounds, random));
  }
  return {
    title: `Two builds: this one and ${options.other}`,
    note: `${rounds} rounds, each of every program in random order (seed ${seed}), of both builds in processes of their own. CPU time is that of all threads, in user and system mode. Ratios of sums, and the interval that holds 95 % of the ratios of as many rounds drawn with replacement.`,
    tables,
    aims,
    bars: [],
  };
}

export interface Build {
  readonly name: string;
  readonly binary: string;
}

export interface Running extends Pick<Build, "name"> {
  readonly gateway: Started;
  readonly secret: string;
}

const FREE = { requests_per_day: null };

/** Starts a build on a new store. It makes its own key with those fields, since its version may have another schema. */
export async function startBuild(
  stage: Stage,
  { name, binary }: Build,
  fields: object = {},
): Promise<Running> {
  const setup = { name: `store-${crypto.randomUUID()}`, isEmpty: true };
  const gateway = await startGateway(setup, { ...stage, binary });
  return { name, gateway, secret: await addPaidKey(gateway, "bench", fields) };
}

export function makeContender({ name, gateway, secret }: Running, scenario: Scenario): Contender {
  return { name, pid: gateway.pid, ask: askGateway(gateway.port, scenario, undefined, secret) };
}

type FreshLoad = Pick<Case, "scenario" | "connections" | "isFree" | "before" | "requests">;

/**
 * Each round starts the builds afresh, on stores of their own: two processes of one build may differ by six per cent for
 * as long as they live, which rounds of the same two processes don't show.
 */
function measureFresh(
  stage: Stage,
  programs: readonly (Build | Contender)[],
  { scenario, connections, isFree, before, requests }: FreshLoad,
  rounds: number,
  random: () => number,
): Promise<Rounds> {
  const measureOne = async ({ pid, ask }: Contender, warmUp: number) =>
    (await measureCost(pid, () => ask, { connections, warmUp, requests })).cpuMicros * 1000;
  const measure = async (program: Build | Contender) => {
    if ("ask" in program) return measureOne(program, Math.ceil(requests / 5));
    const running = await startBuild(stage, program, isFree ? FREE : {});
    const nanos = await measureOne(makeContender(running, scenario), before);
    await running.gateway.stop();
    return nanos;
  };
  return inRounds(programs, rounds, measure, random);
}

interface Compared {
  readonly name: string;
  /** Null if the floor wasn't measured. */
  readonly toFloor: Ratio | null;
  readonly toOther: Ratio;
}

function compareRounds(found: Rounds, random: () => number): readonly Compared[] {
  const floor = found.get(FLOOR);
  const others = found.get(OTHER) ?? [];
  return [...found].map(([name, rounds]) => ({
    name,
    toFloor: floor ? computeRatio(rounds, floor, random) : null,
    toOther: computeRatio(rounds, others, random),
  }));
}

function writeTable(title: string, found: Rounds, compared: readonly Compared[]): Table {
  const rows = compared.map(({ name, toFloor, toOther }) => {
    const rounds = found.get(name) ?? [];
    const nanos = rounds.reduce((sum, one) => sum + one, 0) / rounds.length;
    return [
      name,
      Math.round(nanos).toLocaleString("en"),
      toFloor && name !== FLOOR ? writeRatio(toFloor) : "",
      name === THIS ? writeRatio(toOther) : "",
    ];
  });
  return { head: [title, "CPU per request, ns", "times the floor", "times the other build"], rows };
}

function describeAim(title: string, { high }: Ratio): Aim {
  return {
    what: `This build's CPU over the other's, upper end of the interval, ${title}`,
    measured: high,
    unit: "×",
    atMost: RATIO_MAX,
  };
}
