// LiteLLM's tables as CSV files, and what an import makes of them.
import { expect } from "bun:test";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import { digestForeign } from "./litellm-rows.ts";
import { type Place, usePlaces } from "./places.ts";

const CONFIG = `model_list:
  - { model_name: chat, litellm_params: { model: openai/gpt-5.4, api_key: os.environ/K } }
  - { model_name: mini, litellm_params: { model: openai/gpt-5.4-mini, api_key: os.environ/K } }
`;

type Cells = Readonly<Record<string, unknown>>;

/** A CSV of rows with different columns, as PostgreSQL writes it. */
function writeCsv(rows: readonly Cells[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const write = (value: unknown) => {
    const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
    return `"${text.replaceAll('"', '""')}"`;
  };
  return [columns.join(","), ...rows.map((row) => columns.map((one) => write(row[one])).join(","))].join(
    "\n",
  );
}

export const key = (name: string, cells: Cells = {}): Cells => ({
  token: digestForeign(name),
  key_alias: name,
  ...cells,
});

export interface Row {
  readonly item: string;
  readonly outcome: string;
  readonly words: string;
}

interface Imported {
  readonly place: Place;
  readonly code: number;
  readonly rows: readonly Row[];
  readonly counts: Readonly<Record<string, number>>;
  readonly find: (item: string) => Row | undefined;
  readonly again: (...more: string[]) => Promise<readonly Row[]>;
}

/** Returns a function that imports tables as CSV files, each by its flag, with more of the configuration. Call it once in a file. */
export function useTables() {
  const makePlace = usePlaces();
  return (tables: Tables, settings = "") => importTables(makePlace, tables, settings);
}

type Tables = Readonly<Record<string, readonly Cells[]>>;

async function importTables(
  makePlace: ReturnType<typeof usePlaces>,
  tables: Tables,
  settings: string,
): Promise<Imported> {
  const files = Object.entries(tables).map(([flag, rows]) => [`${flag}.csv`, writeCsv(rows)] as const);
  const place = makePlace({ "litellm.yaml": `${CONFIG}${settings}`, ...Object.fromEntries(files) });
  const flags = Object.keys(tables).flatMap((flag) => [`--${flag}`, place.path(`${flag}.csv`)]);
  const run = (...more: string[]) =>
    place.run("litellm", place.path("litellm.yaml"), ...flags, "--json", ...more);
  const { code, out } = await run();
  const { rows, counts }: { rows: readonly Row[]; counts: Imported["counts"] } = JSON.parse(out);
  const again = async (...more: string[]) => JSON.parse((await run(...more)).out).rows;
  return { place, code, rows, counts, again, find: (item) => rows.find((row) => row.item === item) };
}

export async function readStore({ open }: Place) {
  const { store } = await open();
  try {
    const keys = await store.keys({ limit: 100, after: null });
    const accounts = await store.accounts({ limit: 100, after: null });
    return { accounts, keys: new Map(keys.map((one): [string, GatewayKey] => [one.name, one])) };
  } finally {
    await store.close();
  }
}

export const budget = (usd: number, per: string) => expect.objectContaining({ nanoUsd: usd * 1e9, per });
