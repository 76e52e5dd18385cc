// Generates `src/catalogue/models.data.json` from the public model lists: `bun test/catalogue/build.ts FOLDER`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CAPABILITIES } from "../../src/core/models/card.ts";
import { ADDED } from "./added.ts";
import {
  BEDROCK_PROFILES,
  findBedrockLike,
  isPlaceholder,
  listBedrockCapabilities,
  listBedrockDialects,
} from "./bedrock.ts";
import { BUILT_FOR, CAPABILITY_RULES, FILLS_IN, KINDS, LEFT_OUT } from "./corrections.ts";
import { findEnd } from "./ends.ts";
import { finishPrice, listLaterPrices } from "./finished-prices.ts";
import { HOSTED } from "./hosted.ts";
import { NEWER, type Newer } from "./newer.ts";
import { OPEN_ROUTER } from "./openrouter.ts";
import { passOn } from "./passed-on.ts";
import { findTwin } from "./platforms.ts";
import { WINDOWS } from "./repriced.ts";
import {
  curatedPrices,
  type DatedPrices,
  datedPrice,
  datedPrices,
  type ModelFacts,
  mergedList,
  PROVIDER_NAMES,
  type PriceFacts,
} from "./sources.ts";
import { findSuccessor } from "./successors.ts";

interface Row {
  id: string;
  owner: string;
  released: string | null;
  shutdown?: string;
  successor?: string;
  context: number | null;
  output: number | null;
  price: PriceFacts | null;
  later_prices?: readonly (PriceFacts & { from: string })[];
  capabilities: string[];
  kind?: string;
  /** Chat only if missing. */
  operations?: string[];
  like?: string;
  dialects?: readonly string[];
}

export interface Built {
  /** The file's whole text. */
  readonly text: string;
  readonly rows: readonly Row[];
  /** Prices on which the lists disagree, and the one chosen. */
  readonly disagreements: readonly string[];
}

const SLIP = 50;
const CLOUDS: ReadonlySet<string> = new Set(["Azure", "Vertex"]);
const ORDER = [...new Set([...Object.values(PROVIDER_NAMES), "MiniMax", "SambaNova", "Novita", "Baseten"])];

/** The catalogue's rows from the lists in `folder`. Throws if two lists' prices differ as if in other units. */
export function buildRows(folder: string): Built {
  const dated = datedPrices(folder);
  const rows = new Map<string, Row>();
  const clouds: Row[] = [];
  for (const facts of mergedList(folder)) {
    const reason = LEFT_OUT[facts.provider]?.find((rule) => rule.names.test(facts.name));
    if (facts.kind !== "chat" || facts.deprecated || reason) continue;
    if (CLOUDS.has(facts.provider)) clouds.push(rowOf(facts));
    else rows.set(`${facts.provider}#${facts.name}`, rowOf(facts));
  }
  const disagreements = comparePrices(rows, dated, curatedPrices(folder));
  for (const row of rows.values()) row.price = completed(row, dated);
  for (const newer of NEWER) applyNewer(rows, newer, dated);
  for (const profile of BEDROCK_PROFILES) applyNewer(rows, profile, dated, true);
  for (const row of rows.values()) {
    const like = findBedrockLike(row.id, (id) => rows.has(id));
    if (like !== undefined) row.like = like;
    finish(row);
  }
  for (const row of clouds) addTwin(rows, row, dated);
  for (const [name, like] of Object.entries(OPEN_ROUTER)) {
    finish(applyNewer(rows, { id: `OpenRouter#${name}`, like }, dated, true));
  }
  for (const hosted of HOSTED) {
    const row = applyNewer(rows, hosted, dated, true);
    row.like = hosted.like;
    finish(row);
  }
  for (const added of ADDED) addRow(rows, added, dated);
  const sorted = [...rows.values()].sort(byProviderThenName).map(orderFields);
  return {
    rows: sorted,
    disagreements,
    text: `[\n${sorted.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`,
  };
}

