// Errors in the coding agents: which end a turn at once, which are retried, and after how many requests they give up.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { doorTo } from "../clients/setting.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { AGENTS, type Agent, isInstalled, PATIENT_MS, runAgent } from "./agents.ts";
import { TROUBLES, type Trouble } from "./troubles.ts";

const gateways = new Map<string, UnderTest>();
const homes: string[] = [];
const seen: string[] = [];

beforeAll(async () => {
  const more = (url: string) => `
  Short: { dialect: anthropic, base_url: "${url}/anthropic/v1", keys: [sim-key], models: [{ name: sim-mini, context: 100000, output: 16 }] }
  Priced: { dialect: openai, base_url: "${url}/openai/v1", keys: [sim-key], models: [{ name: sim-mini, context: 100000, output: 1000, price: { input: 1, output: 1 } }] }`;
  gateways.set("usual", await startUnderTest({ more, server: "keep_alive: 1s" }));
  gateways.set("paid", await startUnderTest({ more: (url) => `${more(url)}\nbilling: { charge: always }` }));
  gateways.set("hasty", await startUnderTest({ more: "quota: { throttle: 50s }" }));
});
afterAll(async () => {
  for (const gateway of gateways.values()) await gateway.stop();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
  console.log(["agent | trouble | requests | seconds", ...seen].join("\n"));
});

async function findSecret({ key }: Trouble, under: UnderTest): Promise<string> {
  switch (key) {
    case "wrong":
      return `${under.secret.slice(0, -1)}_`;
    case "forbidden":
      return (await under.newKey({ allowed_models: ["Google#gemini-3.5-flash"] })).secret;
    case "used": {
      // After the allowance the throttle admits one request at once.
      const { secret } = await under.newKey({ requests_per_day: 0 });
      await new OpenAI({ apiKey: secret, baseURL: `${under.url}/v1` }).responses.create({
        model: "Local#sim-mini",
        input: "say: hi",
      });
      return secret;
    }
    default:
      return under.secret;
  }
}

async function play(agent: Agent, trouble: Trouble): Promise<void> {
  const {
    model,
    at = "usual",
    says,
    requests,
    requestsMax = requests,
    environment,
    prompt = "say: good day to you all",
  } = trouble;
  const under = gateways.get(at);
  if (!under) throw new Error(`There is no gateway '${at}'.`);
  const home = mkdtempSync(join(tmpdir(), "poundkey-agent-"));
  homes.push(home);
  const secret = await findSecret(trouble, under);
  const door = doorTo(under.url);
  const beganMs = performance.now();
  const run = {
    url: door.url,
    secret,
    model: agent.modelName(model),
    home,
    prompt,
    ...(environment ? { environment } : {}),
  };
  const printed = await runAgent(agent, run);
  const seconds = (performance.now() - beganMs) / 1000;
  await door.stop();
  const { posts } = door;
  seen.push(`${agent.name} | ${trouble.name} | ${posts.join(" ")} | ${seconds.toFixed(1)}`);
  // Codex prints the prompt too.
  const shown = printed.replaceAll(prompt, "");
  expect({ says: says.test(shown), printed }).toMatchObject({ says: true });
  const isAsExpected = posts.length >= requests && posts.length <= requestsMax;
  expect({ isAsExpected, posts }).toMatchObject({ isAsExpected: true });
}

/** True if most of the turn is waiting between retries. */
function isWaiting({ requests }: Trouble): boolean {
  return requests > 2;
}

for (const [name, troubles] of Object.entries(TROUBLES)) {
  const agent = AGENTS.find((one): one is Agent => one.name === name);
  const list = (waiting: boolean) =>
    troubles.filter((one) => isWaiting(one) === waiting).map((one) => [one.name, one] as const);
  const playOne = async (_name: string, trouble: Trouble) => {
    if (agent) await play(agent, trouble);
  };
  describe.skipIf(!agent || !isInstalled(agent))(name, () => {
    test.each(list(false))("%s", playOne, PATIENT_MS);
    test.concurrent.each(list(true))("%s", playOne, PATIENT_MS);
  });
}
