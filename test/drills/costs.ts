// Counts what one request costs a gateway: the objects that it makes and the statements that it runs.
import { asObject } from "../../src/core/json/json.ts";
import { type Counts, keepGreatest } from "./judging.ts";
import type { MeasuredGateway } from "./measured-gateway.ts";

/** Objects per request, by kind. */
type Objects = Readonly<Record<string, number>>;

export interface Request {
  readonly name: string;
  /** The requests of a batch. */
  readonly count: number;
  /** Missing for one that is sent alone: the lines of each, which share its costs. */
  readonly lines?: number;
  send(): Promise<void>;
}

/** A request runs other code at first, such as caches being filled. */
const WARMING = { request: 5, lines: 1 };
/** The greatest of as many counts: what differs between them is the way in which bytes arrive. */
export const TAKES = { request: 10, lines: 3 };
/** While nothing is sent, the gateway comes to rest within a few looks at its heap. */
const LOOKS_MAX = 20;
const SYNCS_A_SECOND = 2;
/**
 * The objects that a running batch makes in each second, which are none of its lines': it is looked at, and on a busy machine
 * its lines wait for their turn.
 */
const UPKEEP_A_SECOND: Readonly<Record<string, number>> = {
  functions: 170,
  promises: 100,
  arrays: 220,
  objects: 130,
  strings: 130,
  scopes: 190,
  others: 40,
};

/** Cells of the engine itself, which describe code. */
const ENGINE = /Structure|PropertyTable|Executable|CodeBlock|RareData|SymbolTable/;
const KINDS: readonly (readonly [kind: string, type: RegExp])[] = [
  ["functions", /^(Async|Generator|Bound)?Function$/],
  ["promises", /Promise|^AsyncFunctionGenerator$/],
  ["Maps", /^(Weak)?(Map|Set)$/],
  ["arrays", /^(Array|Cell Butterfly)$/],
  ["objects", /^Object$/],
  ["strings", /^string$/],
  ["scopes", /^JSLexicalEnvironment$/],
];

/** Returns how many objects of each kind the gateway has made, since none is ever removed. */
async function readHeap(gateway: MeasuredGateway): Promise<ReadonlyMap<string, number>> {
  const types = asObject(await gateway.ask("heap"));
  const counts = new Map<string, number>();
  for (const [type, count] of Object.entries(types)) {
    if (ENGINE.test(type)) continue;
    const kind = KINDS.find(([, types]) => types.test(type))?.[0] ?? "others";
    counts.set(kind, (counts.get(kind) ?? 0) + Number(count));
  }
  return counts;
}

type Heap = ReadonlyMap<string, number>;

function subtract(after: Heap, before: Heap): Heap {
  return new Map([...after].map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)]));
}

/**
 * Runs the work while the gateway does nothing by itself, and its clocks stand still: a request before it does what is done
 * from time to time. A batch has timers of its own.
 */
export async function holdTime<Result>(
  gateway: MeasuredGateway,
  { lines, send }: Request,
  work: () => Promise<Result>,
): Promise<Result> {
  await gateway.ask(lines === undefined ? "hold" : "holdIntervals");
  try {
    if (lines === undefined) await send();
    return await work();
  } finally {
    await gateway.ask("release");
  }
}

/** Returns the heap of a gateway that has come to rest, and what a look at it makes. */
async function readResting(gateway: MeasuredGateway): Promise<{ readonly heap: Heap; readonly look: Heap }> {
  let heap = await readHeap(gateway);
  let look: Heap = new Map();
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const next = await readHeap(gateway);
    const made = subtract(next, heap);
    heap = next;
    if (Bun.deepEquals(made, look)) break;
    look = made;
  }
  return { heap, look };
}

/** Returns the objects that one of the requests makes, by kind, if all of them made as many within so many seconds. */
function divide(made: Heap, { count, lines }: Request, seconds: number): Objects {
  const kinds = [...KINDS.map(([kind]) => kind), "others"];
  const upkeep = (kind: string) => (lines === undefined ? 0 : seconds * (UPKEEP_A_SECOND[kind] ?? 0));
  const countOf = (kind: string) => ((made.get(kind) ?? 0) - upkeep(kind)) / count / (lines ?? 1);
  return Object.fromEntries(kinds.map((kind) => [kind, Math.round(countOf(kind))]));
}

