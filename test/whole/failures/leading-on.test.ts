// The failures that lead to another model or credential: retired models, dead credentials, partial outages, and fallbacks for some failures only.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asObject, asString } from "../../../src/core/json/json.ts";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { formatLine, type Seen, seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import { asking } from "../world/world.ts";

const KEYS = 12;
const ANSWER = {
  id: "x",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

type Said = readonly [status: number, error: unknown];
const say = (status: number, message: string, more: object = {}): Said => [
  status,
  { error: { message, ...more } },
];

/** By the model's name. Models that aren't here answer. */
const REFUSALS: Readonly<Record<string, Said>> = {
  retired: say(404, "The model `retired` does not exist or you do not have access to it.", {
    code: "model_not_found",
  }),
  unrouted: say(404, "No endpoints found for vendor/unrouted."),
  unpulled: say(404, 'model "unpulled" not found, try pulling it first'),
  deployment: say(404, "The API deployment for this resource does not exist.", {
    code: "DeploymentNotFound",
  }),
  ended: say(400, "The model `ended` has been decommissioned and is no longer supported.", {
    code: "model_decommissioned",
  }),
  unavailable: say(400, "Unable to access model.", { code: "model_not_available" }),
  invalid: say(400, "Invalid model: invalid", { code: "invalid_model" }),
  "kimi-k2.5": say(404, "Not found the model kimi-k2.5 or Permission denied", {
    code: "model_not_found",
  }),
  ingress: [404, "<html>404 page not found</html>"],
  file: say(404, "No such file: file-123", { param: "messages[0].content" }),
  response: say(404, "Response with id 'resp_1' not found."),
  filtered: say(400, "The prompt was filtered.", { code: "content_filter" }),
  long: say(400, "This model's maximum context length is 10 tokens.", { code: "context_length_exceeded" }),
  picky: say(400, "temperature: Extra inputs are not permitted"),
  large: say(
    429,
    "Request too large for large in organization o on tokens per min (TPM): Limit 30, Requested 45.",
    {
      code: "rate_limit_exceeded",
    },
  ),
  down: say(503, "down"),
  poison: say(403, "This content may not be asked for."),
};

let calls: string[] = [];
let deadKeys = 0;
let deadStatus = 401;
let failures = 0;
const upstream = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const model = asString(asObject(await request.json()).model) ?? "";
    const key = Number(request.headers.get("authorization")?.match(/key-(\d+)$/)?.[1] ?? KEYS);
    calls.push(model);
    if (model === "partial" && failures++ % 2 === 0) return Response.json({ error: "down" }, { status: 503 });
    if (key < deadKeys)
      return Response.json({ error: { message: "Incorrect API key provided" } }, { status: deadStatus });
    const said = REFUSALS[model];
    if (said === undefined) return Response.json(ANSWER);
    const [status, body] = said;
    return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status });
  },
});

const GONE = ["retired", "unrouted", "unpulled", "deployment", "ended", "unavailable", "invalid", "ingress"];
const OWN = Object.keys(REFUSALS).concat("partial", "served");

function yaml(): string {
  const keys = Array.from({ length: KEYS }, (_, at) => `"a-secret-key-${at}"`);
  const model = (name: string) =>
    `{ name: ${name}, context: ${name === "good" ? 100_000 : 8192}, output: 100, price: { input: 1, output: 1 } }`;
  const base = `dialect: openai, base_url: "${upstream.url}v1"`;
  const spare = '"Spare#good"';
  const models = [
    ...[...GONE, "file", "response", "picky", "long", "filtered", "partial", "down"].map(
      (name) => `  "P#${name}": { fallbacks: [${spare}] }`,
    ),
    `  "Q#filtered": { fallbacks: [{ model: ${spare}, on: [filter] }] }`,
    `  "Q#long": { fallbacks: ["Spare#down", { model: ${spare}, on: [overflow] }] }`,
    `  "Q#picky": { fallbacks: [{ model: ${spare}, on: [refused] }] }`,
    `  "Q#down": { fallbacks: [{ model: ${spare}, on: [filter, refused] }] }`,
  ];
  return `
  P: { ${base}, keys: [only-key], models: [${OWN.map(model).join(", ")}] }
  Q: { ${base}, keys: [only-key], models: [${OWN.map(model).join(", ")}] }
  Pool: { ${base}, keys: [${keys.join(", ")}], models: [${["served", "poison"].map(model).join(", ")}] }
  Moonshot: { base_url: "${upstream.url}v1", keys: [only-key] }
  Spare: { ${base}, keys: [only-key], models: [${["good", "down"].map(model).join(", ")}] }
models:
${models.join("\n")}
aliases:
  large-first: [{ model: "P#large", weight: 1000 }, { model: "Spare#good", weight: 0.001 }]
  ingress-first: [{ model: "Q#ingress", weight: 1000 }, { model: "Spare#good", weight: 0.001 }]`;
}

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ more: yaml });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
});
beforeEach(() => {
  calls = [];
});

const ask = async (model: string, secret = gateway.secret): Promise<Seen> =>
  seen(await gateway.chat(asking(model), { secret }));
