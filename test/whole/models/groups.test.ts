// An alias of several models over HTTP: load, conversations, failover, restricted keys, every surface.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";
import { createOperator, type Operator } from "../world/operator.ts";

const OPENAI = "OpenAI#sim-mini";
const ANTHROPIC = "Anthropic#sim-mini";
const MISTRAL = "Mistral#sim-mini";
/** The test's calls and the gateway's share one limit of open calls. */
const AT_ONCE = 40;
const BUSY = "OpenAI#sim-mini~trouble=500";

let world: UnderTest;
let operator: Operator;
beforeAll(async () => {
  world = await startUnderTest({
    more: (url) => `  Acme:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${url}/openai/v1"
    models:
      - { name: dear, context: 8192, output: 1000, price: { input: 0, output: 50 } }
      - { name: cheap, context: 8192, output: 1000, price: { input: 0, output: 1 } }
      - { name: sim-mini~trouble=500, context: 8192, output: 1000, price: { input: 0, output: 1 } }
models: { "Acme#sim-mini~trouble=500": { fallbacks: ["${MISTRAL}"] } }
aliases:
  team: [{ model: "${OPENAI}", weight: 3 }, { model: "${ANTHROPIC}" }]
  "team-*": [{ model: "${OPENAI}" }, { model: "${MISTRAL}" }]
  broken: [{ model: "${BUSY}", weight: 999 }, { model: "${ANTHROPIC}", weight: 0.01 }, { model: "${MISTRAL}", weight: 0.5 }]
  short: [{ model: "Local#sim-text~trouble=context", weight: 999 }, { model: "${MISTRAL}", weight: 0.001 }]
  dear-first: [{ model: "Acme#dear", weight: 999 }, { model: "Acme#cheap", weight: 0.001 }]
  priced: [{ model: "Acme#cheap", weight: 999 }, { model: "Acme#dear", weight: 0.001 }]`,
  });
  operator = createOperator(world);
});
afterAll(() => world.stop());

const body = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: "user", content: "say: hello" }],
  ...more,
});

async function ask(model: string, more: object = {}, secret = world.secret): Promise<Seen> {
  return seen(await world.chat(body(model, more), { secret }));
}

const usedBy = ({ headers }: Seen) => headers.get("x-poundkey-model") ?? "-";

/** Each request opens a conversation of its own. */
const countUses = (requests: number, model: string) =>
  countModels(requests, (left) =>
    ask(model, { messages: [{ role: "user", content: `say: hello ${left}` }] }),
  );

async function countModels(requests: number, askNext: (left: number) => Promise<Seen>) {
  const counts: Record<string, number> = {};
  for (let left = requests; left > 0; left -= AT_ONCE) {
    const asked = Array.from({ length: Math.min(left, AT_ONCE) }, (_, at) => askNext(left - at));
    for (const answer of await Promise.all(asked)) {
      expect(answer.status).toBe(200);
      counts[usedBy(answer)] = (counts[usedBy(answer)] ?? 0) + 1;
    }
  }
  return counts;
}

test("a named model fails over only to what the request allows", async () => {
  const send = async (allow: string) => {
    const headers = { "x-poundkey-allow": allow };
    return seen(await world.chat(body("Acme#sim-mini~trouble=500"), { secret: world.secret, headers }));
  };
  expect((await send("Acme#*")).status).toBe(502);
  expect(usedBy(await send("Mistral#*"))).toBe(MISTRAL);
});

