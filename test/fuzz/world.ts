// A gateway process on a separate store, with the hostile provider behind it in every dialect.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Program, startVictim, type Victim } from "../kill/process.ts";
import { FUZZED_DIALECTS } from "./right-answers.ts";
import { type HostileUpstream, startHostileUpstream } from "./upstream.ts";

const ADMIN_TOKEN = "admin-token-of-the-campaign";
/** The number of priced models of each provider. */
export const PRICED_MODELS = 40;
/** Neighbouring cases use different models, so that one answer's effect on a model's health doesn't reach the next. */
export const UNLISTED_MODELS = 5000;
const BALANCE_USD = 100_000;

export interface Secrets {
  readonly admin: string;
  /** The secret of a key that may only use the well-behaved provider. */
  readonly calm: string;
  /** The secret of a key with an unlimited allowance. */
  readonly free: string;
  /** The secret of a key whose requests are paid. */
  readonly paid: string;
}

export interface FuzzWorld {
  readonly directory: string;
  readonly url: string;
  readonly upstream: HostileUpstream;
  readonly gateway: Victim;
  readonly secrets: Secrets;
  /** Gives every provider new credentials, because retired ones are no longer used. */
  renewCredentials(): void;
  remove(): void;
}

function configuration(url: string, generation: number): string {
  const prices = "price: { input: 2, output: 8 }";
  const models = Array.from(
    { length: PRICED_MODELS },
    (_, at) => `{ name: p${at}, context: 32000, output: 1000, ${prices} }`,
  );
  const keys = JSON.stringify(Array.from({ length: 4 }, (_, at) => `key-${generation}-${at}`));
  const timeouts = "timeouts: { connect: 2s, first_byte: 1s, idle: 1s, total: 3s }";
  const provider = (name: string, dialect: string, listed: string) =>
    `  ${name}: { dialect: ${dialect}, keys: ${keys}, base_url: "${url}", unlisted_models: true, ${timeouts}, models: [${listed}] }`;
  return [
    `server: { port: 0, admin_token: "${ADMIN_TOKEN}", drain: 2s, keep_alive: 1s }`,
    "store: sqlite:./poundkey.db",
    "providers:",
    provider(
      "Calm",
      "openai",
      `{ name: calm, context: 128000, output: 4096, ${prices}, capabilities: [tools, vision, structured] }`,
    ),
    ...FUZZED_DIALECTS.map((dialect) => provider(`Hostile-${dialect}`, dialect, models.join(", "))),
    "",
  ].join("\n");
}

/** Starts the provider and the gateway, and makes the keys. */
export async function startFuzzWorld(program: Program): Promise<FuzzWorld> {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-fuzz-"));
  const upstream = await startHostileUpstream();
  let generation = 0;
  const renewCredentials = () =>
    writeFileSync(join(directory, "poundkey.yaml"), configuration(upstream.url, generation++));
  renewCredentials();
  const gateway = startVictim(program, directory);
  const url = await gateway.listens;
  const accountId = (await administer(url, "/accounts", { name: "payer" })).id;
  const funds = { amount_usd: BALANCE_USD, confirm_amount_usd: BALANCE_USD };
  await administer(url, `/accounts/${accountId}/topups`, funds);
  const secretOf = async (fields: object) =>
    String((await administer(url, "/keys", { name: "fuzz", ...fields })).secret);
  const secrets = {
    admin: ADMIN_TOKEN,
    calm: await secretOf({ requests_per_day: null, allowed_models: ["Calm#*"] }),
    free: await secretOf({ requests_per_day: null }),
    paid: await secretOf({ requests_per_day: 0, account_id: accountId }),
  };
  const remove = () => rmSync(directory, { recursive: true, force: true });
  return { directory, url, upstream, gateway, secrets, renewCredentials, remove };
}

async function administer(url: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
  const response = await fetch(`${url}/admin/v1${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
