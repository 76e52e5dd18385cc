// Runs `poundkey catalogue update` in this process, beside files that exist only in a test.

import { SHIPPED_DAY } from "../../src/catalogue/feeds/as-of.ts";
import type { ModelUse } from "../../src/catalogue/feeds/use-report.ts";
import { formatDay } from "../../src/catalogue/later-prices.ts";
import { runCatalogue } from "../../src/cli/models/catalogue.ts";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { makeLiteLlmRow } from "../catalogue/feed-samples.ts";
import { readFrom } from "../harness/settings.ts";

export const ID = "OpenAI#gpt-5.4";
/** Half a day after the built-in rows, so that no list of that day is older. */
const NOW_MS = Date.parse(`${SHIPPED_DAY}T12:00:00Z`);
const DAY_MS = 86_400_000;
/** Returns the day that lies so many days ahead. */
export const dayAhead = (days: number) => formatDay(NOW_MS + days * DAY_MS);
export const FILE = `catalogue: catalogue.json
providers: { OpenAI: { keys: [k] } }
`;
export const ROW = {
  id: "OpenAI#gpt-99",
  owner: "OpenAI",
  released: null,
  context: 1000,
  output: 100,
  price: { input: 1, output: 2 },
  capabilities: ["tools"],
};

interface Run {
  readonly list: unknown;
  readonly format?: string;
  readonly flags?: readonly string[];
  readonly config?: string;
  readonly from?: string;
  readonly now?: string;
  readonly file?: unknown;
  /** The store's sums of the last 30 days. Missing if there is no store. */
  readonly uses?: readonly ModelUse[] | Error;
}

/** Runs the command once. `written` is the catalogue file afterwards, null if it wasn't written. */
export async function update({
  list,
  format = "litellm",
  flags = [],
  config = FILE,
  from,
  now,
  file = [ROW],
  uses,
}: Run) {
  const printed: string[] = [];
  const io = { out: (line: string) => printed.push(line), err: (line: string) => printed.push(line) };
  const text = typeof list === "string" ? list : JSON.stringify(list);
  const files: Record<string, string> = {
    "poundkey.yaml": config,
    "list.json": text,
    ...(file === null ? {} : { "catalogue.json": JSON.stringify(file) }),
  };
  const readFile = readFrom(files);
  const source = { env: () => undefined, readConfig: readFile, readFile, known: PROVIDERS };
  let written: string | null = null;
  const ports = {
    fetch,
    readBytes: (path: string) => Buffer.from(readFile(path)),
    nowMs: () => (now === undefined ? NOW_MS : Date.parse(now)),
    readUse: async () => {
      if (uses instanceof Error) throw uses;
      return uses ?? null;
    },
    changeFile: async (_path: string, change: (before: string | null) => string) => {
      written = change(files["catalogue.json"] ?? null);
    },
  };
  const args = ["update", "--from", from ?? "list.json", "--format", format, ...flags];
  const code = await runCatalogue(args, io, source, ports);
  return { code, out: printed.join("\n"), written: written === null ? null : asObject(parseJson(written)) };
}

export function findRow(written: Record<string, unknown> | null, id = ID) {
  return asObject(asArray(written?.models).find((row) => asObject(row).id === id));
}

export const priced = (input: number, output: number) =>
  makeLiteLlmRow({ input_cost_per_token: input / 1e6, output_cost_per_token: output / 1e6 });