/** The optional fields last, in the same order in every row. */
function orderFields({
  kind,
  operations,
  like,
  dialects,
  shutdown,
  successor,
  later_prices,
  ...row
}: Row): Row {
  return {
    ...row,
    ...(later_prices ? { later_prices } : {}),
    ...(shutdown ? { shutdown } : {}),
    ...(successor ? { successor } : {}),
    ...(kind ? { kind } : {}),
    ...(like ? { like } : {}),
    ...(dialects ? { dialects } : {}),
    ...(operations ? { operations } : {}),
  };
}

function byProviderThenName(one: Row, other: Row): number {
  const rank = (row: Row) => ORDER.indexOf(row.id.slice(0, row.id.indexOf("#")));
  return rank(one) - rank(other) || (one.id < other.id ? -1 : 1);
}

function rowOf(facts: ModelFacts): Row {
  const has: Record<string, boolean> = {
    tools: facts.tools,
    tools_auto: false,
    vision: facts.inputs.includes("image"),
    files: facts.inputs.includes("pdf"),
    audio: facts.inputs.includes("audio"),
    structured: facts.structured,
    reasoning: facts.reasoning,
    search: false,
  };
  return {
    id: `${facts.provider}#${facts.name}`,
    owner: ownerOf(facts.provider, facts.name),
    ...(isPlaceholder(facts) ? { released: null, context: null, output: null } : readLimits(facts)),
    price: facts.price,
    capabilities: CAPABILITIES.filter((capability) => has[capability]),
  };
}

function readLimits({ released, context, output }: ModelFacts): Pick<Row, "released" | "context" | "output"> {
  return { released, context, output };
}

/** A host's names start with the maker's name. All others are the provider's own. */
function ownerOf(provider: string, name: string): string {
  const slash = name.indexOf("/");
  return slash === -1 || name.startsWith("accounts/") ? provider : name.slice(0, slash);
}

/** The row's price plus what only the dated list states, if the base price is equal: cache rates, searches, tiers. */
function completed(row: Row, dated: readonly DatedPrices[]): PriceFacts | null {
  const [provider, name] = split(row.id);
  const other = datedPrice(dated, provider, name, BUILT_FOR);
  if (row.price === null || other === null) return row.price;
  // The dated list is newer, and it has the higher prices of regional profiles.
  if (provider === "Bedrock") return other;
  if (other.input !== row.price.input || other.output !== row.price.output) return row.price;
  const { tiers, ...rates } = other;
  const reached = (tiers ?? []).filter((tier) => row.context === null || tier.above_tokens < row.context);
  return { ...rates, ...(reached.length > 0 ? { tiers: reached } : {}), ...row.price };
}

/** Replaces the listed row by a newer one. With `sameModel`, `like`'s dates and limits apply too. */
function applyNewer(
  rows: Map<string, Row>,
  newer: Newer,
  dated: readonly DatedPrices[],
  sameModel = false,
): Row {
  const [provider, listed] = split(newer.id);
  const name = newer.name ?? listed;
  const like = newer.like === undefined ? undefined : rows.get(newer.like);
  if (newer.like !== undefined && like === undefined) throw new Error(`${newer.id}: no ${newer.like}`);
  const old = rows.get(newer.id);
  const twin = sameModel ? like : undefined;
  const listedPrice = old?.price ?? datedPrice(dated, provider, name, BUILT_FOR);
  const row: Row = {
    id: `${provider}#${name}`,
    owner: ownerOf(provider, name),
    released: newer.released ?? old?.released ?? twin?.released ?? null,
    context: newer.context ?? old?.context ?? twin?.context ?? null,
    output: newer.output ?? old?.output ?? twin?.output ?? null,
    price: newer.price ?? passedOn(listedPrice, twin?.price ?? null),
    capabilities: [...((like ?? old)?.capabilities ?? [])],
  };
  rows.delete(newer.id);
  rows.set(row.id, row);
  return row;
}

/** A cloud's row, if its model is in the catalogue elsewhere, with the cloud's own limits and prices. */
function addTwin(rows: Map<string, Row>, row: Row, dated: readonly DatedPrices[]): void {
  const twin = findTwin(...split(row.id), (id) => rows.has(id));
  if (twin === null) return;
  rows.set(row.id, row);
  const added = applyNewer(rows, { id: row.id, like: twin.like }, dated, true);
  added.owner = rows.get(twin.like)?.owner ?? added.owner;
  added.like = twin.like;
  if (twin.dialects) added.dialects = twin.dialects;
  finish(added);
}

