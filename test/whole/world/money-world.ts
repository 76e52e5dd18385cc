// A gateway with priced models, funded accounts, and a view of its books from outside.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { OPEN_REQUESTS } from "../../harness/noted.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { type GatedUpstream, startGatedUpstream } from "./money-upstream.ts";
import { until } from "./until.ts";

/** USD per million tokens. One USD per million is 1,000 nano-dollars per token. */
export const PRICE = { input: 1, output: 2, cached_input: 0.25 } as const;
const PRICE_YAML = `price: { input: ${PRICE.input}, output: ${PRICE.output}, cached_input: ${PRICE.cached_input} }`;
/** The fallback's price. */
export const CHEAP = { input: 0.1, output: 0.2 } as const;

const NANO = 1_000_000_000;

/** Returns the cost of a usage at `PRICE`, in nano-dollars. */
export function computePrice(prompt: number, completion: number): number {
  return 1000 * (prompt * PRICE.input + completion * PRICE.output);
}

export interface Payer {
  readonly secret: string;
  readonly keyId: string;
  readonly accountId: string;
}

/** The store's rows about one account, read from its file. */
export interface Books {
  readonly holds: number;
  /** Journal entries, oldest first. */
  readonly entries: readonly JsonObject[];
  readonly kinds: readonly string[];
  readonly balance: number;
  readonly held: number;
  readonly requests: readonly JsonObject[];
  readonly used: number;
}

export interface MoneyWorld extends UnderTest {
  readonly gated: GatedUpstream;
  /** The simulator behind `Acme`, `Claude` and `Gemini`. */
  readonly provider: Simulator;
  /** Makes an account with this balance, and a key without an allowance. */
  payer(usd: number, fields?: Record<string, unknown>): Promise<Payer>;
  /** The account as the operator sees it. */
  account(payer: Payer): Promise<JsonObject>;
  /** The key as its holder sees it. */
  holder(payer: Payer): Promise<JsonObject>;
  books(payer: Payer): Books;
  /** Returns the books once nothing is held and `count` requests are recorded. */
  settled(payer: Payer, count?: number): Promise<Books>;
}

function modelRows(names: readonly string[], fields = "context: 128000, output: 4096"): string {
  return names.map((name) => `      - { name: "${name}", ${fields}, ${PRICE_YAML} }`).join("\n");
}

const SHOP_MODELS = [
  "sim",
  "sim-think",
  "sim~trouble=500",
  "sim~trouble=cut",
  "sim~trouble=cut~after=0",
  "sim~trouble=400",
  "sim~trouble=503",
  "sim~trouble=error-mid~after=0",
  "sim~trouble=cut-clean",
  "sim~trouble=garbage",
  "sim~trouble=error-mid",
  "sim~trouble=no-usage",
  "sim~trouble=no-content",
  "sim~tokens=1000:500",
  "sim~tokens=1001:501:333",
  "sim~tokens=134000:4096",
  "sim~tokens=10000000:10000000",
  "sim~tokens=134401:4000",
  "sim~tokens=5:5:10000000",
  "sim~trouble=silent",
  "sim~flaky=1~trouble=500~latency=600~tokens=1000:500",
  "sim~trouble=huge~size=1100~tokens=1000:500",
  "sim~pace=50~tokens=1000:500",
];
const FOREIGN_MODELS = [
  "sim~trouble=odd-usage~tokens=1000:500",
  "sim~tokens=1000:500",
  "sim-think~tokens=1000:500:100:50",
  "sim~trouble=500",
];
const GATED_MODELS = [
  "calm",
  "mute",
  "headed",
  "middle",
  "last",
  "counted",
  "snaps",
  "closes",
  "uneven",
  "second",
  "flood",
  "wordy",
];

function providers(provider: string, gated: string): string {
  const at = (name: string, dialect: string, url: string, more = "") =>
    `  ${name}:\n    dialect: ${dialect}\n    keys: ["sim-key"]\n    base_url: "${url}"\n${more}    models:`;
  const hasty = "    timeouts: { first_byte: 1s, idle: 1s, total: 6s }\n";
  return [
    at("Acme", "openai", `${provider}/openai/v1`),
    modelRows(SHOP_MODELS),
    `      - { name: spare, context: 128000, output: 4096, price: { input: ${CHEAP.input}, output: ${CHEAP.output} } }`,
    `      - { name: unknown-limit, context: 8192, ${PRICE_YAML} }`,
    `      - { name: "toll~tokens=1000:500", context: 128000, output: 4096, price: { input: ${PRICE.input}, output: ${PRICE.output}, per_request: 0.001 } }`,
    `      - { name: wide, context: 200000, output: 64000, price: { input: 5, output: 25 } }`,
    `      - { name: narrow, context: 200000, output: 8192, price: { input: 5, output: 25 } }`,
    "      - { name: gift, price: { input: 0, output: 0 } }",
    "      - { name: unpriced, context: 128000, output: 4096 }",
    at("Claude", "anthropic", `${provider}/anthropic/v1`),
    modelRows(FOREIGN_MODELS),
    at("Gemini", "gemini", `${provider}/gemini/v1beta`),
    modelRows(FOREIGN_MODELS),
    at("Gated", "openai", gated),
    modelRows(GATED_MODELS),
    at("Hasty", "openai", gated, hasty),
    modelRows(GATED_MODELS),
    "models:",
    '  "Acme#sim~trouble=503": { fallbacks: ["Acme#spare"] }',
  ].join("\n");
}