const served = ({ status, headers }: Seen) => `${status} by ${headers.get("x-poundkey-model")}`;

describe("a model that its provider doesn't have", () => {
  test.each(GONE)("leads to its fallback: %s", async (name) => {
    expect(served(await ask(`P#${name}`))).toBe("200 by Spare#good");
    expect(calls).toEqual([name, "good"]);
  });

  test("rests if the provider says so, and one event tells of it", async () => {
    expect(served(await ask("P#retired"))).toBe("200 by Spare#good");
    expect(calls).toEqual(["good"]);
    const told = gateway.events.filter(({ event, model }) => event === "model_gone" && model === "P#retired");
    if (BINARY === undefined) expect(told).toHaveLength(1);
  });

  test.each([false, true])(
    "has ended if its last day is over, and the error names its successor (stream: %p)",
    async (stream) => {
      const answer = await gateway.chat(
        { ...asking("Moonshot#kimi-k2.5"), stream },
        { secret: gateway.secret },
      );
      const { error } = asObject(await answer.json());
      expect([answer.status, asObject(error).code, asObject(error).param, asObject(error).message]).toEqual([
        404,
        "model_ended",
        "model",
        "The model 'Moonshot#kimi-k2.5' has ended: its last day was 2026-08-31. Did you mean 'Moonshot#kimi-k2.6'?",
      ]);
      expect(calls).toEqual(["kimi-k2.5"]);
    },
  );

  test("is still asked by its name if it has no fallback", async () => {
    for (const _ of [1, 2]) expect((await ask("Q#retired")).status).toBe(404);
    expect(calls).toEqual(["retired", "retired"]);
  });

  test("rests after a bare 404 only once another account has met one", async () => {
    const own = await gateway.newKey({ requests_per_day: null });
    const other = await gateway.newKey({
      requests_per_day: null,
      account_id: await gateway.newAccount("other"),
    });
    for (const _ of [1, 2, 3])
      expect(served(await ask("ingress-first", own.secret))).toBe("200 by Spare#good");
    expect(calls.filter((name) => name === "ingress")).toHaveLength(3);
    calls = [];
    for (const _ of [1, 2])
      expect(served(await ask("ingress-first", other.secret))).toBe("200 by Spare#good");
    expect(calls).toEqual(["ingress", "good", "good"]);
  });

  test.each(["file", "response"])("isn't meant by a 404 about another thing: %s", async (name) => {
    const answer = await ask(`P#${name}`);
    expect([answer.status, calls]).toEqual([404, [name]]);
  });
});

describe("a fallback", () => {
  test.each(["filtered", "long", "picky"])("without failures of its own isn't for: %s", async (name) => {
    expect((await ask(`P#${name}`)).status).toBe(400);
    expect(calls).toEqual([name]);
  });

  test("is asked after the failures that it names", async () => {
    expect(served(await ask("Q#filtered"))).toBe("200 by Spare#good");
    expect(served(await ask("Q#picky"))).toBe("200 by Spare#good");
    expect(served(await ask("Q#long"))).toBe("200 by Spare#good");
    expect(calls).toEqual(["filtered", "good", "picky", "good", "long", "good"]);
  });

  test("isn't asked after others", async () => {
    expect(formatLine(await ask("Q#down"))).toBe("502 api_error upstream_error");
    expect(calls).toEqual(["down"]);
  });
});

test("a request beyond a model's tokens a minute goes to the group's next, and nothing rests for smaller ones", async () => {
  for (const _ of [1, 2]) expect(served(await ask("large-first"))).toBe("200 by Spare#good");
  expect(calls).toEqual(["large", "good", "large", "good"]);
});

describe("dead credentials", () => {
  test("are passed over within one request, and those that are named invalid are retired", async () => {
    deadKeys = KEYS - 1;
    for (let at = 0; at < 4; at++) expect(served(await ask("Pool#served"))).toBe("200 by Pool#served");
    const { body } = await createOperator(gateway).get("/providers");
    const states = JSON.stringify(body).match(/"state":"retired"/g) ?? [];
    expect(calls.length).toBeLessThanOrEqual(KEYS + 3);
    expect(states.length).toBe(calls.length - 4);
    deadKeys = 0;
  });

  test("aren't retired by a request that all of them refuse alike", async () => {
    const before = gateway.events.filter(({ event }) => event === "credential_retired").length;
    expect(formatLine(await ask("Pool#poison"))).toBe("502 api_error upstream_auth");
    expect(gateway.events.filter(({ event }) => event === "credential_retired")).toHaveLength(before);
    expect(served(await ask("Pool#served"))).toBe("200 by Pool#served");
  });

  test("at their limit are passed over too", async () => {
    deadKeys = KEYS - 1;
    deadStatus = 429;
    expect(served(await ask("Pool#served"))).toBe("200 by Pool#served");
    deadKeys = 0;
    deadStatus = 401;
  });
});

test("in a partial outage every request reaches the healthy fallback", async () => {
  const answers = await Promise.all(Array.from({ length: 80 }, () => ask("P#partial")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});
