// Thinking of the history that the model wasn't shown: each reason of a provider stands in row, metric and header, once.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator } from "../world/operator.ts";

/** Changes a provider's whole answer on its way. */
let distort: ((body: JsonObject) => JsonObject) | null = null;
/** Returns the words by which the provider refuses a request. Null if it takes it. */
let refuse: (body: JsonObject) => string | null = () => null;

const distorting: Fetch = async (url, init) => {
  const request = new Request(url, init);
  const message = refuse(asObject(parseJson(await request.clone().text())));
  if (message !== null)
    return Response.json(
      { type: "error", error: { type: "invalid_request_error", message } },
      { status: 400 },
    );
  const answer = await fetch(request);
  if (distort === null) return answer;
  return Response.json(distort(asObject(await answer.json())));
};

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({
    fetch: distorting,
    more: (url) => {
      const at = (dialect: string, path: string) =>
        `{ dialect: ${dialect}, base_url: "${url}${path}", keys: [sim-key], unlisted_models: true }`;
      return `  Claude: ${at("anthropic", "/anthropic/v1")}\n  Answers: ${at("responses", "/openai/v1")}`;
    },
  });
});
afterAll(() => world.stop());

const HI = [{ role: "user", content: "say: hi" }];
const SURFACES = {
  chat: { path: "/v1/chat/completions", body: { messages: HI } },
  messages: { path: "/v1/messages", body: { messages: HI, max_tokens: 500 } },
  responses: { path: "/v1/responses", body: { input: HI } },
} as const;
type SurfaceWord = keyof typeof SURFACES;

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly header: string | null;
  readonly row: JsonObject;
}

async function ask(
  surface: SurfaceWord,
  model: string,
  stream = false,
  more: JsonObject = {},
): Promise<Answered> {
  const { path, body } = SURFACES[surface];
  const answer = await fetch(world.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream, ...body, ...more }),
  });
  const text = await answer.text();
  const id = answer.headers.get("x-request-id");
  const { body: list } = await createOperator(world).get(`/requests?q=${id}`);
  const row = asArray(list.data)
    .map(asObject)
    .find(({ request_id }) => request_id === id);
  return {
    status: answer.status,
    text,
    header: answer.headers.get("x-poundkey-reasoning-removed"),
    row: asObject(row),
  };
}

