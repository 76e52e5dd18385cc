// Two of LiteLLM's own proxies in a row behind the gateway: what the far one says that an answer cost is what is charged.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { freePort } from "../bench/processes.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { IS_LONG } from "../harness/long.ts";
import { createOperator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";

const LITELLM = join(import.meta.dir, "..", "..", ".venv", "litellm", "bin", "litellm");
const START_MS = 120_000;
const KEY = "sk-hop";
/** Of the far proxy, and of the gateway's card: a cost by the card is ten times as high. */
const PRICE = { input: 3, output: 15 };
/** Of five tokens in and four out. */
const COST_USD = (5 * PRICE.input + 4 * PRICE.output) / 1e6;

interface Proxy {
  stop(): Promise<unknown>;
}

/** Starts a proxy with one model. */
async function startProxy(under: UnderTest, name: string, port: number, params: object): Promise<Proxy> {
  const file = join(under.directory, `${name}.yaml`);
  const settings = { include_cost_in_streaming_usage: true };
  const model_list = [{ model_name: name, litellm_params: params }];
  const general_settings = { master_key: KEY };
  writeFileSync(file, JSON.stringify({ model_list, litellm_settings: settings, general_settings }));
  const child = Bun.spawn([LITELLM, "--config", file, "--host", "127.0.0.1", "--port", String(port)], {
    cwd: under.directory,
    env: { PATH: process.env.PATH ?? "", HOME: under.directory, LITELLM_LOCAL_MODEL_COST_MAP: "True" },
    stdout: "ignore",
    stderr: "ignore",
  });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/health/liveliness`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(`the proxy ${name} listens`, isUp, START_MS);
  return {
    stop() {
      child.kill();
      return child.exited;
    },
  };
}

const IS_RUN = IS_LONG && existsSync(LITELLM);

describe.skipIf(!IS_RUN)("two proxies in a row (in the long form, if LiteLLM is installed)", () => {
  let under: UnderTest;
  let proxies: readonly Proxy[] = [];
  beforeAll(async () => {
    const [far, near] = [await freePort(), await freePort()];
    const card = `price: { input: ${10 * PRICE.input}, output: ${10 * PRICE.output} }, context: 9000, output: 2000`;
    under = await startUnderTest({
      more: `  Chained:
    dialect: openai
    base_url: "http://127.0.0.1:${near}/v1"
    keys: [${KEY}]
    reports_cost: { header: x-litellm-response-cost, field: usage.cost }
    models: [{ name: near, ${card} }]`,
    });
    const perToken = {
      input_cost_per_token: PRICE.input / 1e6,
      output_cost_per_token: PRICE.output / 1e6,
    };
    const api_base = `${under.simulator.url}/openai/v1`;
    proxies = await Promise.all([
      startProxy(under, "far", far, { model: "openai/sim-mini", api_base, api_key: "k", ...perToken }),
      startProxy(under, "near", near, {
        model: "litellm_proxy/far",
        api_base: `http://127.0.0.1:${far}`,
        api_key: KEY,
      }),
    ]);
  }, START_MS);
  afterAll(async () => {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await under.stop();
  });

  test.each([false, true])("charges what the answer reports (streamed: %p)", async (stream) => {
    const messages = [{ role: "user", content: "say: one two three" }];
    const answer = await under.chat({ model: "Chained#near", messages, stream });
    expect(answer.status).toBe(200);
    await answer.text();
    const id = answer.headers.get("x-request-id");
    const row = await until("the row is written", async () => {
      const { data } = (await createOperator(under).get("/requests?limit=10")).body;
      return asArray(data)
        .map(asObject)
        .find(({ request_id }) => request_id === id);
    });
    expect(Number(row.cost_usd)).toBeCloseTo(COST_USD, 12);
    expect(Number(row.claimed_cost_usd)).toBe(Number(row.cost_usd));
  });
});
