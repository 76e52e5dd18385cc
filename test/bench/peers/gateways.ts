// Poundkey as measured: the compiled binary with every feature enabled, on a separate store and configuration.
import { join } from "node:path";
import { MASTER_KEY, seedStore } from "../loads/seed.ts";
import { type Start, type Started, start } from "../processes.ts";

export interface GatewaySetup {
  /** The name of its files. */
  readonly name: string;
  readonly keys?: number;
  /** The free requests per day of each key. */
  readonly requestsPerDay?: number;
  /** The balance of each key's account. */
  readonly fundedNanoUsd?: number;
  readonly charge?: "always" | "beyond_allowance";
  /** The number of further models beside `m`. */
  readonly models?: number;
  readonly workers?: number;
  /** Further sections of its configuration, one a line. */
  readonly more?: readonly string[];
  /** True if the store stays empty, because the binary may be of a version that can't read this one's. */
  readonly isEmpty?: boolean;
}

export interface GatewayPlace {
  readonly binary: string;
  readonly directory: string;
  /** The provider's port. */
  readonly upstreamPort: number;
}

export const ADMIN_TOKEN = "benchmark-admin-token";
const FUNDED_USD = 1000;
const PRICE = "price: { input: 0.25, output: 2 }";
const LIMITS = "context: 16000000, output: 8192";

/** The most models that can be listed for one provider. */
const MODELS_OF_PROVIDER = 1000;

export function modelId(number: number): string {
  return `More${Math.floor(number / MODELS_OF_PROVIDER)}#model-${number}`;
}

function moreProviders(models: number, base: string): readonly string[] {
  return Array.from({ length: models }, (_, number) => {
    const [provider = "", name = ""] = modelId(number).split("#");
    const head = [`  ${provider}:`, ...providerLines("openai", `${base}/v1`)];
    return [
      ...(number % MODELS_OF_PROVIDER === 0 ? head : []),
      `      - { name: ${name}, ${LIMITS}, ${priceOf(number)} }`,
    ];
  }).flat();
}

/** The prices of ten thousand models all differ, so that each is a different model. */
function priceOf(number: number): string {
  const thousandths = 500 + ((number * 7919) % 10_007);
  return `price: { input: ${thousandths / 8000}, output: ${thousandths / 1000} }`;
}

function providerLines(dialect: string, base: string): readonly string[] {
  return [`    dialect: ${dialect}`, `    base_url: "${base}"`, "    keys: [sim]", "    models:"];
}

/** Every feature in use: after one free request a day the balance pays, so that both are checked for each request. */
function configurationOf(setup: GatewaySetup, { directory, upstreamPort }: GatewayPlace): string {
  const { models = 0, charge = "beyond_allowance", more = [] } = setup;
  const model = `      - { name: m, ${LIMITS}, ${PRICE} }`;
  const base = `http://127.0.0.1:${upstreamPort}`;
  return [
    `server: { host: 127.0.0.1, port: 0, admin_token: ${ADMIN_TOKEN} }`,
    `store: "sqlite:${storePath(setup, directory)}"`,
    "quota: { requests_per_day: 1, throttle: 10m }",
    `billing: { charge: ${charge} }`,
    "providers:",
    "  Local:",
    ...providerLines("openai", `${base}/v1`),
    model,
    "  Foreign:",
    ...providerLines("anthropic", base),
    model,
    // A separate provider for broken answers, so that only its breaker opens.
    "  Bad:",
    ...providerLines("openai", `${base}/v1`),
    model,
    ...moreProviders(models, base),
    ...more,
    "",
  ].join("\n");
}

function storePath({ name }: GatewaySetup, directory: string): string {
  return join(directory, name, "poundkey.db");
}

/** Fills a store and writes the configuration. Returns how to start the gateway on them. */
export async function preparedGateway(setup: GatewaySetup, place: GatewayPlace): Promise<Start> {
  const { name, workers = 1 } = setup;
  const directory = join(place.directory, name);
  const config = join(directory, "poundkey.yaml");
  await Bun.write(config, configurationOf(setup, place));
  if (!setup.isEmpty) await seedStore(storePath(setup, place.directory), setup);
  return {
    command: [
      place.binary,
      "serve",
      "--config",
      config,
      ...(workers > 1 ? ["--workers", String(workers)] : []),
    ],
    directory,
    // As a user starts it: without the variable that spares it a second start.
    env: { POUNDKEY_MASTER_KEY: MASTER_KEY, BUN_CONFIG_MAX_HTTP_REQUESTS: "" },
  };
}

export async function startGateway(setup: GatewaySetup, place: GatewayPlace): Promise<Started> {
  return start(await preparedGateway(setup, place));
}

/** Adds an account of that name with a balance, and a key of it. Returns the key's secret. */
export async function addPaidKey({ port }: Started, name: string, fields: object = {}): Promise<string> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/admin/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        "content-type": "application/json",
        "idempotency-key": `benchmark-${name}`,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} for ${name}: ${await response.text()}`);
    return (await response.json()) as { readonly id: string; readonly secret?: string };
  };
  const { id } = await post("/accounts", { name });
  await post(`/accounts/${id}/topups`, { amount_usd: FUNDED_USD });
  const { secret = "" } = await post("/keys", { name, account_id: id, ...fields });
  return secret;
}