/** A row of a model that the lists lack, at the price of the same model elsewhere. */
function addRow(rows: Map<string, Row>, added: (typeof ADDED)[number], dated: readonly DatedPrices[]): void {
  const { id, like, factor = 1, dialects } = added;
  const twin = rows.get(like);
  if (twin === undefined || rows.has(id)) throw new Error(`${id}: no ${like}, or it is there already`);
  const own = id.slice(0, id.indexOf("#")) === like.slice(0, like.indexOf("#"));
  const row = applyNewer(rows, { id, like }, dated, true);
  row.price = twin.price && passOn(twin.price, factor, own);
  // A host's names that start with the maker's name have said so.
  if (row.owner === id.slice(0, id.indexOf("#"))) row.owner = twin.owner;
  if (dialects) row.dialects = dialects;
  row.like = like;
  finish(row);
}

/** A reseller with the maker's base price passes on all prices except searches, though its list may be older. */
function passedOn(price: PriceFacts | null, maker: PriceFacts | null): PriceFacts | null {
  if (price === null || price.input !== maker?.input || price.output !== maker.output) return price;
  const { per_search: _, ...rates } = maker;
  return rates;
}

function finish(row: Row): void {
  const window = WINDOWS[row.id];
  if (window !== undefined) [row.context, row.output] = [window.context, window.output ?? null];
  const later = listLaterPrices(row.id, row.price);
  if (later.length > 0) row.later_prices = later;
  row.price = finishPrice(row.id, row.price);
  for (const rule of CAPABILITY_RULES.filter((one) => one.ids.test(row.id))) {
    const kept = new Set(
      [...row.capabilities, ...(rule.add ?? [])].filter((one) => !rule.remove?.includes(one)),
    );
    row.capabilities = CAPABILITIES.filter((capability) => kept.has(capability));
  }
  row.capabilities = listBedrockCapabilities(row.id, row.capabilities);
  const dialects = listBedrockDialects(row.id);
  if (dialects) row.dialects = dialects;
  const shutdown = findEnd(row.id);
  if (shutdown) row.shutdown = shutdown;
  const successor = shutdown && findSuccessor(row.id);
  if (successor) row.successor = successor;
  const kind = KINDS.find(({ names }) => names.test(row.id))?.kind;
  if (kind) row.kind = kind;
  if (FILLS_IN.test(row.id)) row.operations = ["chat", "completion"];
}

function split(id: string): [string, string] {
  const at = id.indexOf("#");
  return [id.slice(0, at), id.slice(at + 1)];
}

function comparePrices(
  rows: ReadonlyMap<string, Row>,
  dated: readonly DatedPrices[],
  curated: ReadonlyMap<string, { readonly input: number; readonly output: number }>,
): string[] {
  const found: string[] = [];
  for (const row of rows.values()) {
    const [provider, name] = split(row.id);
    const second = { dated: datedPrice(dated, provider, name, BUILT_FOR), curated: curated.get(row.id) };
    for (const [list, other] of Object.entries(second)) {
      if (
        !other ||
        row.price === null ||
        (other.input === row.price.input && other.output === row.price.output)
      )
        continue;
      const ratio = other.input / row.price.input;
      if (other.input > 0 && (ratio >= SLIP || ratio <= 1 / SLIP))
        throw new Error(`${row.id}: a price is off by a unit`);
      const newer = NEWER.find((one) => one.id === row.id)?.price;
      const taken = newer ?? row.price;
      found.push(
        `${row.id}: merged ${row.price.input}/${row.price.output}, ${list} ${other.input}/${other.output}, taken ${taken.input}/${taken.output}`,
      );
    }
  }
  return found;
}

if (import.meta.main) {
  const built = buildRows(process.argv[2] ?? ".");
  writeFileSync(join(import.meta.dirname, "..", "..", "src", "catalogue", "models.data.json"), built.text);
  for (const line of built.disagreements) console.error(line);
  console.error(
    `${built.rows.length} models of ${new Set(built.rows.map((row) => split(row.id)[0])).size} providers`,
  );
}
