// The columns by which each list can be sorted, and the order of lists that lie in memory.
import type { SortedPage, SortedPosition, SortedRow } from "../world/page.ts";

/** The first of each is the one by which a list that names only an order is sorted. */
export const SORTS = {
  keys: ["created", "name", "cost", "used", "state"],
  accounts: ["created", "name", "cost", "balance", "state"],
  members: ["created", "name", "cost", "seen", "state"],
  batches: ["created", "status", "lines", "cost"],
  models: ["name", "context", "max_output", "input", "output", "released"],
  tools: ["name", "price"],
  credentials: ["state", "errors", "called", "running", "weight"],
} as const;

export type ListName = keyof typeof SORTS;
export type SortOf<List extends ListName> = (typeof SORTS)[List][number];

/** The other columns begin with the highest, the latest or the dearest. */
const UPWARDS: ReadonlySet<string> = new Set(["name", "state", "status", "price", "input", "output"]);

/** True if a list sorted by the column begins with its lowest value unless an order is chosen. */
export function isUpwards(by: string): boolean {
  return UPWARDS.has(by);
}

type PlainSortValue = string | number | null;
/** Returns the value of a row by which each column sorts it. */
type SortValues<By extends string, Row> = Readonly<Record<By, (row: Row) => PlainSortValue>>;

interface SortedModel {
  readonly id: string;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly pricing: { readonly input: number; readonly output: number } | null;
  readonly released: string | null;
}

export const MODEL_VALUES: SortValues<SortOf<"models">, SortedModel> = {
  name: ({ id }) => id.toLowerCase(),
  context: ({ context_window }) => context_window,
  max_output: ({ max_output_tokens }) => max_output_tokens,
  input: ({ pricing }) => pricing?.input ?? null,
  output: ({ pricing }) => pricing?.output ?? null,
  released: ({ released }) => released,
};

interface SortedCredential {
  readonly state: (typeof CREDENTIAL_STATES)[number];
  readonly error_rate: number | null;
  readonly called_at: string | null;
  readonly in_flight: number;
  readonly weight: number;
}

/** Those that serve first. */
export const CREDENTIAL_STATES = ["active", "resting", "retired", "disabled"] as const;

export const CREDENTIAL_VALUES: SortValues<SortOf<"credentials">, SortedCredential> = {
  state: ({ state }) => CREDENTIAL_STATES.indexOf(state),
  errors: ({ error_rate }) => error_rate,
  called: ({ called_at }) => called_at,
  running: ({ in_flight }) => in_flight,
  weight: ({ weight }) => weight,
};

/** Rows without the value come last in either order. Those of the same one stay in the order that they have. */
export function sortRows<By extends string, Row>(
  rows: readonly Row[],
  values: SortValues<By, Row>,
  { by, isDown }: { readonly by: By; readonly isDown: boolean },
): readonly Row[] {
  const readValue = values[by];
  return rows.toSorted((one, other) => {
    const value = readValue(one);
    const beside = readValue(other);
    if (value === null || beside === null) return Number(value === null) - Number(beside === null);
    return compare(value, beside) * (isDown ? -1 : 1);
  });
}

/** Returns the page's rows. Those of the same value stand in the order of their ids. */
export function findSorted<By extends string, Row extends { readonly id: string }>(
  rows: readonly Row[],
  values: Readonly<Record<By, (row: Row) => string | number>>,
  { by, isDown, limit, after }: SortedPage<By>,
): readonly SortedRow<Row>[] {
  const readValue = values[by];
  const order = (one: SortedPosition, other: SortedPosition) =>
    (compare(one.value, other.value) || compare(one.id, other.id)) * (isDown ? -1 : 1);
  const found = rows
    .map((row) => ({ row, value: readValue(row), id: row.id }))
    .filter((one) => after === null || order(one, after) > 0);
  return found.toSorted(order).slice(0, limit);
}

function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
