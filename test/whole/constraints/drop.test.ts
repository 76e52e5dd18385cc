// `constraints: drop` where the provider gets the client's own request: nobody looks at constraints, and each request leaves as
// it did before there were any, to the byte.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { ask, SURFACES } from "./asking.ts";

const MESSAGES = [{ role: "user", content: "say: good day" }];

interface Lane {
  readonly surface: "messages" | "responses" | "gemini";
  readonly model: string;
  /** The body of a request without more, around the place of what else it has. */
  readonly sent: readonly [before: string, after: string];
}

const CLAUDE = {
  surface: "messages",
  sent: [`"messages":${JSON.stringify(MESSAGES)},"max_tokens":100`, ""],
} as const;

const LANES: readonly Lane[] = [
  {
    ...CLAUDE,
    model: "Anthropic#claude-sonnet-4-6",
    sent: [`"model":"claude-sonnet-4-6",${CLAUDE.sent[0]}`, ""],
  },
  {
    ...CLAUDE,
    model: "Bedrock#anthropic.claude-sonnet-4-5-20250929-v1:0",
    sent: [`"anthropic_version":"bedrock-2023-05-31",${CLAUDE.sent[0]}`, ""],
  },
  {
    surface: "responses",
    model: "Responses#gpt-4.1",
    sent: [`"model":"gpt-4.1","input":${JSON.stringify(SURFACES.responses.body.input)}`, `,"store":false`],
  },
  {
    surface: "gemini",
    model: "Google#gemini-3.6-flash",
    sent: [`"contents":${JSON.stringify(SURFACES.gemini.body.contents)}`, ""],
  },
];

/** Left out of every request, and named: they would choose a route. */
const LEFT_OUT: readonly JsonObject[] = [
  { provider: { zdr: true } },
  { provider: { only: ["azure"] } },
  { provider: { order: ["a"] } },
  { models: ["a"] },
  { route: "fallback" },
  { fallbacks: ["a"] },
  { plugins: [{ id: "web" }] },
];

/** Passed on for the provider to say what it makes of them, since the request is the client's own. */
const PASSED: readonly JsonObject[] = [
  { guardrails: ["pii"] },
  { guardrails: [{ pii: { extra_body: {} } }] },
  { providerOptions: { gateway: { zeroDataRetention: true } } },
  { disable_fallbacks: true },
  { cache: { "no-cache": true, "no-store": true } },
  { litellm_metadata: { guardrails: ["pii"] } },
  { temperatur: 1 },
  { max_tokenss: 5 },
];

const REGION = { inference_geo: "us" };

let world: UnderTest;
let caching: UnderTest;
beforeAll(async () => {
  [world, caching] = await Promise.all([
    startUnderTest({ more: "guard: { constraints: drop }" }),
    startUnderTest({ more: "guard: { constraints: drop }\ncache: { ttl: 1h }" }),
  ]);
});
afterAll(() => Promise.all([world.stop(), caching.stop()]));

/** Returns the first body that reaches the provider, and the fields that the answer names as left out. */
async function send({ surface, model }: Lane, more: JsonObject) {
  const { calls, dropped } = await ask(world, surface, model, more);
  return [JSON.stringify(calls[0]), dropped];
}

const write = ([before, after]: Lane["sent"], more: string) => `{${before}${more}${after}}`;

describe.each(LANES)("$surface of $model", (lane) => {
  // Google refuses names that it doesn't know.
  const [leftOut, passed] = lane.surface === "gemini" ? [[], [...LEFT_OUT, ...PASSED]] : [LEFT_OUT, PASSED];

  test("fields that choose a route are left out", async () => {
    for (const more of leftOut)
      expect([more, ...(await send(lane, more))]).toEqual([
        more,
        write(lane.sent, ""),
        Object.keys(more).join(),
      ]);
  });

  test("null is nothing", async () => {
    for (const field of ["provider", "guardrails", "cache", "inference_geo"])
      expect([field, ...(await send(lane, { [field]: null }))]).toEqual([field, write(lane.sent, ""), null]);
  });

  test("others reach the provider as they came", async () => {
    for (const more of passed) {
      const [body] = await send(lane, more);
      const text = JSON.stringify(more).slice(1, -1);
      expect(lane.surface === "gemini" ? respell(body ?? "") : body).toBe(write(lane.sent, `,${text}`));
    }
  });
});

/** Google's names are sent in the documented spelling. */
function respell(body: string): string {
  return body
    .replace("disableFallbacks", "disable_fallbacks")
    .replace("litellmMetadata", "litellm_metadata")
    .replace("maxTokenss", "max_tokenss");
}

describe("a region", () => {
  test.each(LANES.filter(({ surface }) => surface === "messages"))("is left out for $model", async (lane) => {
    expect(await send(lane, REGION)).toEqual([write(lane.sent, ""), "inference_geo"]);
  });

  test.each([SURFACES.messages.native, SURFACES.messages.translated])(
    "makes no other answer of the cache's for %s",
    async (model) => {
      const count = async (more: JsonObject) => (await ask(caching, "messages", model, more)).calls.length;
      expect([await count({}), await count(REGION), await count({})]).toEqual([1, 0, 0]);
    },
  );
});
