// The console's review of a list of prices in each of its states: a gateway that watches a list, and what it finds there.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publishList } from "../../../src/app/models/publish-list.ts";
import { asArray, asObject, isObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import { type ConsoleWorld, startConsoleWorld } from "../visitor.ts";

export const REVIEW_STATES = ["nothing", "many", "refused", "hiding"] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

export const NEW_MODELS = ["OpenAI#gpt-99", "Anthropic#claude-fable-9", "Google#gemini-9-neon"] as const;
const CHANGES = 160;
export const HIDDEN = 12;

/** Providers that the gateway under test has. */
const ENABLED = /^(OpenAI|Anthropic|Google|Mistral|Perplexity|Cohere|Voyage|Jina|Bedrock)#/;
/** Of the changes, one in so many moves too far to be taken without a person. */
const FAR_EVERY = 8;
const NOBODYS_KEY = Buffer.alloc(32, 1).toString("base64");

interface List extends JsonObject {
  readonly serial: number;
  readonly as_of: string;
  readonly models: readonly JsonObject[];
}

function readBuiltIn(folder: string): List {
  publishList({ withFiles: [], only: [], folder });
  const list = asObject(parseJson(readFileSync(join(folder, "catalogue.json"), "utf8")));
  return {
    ...list,
    serial: Number(list.serial),
    as_of: String(list.as_of),
    models: asArray(list.models).map(asObject),
  };
}

/** Returns the price with all rates per million tokens times `ratio`. */
function scale(price: unknown, ratio: number): unknown {
  if (Array.isArray(price)) return price.map((one) => scale(one, ratio));
  if (!isObject(price)) return price;
  return Object.fromEntries(
    Object.entries(price).map(([name, value]) => {
      const isRate = typeof value === "number" && !/tokens$|^per_|hour/.test(name);
      return [name, isRate ? Math.round(value * ratio * 1e6) / 1e6 : scale(value, ratio)];
    }),
  );
}

function isPriced({ id, price, shutdown }: JsonObject): boolean {
  return ENABLED.test(String(id)) && Number(asObject(price).input) > 0 && shutdown === undefined;
}

function changeMany({ models, ...list }: List): List {
  const [first = {}] = models.filter(isPriced);
  const added = NEW_MODELS.map((id) => ({ ...first, id, released: "2026-11-28" }));
  let changed = 0;
  const rows = models.map((row) => {
    if (!isPriced(row) || changed === CHANGES) return row;
    changed += 1;
    return { ...row, price: scale(row.price, changed % FAR_EVERY === 0 ? 3 : 1.2) };
  });
  return { ...list, serial: list.serial + 1, models: [...rows, ...added] };
}

/** A catalogue file of February: rows with prices of their own, and one with a price that the program has changed since. */
function hideSome({ models }: List): object {
  const [replaced, ...rows] = models.filter(isPriced).slice(0, HIDDEN + 1);
  const taken = { from: "litellm 2026-02-01", on: "2026-02-01", was: { price: "0123456789abcdef" } };
  return {
    as_of: "2026-02-01",
    models: [
      ...rows.map((row) => ({ ...row, price: scale(row.price, 2) })),
      { id: replaced?.id, price: scale(replaced?.price, 2), taken },
    ],
  };
}

/** A gateway whose review has the state. */
export async function startReviewState(state: ReviewState): Promise<ConsoleWorld> {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-review-"));
  const file = join(folder, "own.json");
  const builtIn = readBuiltIn(folder);
  const text = JSON.stringify(state === "many" ? changeMany(builtIn) : builtIn);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response(url.endsWith(".sig") ? Buffer.alloc(64) : text),
  });
  const files = state === "hiding" ? { [file]: JSON.stringify(hideSome(builtIn)) } : {};
  // The binary reads them from the disk.
  for (const [path, content] of Object.entries(files)) writeFileSync(path, content);
  const keys = state === "refused" ? `, keys: ["${NOBODYS_KEY}"]` : "";
  const world = await startConsoleWorld({
    more: `catalogue: { file: "${file}", watch: { from: "${server.url}list.json"${keys} } }`,
    files,
    fetch,
  });
  const operator = createOperator(world.gateway);
  await until("the list was looked at", async () => {
    const { compared_at: comparedAt, list } = (await operator.get("/catalogue")).body;
    return comparedAt !== null || asObject(list).refused !== null;
  });
  return {
    ...world,
    async stop() {
      await world.stop();
      await server.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
