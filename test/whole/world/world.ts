// The gateway for the scenario tables: short waits, and providers with odd habits beside the usual ones.
import type { Fetch } from "../../../src/core/world/world.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";

/** The longest silence of a stream, in milliseconds. */
export const KEEP_ALIVE_MS = 2000;

/** Every provider of the harness: one per dialect, and others that reach the same dialect by another route. */
export const PROVIDER_NAMES = [
  "OpenAI",
  "Anthropic",
  "Google",
  "Mistral",
  "Perplexity",
  "Cohere",
  "Local",
  "Responses",
] as const;

export interface HttpWorld extends UnderTest {
  /** The simulator behind `Odd`, `Hasty`, `Pair`, `Busy` and `Acme`. */
  readonly odd: Simulator;
  /** The number of upstream calls since the last look. */
  callsSince(): number;
}

/** Providers behind a second simulator. `Acme` has prices, so that selectors can choose there. */
function oddProviders(url: string): string {
  const at = `dialect: openai, base_url: "${url}/openai/v1"`;
  return `
  Hasty: { ${at}, keys: ["sim-key"], unlisted_models: true, timeouts: { first_byte: 700ms, idle: 700ms } }
  Pair: { ${at}, keys: ["bad-key", "no-credit", "bad-key-2", "sim-key"], unlisted_models: true }
  Refused: { ${at}, keys: ["bad-key", "no-credit", "bad-key-2"], unlisted_models: true }
  Gone: { dialect: openai, keys: ["sim-key"], base_url: "http://127.0.0.1:1/v1", unlisted_models: true }
  Acme:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${url}/openai/v1"
    models:
      - { name: dear, context: 8192, output: 1024, price: { input: 10, output: 50 }, capabilities: [tools] }
      - { name: cheap, context: 8192, output: 1024, price: { input: 0.1, output: 0.5 }, capabilities: [tools] }
      - { name: dear~trouble=500, context: 8192, output: 1024, price: { input: 10, output: 50 } }
      - { name: cheap~trouble=429, context: 8192, output: 1024, price: { input: 0.1, output: 0.5 } }
      - { name: late~latency=2700~trouble=503, context: 8192, output: 1024, price: { input: 1, output: 5 } }
      - { name: tired~latency=1100~trouble=503, context: 8192, output: 1024, price: { input: 1, output: 5 } }
      - { name: slow~latency=1100, context: 8192, output: 1024, price: { input: 1, output: 5 } }
      - { name: picky~trouble=400, context: 8192, output: 1024, price: { input: 1, output: 5 } }
      - { name: maker/model-1, context: 8192, output: 1024, price: { input: 1, output: 2 }, capabilities: [] }
models:
  "Acme#late~latency=2700~trouble=503": { fallbacks: ["Acme#cheap"] }
  "Acme#tired~latency=1100~trouble=503": { fallbacks: ["Acme#slow~latency=1100"] }
  "Acme#picky~trouble=400": { fallbacks: ["Acme#cheap"] }
  "Acme#dear~trouble=500": { fallbacks: ["Acme#dear"] }
aliases: { house: "Acme#cheap", gpt: "OpenAI#gpt-5.4", any: "Router#light", pass: "Local#whatever" }`;
}

/** YAML added to the world's configuration. */
export interface WorldSetup {
  /** Rows of `providers:`, indented by two. */
  readonly providers?: string;
  /** Further sections. */
  readonly more?: string;
  /** Further fields of `server:`, which override the short `keep_alive`. */
  readonly server?: string;
  /** Used for upstream calls, in this process only. */
  readonly fetch?: Fetch;
}

/** Starts both simulators and the gateway. */
export async function startHttpWorld(setup: WorldSetup = {}): Promise<HttpWorld> {
  const { providers = "", more = "", server = "", fetch } = setup;
  const odd = await startSimulator({ host: "127.0.0.1", port: 0 });
  const keepAlive = server.includes("keep_alive") ? "" : `keep_alive: ${KEEP_ALIVE_MS}ms`;
  const gateway = await startUnderTest({
    more: [providers, oddProviders(odd.url), more].join("\n"),
    server: [keepAlive, server].filter((fields) => fields !== "").join(", "),
    ...(fetch ? { fetch } : {}),
  });
  let looked = 0;
  return {
    ...gateway,
    odd,
    callsSince() {
      const total = gateway.simulator.calls.total + odd.calls.total;
      const since = total - looked;
      looked = total;
      return since;
    },
    async stop() {
      await gateway.stop();
      await odd.stop();
    },
  };
}

/** A chat-completions body that asks `model` to repeat `text`. */
export function asking(model: string, text = "say: good day", more: Record<string, unknown> = {}) {
  return { model, messages: [{ role: "user", content: text }], ...more };
}