describe("a group", () => {
  test("distributes its load by weight", async () => {
    const requests = 320;
    const counts = await countUses(requests, "team");
    expect(Object.keys(counts).toSorted()).toEqual([ANTHROPIC, OPENAI]);
    // Five standard deviations of a quarter's share.
    const bound = 5 * Math.sqrt(requests * 0.25 * 0.75);
    expect(Math.abs((counts[ANTHROPIC] ?? 0) - requests / 4)).toBeLessThan(bound);
  });

  test("keeps a conversation on its model", async () => {
    const first = usedBy(await ask("team", { user: "anna" }));
    const messages = [...body("team").messages, { role: "assistant", content: "hello" }];
    const again = () =>
      ask("team", { user: "anna", messages: [...messages, { role: "user", content: "say: hello" }] });
    expect(await countModels(30, again)).toEqual({ [first]: 30 });
  });

  test("can be named by a pattern", async () => {
    expect(Object.keys(await countUses(40, "team-of-today")).toSorted()).toEqual([MISTRAL, OPENAI]);
  });

  test("replaces a failing model with the others in order of weight, and is logged by name", async () => {
    const answer = await ask("broken", { user: "log" });
    expect([answer.status, usedBy(answer)]).toEqual([200, MISTRAL]);
    expect(answer.headers.get("x-poundkey-attempts")).toBe("2");
    expect(answer.body.model).toBe(MISTRAL);
    const row = (await operator.get(`/requests/${answer.body.id}`)).body;
    expect(row).toMatchObject({ model_asked: "broken", model_used: MISTRAL });
  });

  test("says in its row, in exports and in a metric why a turn was served elsewhere than its conversation's others", async () => {
    const count = async (cause: string) => {
      const metrics = await (await fetch(`${world.url}/metrics`)).text();
      const series = `poundkey_conversation_moves_total{level="model",cause="${cause}"} `;
      const line = metrics.split("\n").find((one) => one.startsWith(series));
      return Number(line?.slice(series.length) ?? 0);
    };
    const before = [await count("failover"), await count("needs")];
    const { body: failed } = await ask("broken", { user: "moved" });
    const row = (await operator.get(`/requests/${failed.id}`)).body;
    const init = { headers: { authorization: `Bearer ${world.adminToken}` } };
    const path = `/admin/v1/export/requests.jsonl?q=${row.request_id}`;
    const exported = await (await fetch(world.url + path, init)).text();
    expect([row.moved, exported]).toEqual(["failover", expect.stringContaining('"moved":"failover"')]);
    const headers = { "x-poundkey-max-cost": "0.0001" };
    const sent = body("dear-first", { max_tokens: 900 });
    const cheap = await seen(await world.chat(sent, { secret: world.secret, headers }));
    expect((await operator.get(`/requests/${cheap.body.id}`)).body.moved).toBe("needs");
    expect([await count("failover"), await count("needs")]).toEqual(before.map((moves) => moves + 1));
    const { body: stayed } = await ask("team", { user: "stayed" });
    expect((await operator.get(`/requests/${stayed.id}`)).body.moved).toBeNull();
    const { body: single } = await ask(OPENAI);
    expect((await operator.get(`/requests/${single.id}`)).body.moved).toBeNull();
  });

  test("skips members that are too small for the request", async () => {
    expect(usedBy(await ask("short"))).toBe(MISTRAL);
  });

  test("holds the cost of its most expensive member", async () => {
    await world.topUp("default", 1);
    const { secret } = await world.newKey({ requests_per_day: 0 });
    const answer = await ask("priced", { max_tokens: 1000 }, secret);
    expect(usedBy(answer)).toBe("Acme#cheap");
    const row = (await operator.get(`/requests/${answer.body.id}`)).body;
    expect(Number(row.hold_usd)).toBeCloseTo((1000 * 50) / 1e6, 3);
    expect(Number(row.cost_usd)).toBeLessThan(0.001);
  });

  test("can be paid for as long as the balance covers one member", async () => {
    const { id } = (await operator.post("/accounts", { name: "small" })).body;
    await world.topUp(String(id), 0.002);
    const { secret } = await world.newKey({ requests_per_day: 0, account_id: id });
    for (let at = 0; at < 5; at++) {
      const answer = await ask("dear-first", { max_tokens: 900 }, secret);
      expect([answer.status, usedBy(answer)]).toEqual([200, "Acme#cheap"]);
    }
  });

  test("works with streams and on every surface", async () => {
    const headers = { "content-type": "application/json", "x-api-key": world.secret };
    const post = async (path: string, sent: object) => {
      const init = { method: "POST", headers: { ...headers, authorization: `Bearer ${world.secret}` } };
      const response = await fetch(world.url + path, { ...init, body: JSON.stringify(sent) });
      expect([path, response.status, await response.text()]).toEqual([path, 200, expect.any(String)]);
      expect(response.headers.get("x-poundkey-model")).toMatch(/^(OpenAI|Anthropic)#sim-mini$/);
    };
    await post("/v1/chat/completions", body("team", { stream: true }));
    await post("/v1/messages", body("team", { max_tokens: 50 }));
    await post("/v1/responses", { model: "team", input: "say: hello" });
    const contents = [{ role: "user", parts: [{ text: "say: hello" }] }];
    await post("/v1beta/models/team:generateContent", { contents });
  });
});

describe("a restricted key", () => {
  test("only uses the members it may use", async () => {
    const { secret } = await world.newKey({ requests_per_day: null, allowed_models: [ANTHROPIC] });
    for (let at = 0; at < 12; at++) expect(usedBy(await ask("team", {}, secret))).toBe(ANTHROPIC);
  });

  test("can't use or see a group without such members", async () => {
    const { secret } = await world.newKey({ requests_per_day: null, allowed_models: ["Cohere#sim-mini"] });
    expect(formatLine(await ask("team", {}, secret))).toBe("403 permission_error model_not_allowed");
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${world.url}/v1/models/team`, { headers })).status).toBe(404);
  });

  test("sees groups in the list of models, except patterns", async () => {
    const list = async (secret: string) => {
      const headers = { authorization: `Bearer ${secret}` };
      const { data } = asObject(await (await fetch(`${world.url}/v1/models`, { headers })).json());
      return asArray(data).flatMap((one) => {
        const { id, owned_by } = asObject(one);
        return owned_by === "poundkey" && !String(id).startsWith("Router#") ? [id] : [];
      });
    };
    expect(await list(world.secret)).toEqual(["team", "broken", "short", "dear-first", "priced"]);
    const { secret } = await world.newKey({ requests_per_day: null, allowed_models: [OPENAI] });
    expect(await list(secret)).toEqual(["team"]);
  });

  test("sees the members that it may use", async () => {
    const show = async (secret: string) => {
      const response = await fetch(`${world.url}/v1/models/team`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      return asObject(await response.json());
    };
    const { secret } = await world.newKey({ requests_per_day: null, allowed_models: [ANTHROPIC] });
    expect((await show(world.secret)).description).toBe(`Shares the load among ${OPENAI}, ${ANTHROPIC}.`);
    expect(await show(secret)).toMatchObject({
      id: "team",
      object: "model",
      owned_by: "poundkey",
      description: `Shares the load among ${ANTHROPIC}.`,
    });
  });
});

test("groups appear in the console's settings", async () => {
  const { aliases } = (await operator.get("/settings")).body;
  expect(asArray(asObject(aliases).team)).toEqual([
    { model: OPENAI, weight: 3 },
    { model: ANTHROPIC, weight: 1 },
  ]);
});