async function countMetric(reason: string): Promise<number> {
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  const lines = metrics.split("\n").filter((line) => line.startsWith("poundkey_reasoning_removed_total{"));
  const own = lines.filter((line) => line.includes(`reason="${reason}"`));
  return own.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

/** Reasons as the provider says them, and as the gateway does. */
const REASONS = {
  Claude: [
    ["prefix", "prefix"],
    ["model", "model"],
    ["organization", "organization"],
    ["end_user", "end_user"],
    ["moonphase", "other"],
  ],
  Answers: [
    ["prefix", "prefix"],
    ["model", "model"],
    ["organization", "organization"],
    ["end_user", "end_user"],
    ["turn_boundary", "turn_boundary"],
    ["moonphase", "other"],
  ],
} as const;
const LANES = [
  ["Claude", "messages", "native"],
  ["Claude", "chat", "translated"],
  ["Claude", "responses", "translated"],
  ["Answers", "responses", "native"],
  ["Answers", "chat", "translated"],
  ["Answers", "messages", "translated"],
] as const;

describe.each(LANES)("%s on %s, %s", (provider, surface, lane) => {
  test.each(REASONS[provider])("%s is %s", async (said, reason) => {
    for (const stream of [false, true]) {
      const before = await countMetric(reason);
      const { status, text, header, row } = await ask(surface, `${provider}#m~removes=${said}:2`, stream);
      expect([status, row.reasoning_removed]).toEqual([200, [{ reason, count: 2 }]]);
      expect((await countMetric(reason)) - before).toBe(1);
      expect(header).toBe(lane === "native" ? null : `${reason}=2`);
      expect(text.includes("input_transformations")).toBe(lane === "native");
      expect(text).toContain("hi");
    }
  });

  test("several stand beside each other, and what was shown all the same doesn't count", async () => {
    for (const stream of [false, true]) {
      const removed = `${provider}#m~removes=prefix:2,allowed:3,model`;
      const { header, row } = await ask(surface, removed, stream);
      expect(row.reasoning_removed).toEqual([
        { reason: "prefix", count: 2 },
        { reason: "model", count: 1 },
      ]);
      expect(header).toBe(lane === "native" ? null : "prefix=2,model=1");
      const shown = await ask(surface, `${provider}#m~removes=allowed:2`, stream);
      expect([shown.row.reasoning_removed, shown.header]).toEqual([[], null]);
    }
  });

  test.each([12_000, 100_000])("of %d entries, ten thousand are read", async (count) => {
    for (const stream of [false, true]) {
      const { status, row, text } = await ask(surface, `${provider}#m~removes=prefix:${count}`, stream);
      expect([status, row.reasoning_removed]).toEqual([200, [{ reason: "prefix", count: 10_000 }]]);
      expect(text).toContain("hi");
      const told = text.match(/prefix_(binding_)?mismatch/g)?.length ?? 0;
      if (lane === "native") expect(told).toBeGreaterThanOrEqual(10_000);
    }
  });

  test("an answer with other lists as long fails as ever", async () => {
    distort = (body) => ({ ...body, others: Array.from({ length: 100_000 }, () => ({ type: "none" })) });
    const { status } = await ask(surface, `${provider}#m`).finally(() => {
      distort = null;
    });
    expect(status).toBe(502);
  });

  test.each([
    "a text",
    7,
    null,
    { type: "thinking_dropped", reason: "prefix_binding_mismatch" },
    [null, 3, "thinking_dropped", [], { type: "thinking_dropped" }, { type: "reasoning" }],
  ])("a report that is none changes nothing: %p", async (list) => {
    const usual = await ask(surface, `${provider}#m`);
    distort = (body) => ({ ...body, input_transformations: list });
    const { status, header, row, text } = await ask(surface, `${provider}#m`).finally(() => {
      distort = null;
    });
    const isListed = Array.isArray(list) && provider === "Claude";
    const removed = isListed ? [{ reason: "other", count: 1 }] : [];
    expect([status, row.reasoning_removed]).toEqual([200, removed]);
    expect(header).toBe(isListed && lane === "translated" ? "other=1" : null);
    expect([row.cost_usd, row.tokens]).toEqual([usual.row.cost_usd, usual.row.tokens]);
    expect(text).toContain("hi");
  });
});

test("an answer that breaks off, and one of several choices, have the reasons too", async () => {
  const broken = await ask("chat", "Claude#m~removes=prefix:2~trouble=cut", true);
  expect([broken.row.ended, broken.row.reasoning_removed]).toEqual([
    "broken_off",
    [{ reason: "prefix", count: 2 }],
  ]);
  for (const stream of [false, true]) {
    const { header, row } = await ask("chat", "Claude#m~removes=prefix:2", stream, { n: 3 });
    expect([header, row.reasoning_removed]).toEqual(["prefix=2", [{ reason: "prefix", count: 2 }]]);
  }
});

const think = (format: string, more: JsonObject = {}) => ({
  type: "reasoning.text",
  text: "It is noon.",
  signature: "s",
  format,
  index: 0,
  ...more,
});
const history = (...details: readonly JsonObject[]) => ({
  messages: [
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Yes?", reasoning_details: details },
    ...HI,
  ],
});
const CLAUDE = "anthropic-claude-v1";
const GEMINI = "google-gemini-v1";
const OPENAI = "openai-responses-v1";

test.each([
  ["Claude#claude-opus-5-5", GEMINI, CLAUDE],
  ["Answers#gpt-6.2-sol", CLAUDE, OPENAI],
  ["Google#gemini-4-neon", OPENAI, GEMINI],
  ["Bedrock#us.amazon.nova-2-lite-v1:0", CLAUDE, "bedrock-converse-v1"],
])("%s isn't shown the thinking of %s", async (model, foreign, own) => {
  for (const stream of [false, true]) {
    const left = await ask("chat", model, stream, history(think(foreign), think(foreign, { index: 1 })));
    expect([left.status, left.header, left.row.reasoning_removed]).toEqual([
      200,
      "family=1",
      [{ reason: "family", count: 1 }],
    ]);
    const phases = { type: "reasoning.summary", summary: "", format: OPENAI, phases: [{ is_final: true }] };
    const kept = await ask("chat", model, stream, history(think("unknown"), phases));
    expect([kept.status, kept.header, kept.row.reasoning_removed]).toEqual([200, null, []]);
    expect(own).not.toBe(foreign);
  }
});

const isThinking = (body: JsonObject) =>
  JSON.stringify(body.messages ?? null).includes('"thinking":"It is noon."');
const SIGNED = [
  { role: "user", content: "Hello." },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "It is noon.", signature: "s" },
      { type: "text", text: "Yes?" },
    ],
  },
  ...HI,
];

test.each([
  ["chat", history(think(CLAUDE)), "refused=1"],
  ["messages", { messages: SIGNED }, null],
] as const)(
  "thinking that the provider refuses on %s is left out, and counted",
  async (surface, body, header) => {
    refuse = (asked) =>
      isThinking(asked) ? "messages.1.content.0: Invalid `signature` in `thinking` block" : null;
    try {
      for (const stream of [false, true]) {
        const answer = await ask(surface, "Claude#claude-opus-5-5", stream, body);
        expect([answer.status, answer.header, answer.row.reasoning_removed]).toEqual([
          200,
          header,
          [{ reason: "refused", count: 1 }],
        ]);
      }
    } finally {
      refuse = () => null;
    }
  },
);

test("the exports have both", async () => {
  const { row } = await ask("chat", "Claude#m~removes=prefix:2");
  const read = async (form: string) => {
    const headers = { authorization: `Bearer ${world.adminToken}` };
    const path = `/admin/v1/export/requests.${form}?q=${row.request_id}`;
    return await (await fetch(world.url + path, { headers })).text();
  };
  expect(await read("csv")).toContain('"[{""reason"":""prefix"",""count"":2}]"');
  expect(await read("jsonl")).toContain('"mended":[],"reasoning_removed":[{"reason":"prefix","count":2}]');
});
