// The gateway for the tests of operations beyond chat: a priced model for each provider's form, and payers.
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { readSums } from "../whole/world/money-world.ts";
import { type Seen, seen } from "../whole/world/observe.ts";
import { until } from "../whole/world/until.ts";

/** USD per million tokens. */
const INPUT_USD = 0.1;
/** Returns the cost of these tokens in USD. */
export function computeCost(tokens: number): number {
  return Math.round(tokens * INPUT_USD * 1000) / NANO;
}

/** USD per search unit. */
export const SEARCH_UNIT_USD = 0.002;
const NANO = 1_000_000_000;

/** The models of the harness' providers and those behind `Priced`, by operation. */
const MODELS = [
  ["embed", "embeddings", `{ input: ${INPUT_USD} }`],
  ["embed~tokens=1000", "embeddings", `{ input: ${INPUT_USD} }`],
  ["embed~tokens=90000", "embeddings", `{ input: ${INPUT_USD} }`],
  ["embed~trouble=no-usage", "embeddings", `{ input: ${INPUT_USD} }`],
  ["embed~trouble=500", "embeddings", `{ input: ${INPUT_USD} }`],
  ["embed~trouble=400", "embeddings", `{ input: ${INPUT_USD} }`],
  ["embed~trouble=cut", "embeddings", `{ input: ${INPUT_USD} }`],
  ["embed~flaky=1~trouble=400", "embeddings", `{ input: ${INPUT_USD} }`],
  ["rank", "rerank", `{ input: ${INPUT_USD} }`],
  ["rank~trouble=no-usage", "rerank", `{ input: ${INPUT_USD} }`],
  ["rank~trouble=cut", "rerank", `{ input: ${INPUT_USD} }`],
  ["judge", "moderation", "{ input: 0 }"],
  ["judge~trouble=503", "moderation", "{ input: 0 }"],
] as const;

function writeProviders(url: string): string {
  const provider = (name: string, dialect: string, path: string, rows: readonly string[]) =>
    [
      `  ${name}:\n    dialect: ${dialect}\n    keys: ["sim-key"]\n    base_url: "${url}${path}"\n    models:`,
      ...rows.map((row) => `      - ${row}`),
    ].join("\n");
  const row = (name: string, operation: string, price: string) =>
    `{ name: "${name}", context: 8192, operations: [${operation}], price: ${price}, capabilities: ${name === "judge" ? "[vision]" : "[]"} }`;
  const priced = MODELS.map(([name, operation, price]) => row(name, operation, price));
  const units = `{ per_search_unit: ${SEARCH_UNIT_USD} }`;
  return [
    provider("Priced", "openai", "/openai/v1", [
      ...priced,
      '{ name: "talk", context: 8192, output: 1024, price: { input: 1, output: 2 } }',
    ]),
    provider("Batches", "cohere", "/cohere/v2", [
      row("embed-v4.0", "embeddings", `{ input: ${INPUT_USD} }`),
      row("rerank-v3.5", "rerank", units),
      row("rerank-v3.5~trouble=no-usage", "rerank", units),
    ]),
    provider("Many", "gemini", "/gemini/v1beta", [
      row("gemini-embedding-001", "embeddings", `{ input: ${INPUT_USD} }`),
    ]),
  ].join("\n");
}

export interface Payer {
  readonly secret: string;
  readonly accountId: string;
}

export interface OperationsWorld extends UnderTest {
  post(
    path: string,
    body: unknown,
    init?: { secret?: string; headers?: Record<string, string> },
  ): Promise<Seen>;
  /** Makes an account with this balance, and a key without an allowance. */
  payer(usd: number): Promise<Payer>;
  balanceNano(payer: Payer): Promise<number>;
  /** The number of places of the day's allowance that a key has used. */
  used(secret: string): Promise<unknown>;
  /** The request's row in the operator's log. */
  row(answer: Seen): Promise<JsonObject>;
  /** The bodies of the upstream's calls since the last reset. */
  bodies(): readonly JsonObject[];
}

export async function startOperationsWorld(more = ""): Promise<OperationsWorld> {
  const gateway = await startUnderTest({ more: (url) => [writeProviders(url), more].join("\n") });
  const read = async (path: string, token: string, body?: unknown): Promise<JsonObject> => {
    const response = await fetch(`${gateway.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return asObject(await response.json());
  };
  return {
    ...gateway,
    async post(path, body, { secret = gateway.secret, headers = {} } = {}) {
      const response = await fetch(gateway.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${secret}`, ...headers },
        body: JSON.stringify(body),
      });
      return seen(response);
    },
    async payer(usd) {
      const { id } = await read("/admin/v1/accounts", gateway.adminToken, { name: "payer" });
      const { secret } = await gateway.newKey({ account_id: id, requests_per_day: 0 });
      if (usd > 0) await gateway.topUp(String(id), usd);
      return { secret, accountId: String(id) };
    },
    async balanceNano({ accountId }) {
      const { balance_usd } = await read(`/admin/v1/accounts/${accountId}`, gateway.adminToken);
      return Math.round(Number(balance_usd) * NANO);
    },
    used: async (secret) => asObject((await read("/v1/key", secret)).allowance).used,
    row: ({ headers }) =>
      until("the request is in the log", async () => {
        const { data } = await read("/admin/v1/requests?limit=100", gateway.adminToken);
        const isOurs = (row: unknown) => asObject(row).request_id === headers.get("x-request-id");
        const found = asArray(data).find(isOurs);
        return found ? read(`/admin/v1/requests/${asObject(found).id}`, gateway.adminToken) : null;
      }),
    bodies: () => gateway.simulator.calls.all().map(({ body }) => asObject(body)),
    async stop() {
      await gateway.halt();
      const { holds, wrong_balances, wrong_entries, debts } = readSums(gateway.directory);
      await gateway.stop();
      if (holds || wrong_balances || wrong_entries || debts) throw new Error("the books don't balance");
    },
  };
}