/** Returns the objects of a request in each of several takes, without those that counting takes. */
async function takeObjects(
  gateway: MeasuredGateway,
  request: Request,
  takes: number,
): Promise<readonly Objects[]> {
  const { heap, look } = await readResting(gateway);
  const taken: Objects[] = [];
  for (let before = heap; taken.length < takes; ) {
    const startedMs = performance.now();
    await sendAll(request);
    const after = await readHeap(gateway);
    const seconds = (performance.now() - startedMs) / 1000;
    taken.push(divide(subtract(subtract(after, before), look), request, seconds));
    before = after;
  }
  return taken;
}

async function sendAll({ count, send }: Request): Promise<void> {
  for (let sent = 0; sent < count; sent++) await send();
}

/** Counts the objects of a request, and the promises among them: the greatest of several takes. */
export async function countObjects(gateway: MeasuredGateway, request: Request): Promise<Counts> {
  const how = request.lines === undefined ? "request" : "lines";
  for (let sent = 0; sent < WARMING[how]; sent++) await request.send();
  const taken = await holdTime(gateway, request, () => takeObjects(gateway, request, TAKES[how]));
  const takes = taken.map((kinds): Counts => {
    const objects = Object.values(kinds).reduce((sum, count) => sum + count, 0);
    return { objects, promises: kinds.promises ?? Number.NaN };
  });
  console.log(`${request.name}: ${takes.map(({ objects }) => objects).join(" ")} objects; ${JSON.stringify(taken.at(-1))}`);
  return takes.reduce(keepGreatest);
}

/** Counts the statements of a request: the greatest of several takes. */
export async function countStatements(gateway: MeasuredGateway, request: Request): Promise<Counts> {
  const { count, lines = 1 } = request;
  const takes = request.lines === undefined ? TAKES.request : TAKES.lines;
  const all = await holdTime(gateway, request, () => countRuns(gateway, request, takes));
  const perRequest = all.map(({ statements }): Counts => {
    const sum = (what: keyof StatementRuns) =>
      Math.round(statements.reduce((total, counts) => total + counts[what], 0) / count / lines);
    return { statements: sum("runs"), values: sum("values") };
  });
  return perRequest.reduce(keepGreatest);
}

/** The transactions and the syncs of files that all lines take together. */
export interface SharedCosts {
  readonly transactions: number;
  readonly syncs: number;
}

/**
 * Counts the transactions and syncs of one request with lines. Each second of a slow run writes the results so far, which is
 * a piece and its folder, and isn't counted.
 */
export async function countShared(gateway: MeasuredGateway, request: Request): Promise<SharedCosts> {
  const startedMs = performance.now();
  const alone = { ...request, count: 1 };
  const [run] = await holdTime(gateway, request, () => countRuns(gateway, alone, 1));
  if (run === undefined) throw new Error("nothing ran");
  const seconds = Math.floor((performance.now() - startedMs) / 1000);
  return { transactions: run.transactions, syncs: run.syncs - SYNCS_A_SECOND * seconds };
}

interface StatementRuns {
  readonly runs: number;
  /** The values that were bound, in all runs. */
  readonly values: number;
}

interface Ran extends SharedCosts {
  /** By its text. */
  readonly statements: ReadonlyMap<string, StatementRuns>;
}

async function readRan(gateway: MeasuredGateway): Promise<Ran> {
  const { statements, transactions, syncs } = asObject(await gateway.ask("ran"));
  const runs = Object.entries(asObject(statements)).map(([text, counted]) => {
    const { runs, values } = asObject(counted);
    return [text, { runs: Number(runs), values: Number(values) }] as const;
  });
  return { statements: new Map(runs), transactions: Number(transactions), syncs: Number(syncs) };
}

interface Run extends SharedCosts {
  readonly statements: readonly StatementRuns[];
}

/** Returns what ran each time that all was sent. */
async function countRuns(gateway: MeasuredGateway, request: Request, times: number): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let before = await readRan(gateway); runs.length < times; ) {
    await sendAll(request);
    const after = await readRan(gateway);
    runs.push(subtractRuns(after, before));
    before = after;
  }
  return runs;
}

function subtractRuns(after: Ran, before: Ran): Run {
  return {
    statements: [...after.statements].map(([text, { runs, values }]) => ({
      runs: runs - (before.statements.get(text)?.runs ?? 0),
      values: values - (before.statements.get(text)?.values ?? 0),
    })),
    transactions: after.transactions - before.transactions,
    syncs: after.syncs - before.syncs,
  };
}
