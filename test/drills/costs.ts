// Counts what one request costs a gateway: the objects that it makes and the statements that it runs.
import { asObject } from "../../src/core/json/json.ts";
import type { MeasuredGateway } from "./measured-gateway.ts";

/** Objects per request, by kind. */
export type Objects = Readonly<Record<string, number>>;

export interface Request {
  readonly name: string;
  /** The requests of a batch. */
  readonly count: number;
  /** Missing for one that is sent alone: the lines of each, which share its costs. */
  readonly lines?: number;
  send(): Promise<void>;
}

interface Repeats {
  readonly batches: number;
  /** A request runs other code at first, such as caches being filled. */
  readonly warming: number;
  /** Of statements. */
  readonly runs: number;
}

const USUAL: Repeats = { batches: 5, warming: 5, runs: 5 };
const OF_LINES: Repeats = { batches: 2, warming: 1, runs: 2 };
const SYNCS_A_SECOND = 2;

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

/** Returns the objects that a batch makes, by kind. */
async function countBatch(
  gateway: MeasuredGateway,
  send: () => Promise<void>,
  count: number,
): Promise<ReadonlyMap<string, number>> {
  const before = await readHeap(gateway);
  for (let sent = 0; sent < count; sent++) await send();
  const after = await readHeap(gateway);
  return new Map([...after].map(([kind, made]) => [kind, made - (before.get(kind) ?? 0)]));
}

async function sendAll({ count, send }: Request): Promise<void> {
  for (let sent = 0; sent < count; sent++) await send();
}

/**
 * Counts the objects of a request, without those that counting takes. Of several batches, the fewest count: timers and
 * answers that arrive in pieces on a busy machine only add some.
 */
export async function countObjects(gateway: MeasuredGateway, request: Request): Promise<Objects> {
  const { lines = 1 } = request;
  const repeats = lines === 1 ? USUAL : OF_LINES;
  for (let sent = 0; sent < repeats.warming; sent++) await request.send();
  const counting = await countBatch(gateway, async () => {}, 0);
  const batches: ReadonlyMap<string, number>[] = [];
  for (let batch = 0; batch < repeats.batches; batch++)
    batches.push(await countBatch(gateway, request.send, request.count));
  const countOf = (kind: string) =>
    Math.min(...batches.map((counts) => counts.get(kind) ?? 0)) - (counting.get(kind) ?? 0);
  const kinds = [...KINDS.map(([kind]) => kind), "others"];
  return Object.fromEntries(kinds.map((kind) => [kind, Math.round(countOf(kind) / request.count / lines)]));
}

/** The statements that a request runs, and the values that are bound to them. */
export interface Statements {
  readonly statements: number;
  readonly values: number;
}

/** The transactions and the syncs of files that all lines take together. */
export interface SharedCosts {
  readonly transactions: number;
  readonly syncs: number;
}

/**
 * Counts the statements of a request. Requests one at a time share none, so that each of theirs runs about as often as they
 * do: upkeep, which takes the more the longer a busy machine needs, doesn't count. Of several runs, the fewest.
 */
export async function countStatements(gateway: MeasuredGateway, request: Request): Promise<Statements> {
  const { count, lines = 1 } = request;
  const { runs } = lines === 1 ? USUAL : OF_LINES;
  let least = { statements: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };
  for (let run = 0; run < runs; run++) {
    const { statements } = await countRun(gateway, request);
    const own = statements.filter(({ runs }) => runs >= (count * lines) / 2);
    const sum = (what: keyof StatementRuns) =>
      Math.round(own.reduce((total, counts) => total + counts[what], 0) / count / lines);
    const counted = { statements: sum("runs"), values: sum("values") };
    if (counted.statements < least.statements) least = counted;
  }
  return least;
}

/**
 * Counts the transactions and syncs of one request with lines. Each second of a slow run writes the results so far, which is
 * a piece and its folder, and isn't counted.
 */
export async function countShared(gateway: MeasuredGateway, request: Request): Promise<SharedCosts> {
  const startedMs = performance.now();
  const { transactions, syncs } = await countRun(gateway, { ...request, count: 1 });
  const seconds = Math.floor((performance.now() - startedMs) / 1000);
  return { transactions, syncs: syncs - SYNCS_A_SECOND * seconds };
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

/** Returns what ran while all was sent. */
async function countRun(
  gateway: MeasuredGateway,
  request: Request,
): Promise<SharedCosts & { readonly statements: readonly StatementRuns[] }> {
  const before = await readRan(gateway);
  await sendAll(request);
  const after = await readRan(gateway);
  return {
    statements: [...after.statements].map(([text, { runs, values }]) => ({
      runs: runs - (before.statements.get(text)?.runs ?? 0),
      values: values - (before.statements.get(text)?.values ?? 0),
    })),
    transactions: after.transactions - before.transactions,
    syncs: after.syncs - before.syncs,
  };
}