/** `more` are further sections of the configuration. */
export async function startMoneyWorld(more = "", server = ""): Promise<MoneyWorld> {
  const provider = await startSimulator({ host: "127.0.0.1", port: 0 });
  const gated = await startGatedUpstream();
  const gateway = await startUnderTest({
    more: [providers(provider.url, gated.url), more].join("\n"),
    server,
  });
  const admin = async (path: string, body?: unknown): Promise<JsonObject> => {
    const response = await fetch(`${gateway.url}/admin/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${gateway.adminToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return asObject(await response.json());
  };
  const books = (payer: Payer) => booksIn(join(gateway.directory, "poundkey.db"), payer);
  return {
    ...gateway,
    provider,
    gated,
    books,
    async payer(usd, fields = {}) {
      const { id: accountId } = await admin("/accounts", { name: "payer" });
      const { secret, id: keyId } = await gateway.newKey({
        account_id: accountId,
        requests_per_day: 0,
        ...fields,
      });
      if (usd > 0) await gateway.topUp(String(accountId), usd);
      return { secret, keyId, accountId: String(accountId) };
    },
    account: ({ accountId }) => admin(`/accounts/${accountId}`),
    async holder({ secret }) {
      const response = await fetch(`${gateway.url}/v1/key`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      return asObject(await response.json());
    },
    settled: (payer, count = 1) =>
      until(`${count} requests are settled`, () => {
        const found = books(payer);
        return found.holds === 0 && found.requests.length >= count ? found : null;
      }),
    async stop() {
      await gateway.stop();
      await provider.stop();
      await gated.stop();
    },
  };
}

function booksIn(file: string, { accountId, keyId }: Payer): Books {
  const store = new Database(file, { readonly: true });
  try {
    store.run("PRAGMA busy_timeout = 2000");
    const all = (sql: string, id: string) => store.query<JsonObject, [string]>(sql).all(id);
    // A transaction, because the gateway may be settling meanwhile.
    store.run("BEGIN");
    const [account = {}] = all("SELECT balance_nano, held_nano FROM account WHERE id = ?", accountId);
    const [meter = {}] = all("SELECT coalesce(sum(used), 0) AS used FROM meter WHERE owner = ?", keyId);
    const entries = all("SELECT * FROM entry WHERE account_id = ? ORDER BY seq", accountId);
    return {
      holds: all("SELECT id FROM hold WHERE account_id = ?", accountId).length,
      entries,
      kinds: entries.map(({ kind }) => String(kind)),
      balance: Number(account.balance_nano),
      held: Number(account.held_nano),
      requests: all("SELECT * FROM request WHERE key_id = ? ORDER BY at_ms, id", keyId),
      used: Number(meter.used),
    };
  } finally {
    store.close();
  }
}

/** Converts an answer's amount in USD to nano-dollars. */
export function parseNano(usd: unknown): number {
  return Math.round(Number(usd) * NANO);
}

/** Sums up the journals to show that balances agree, nothing is held and no entry is missing. */
export function readSums(directory: string): JsonObject {
  const store = new Database(join(directory, "poundkey.db"), { readonly: true });
  store.run("PRAGMA busy_timeout = 5000");
  const sql = `SELECT
    ${OPEN_REQUESTS} AS holds,
    (SELECT coalesce(sum(held_nano), 0) FROM account) AS held,
    (SELECT count(*) FROM account WHERE balance_nano <>
      (SELECT coalesce(sum(balance_nano), 0) FROM entry WHERE account_id = account.id)) AS wrong_balances,
    (SELECT count(*) FROM entry WHERE balance_nano + held_nano + funding_nano + revenue_nano + overrun_nano <> 0) AS wrong_entries,
    (SELECT coalesce(sum(spend.held_nano), 0) FROM spend) AS spends_held,
    (SELECT count(*) FROM account WHERE balance_nano < 0) AS debts`;
  const sums = asObject(store.query(sql).get());
  store.close();
  return sums;
}
