// A conversation stays on its credential by the name its client gives it on each surface, whatever its messages say. A key for the
// cache of a chat completion may be shared by many conversations: what each opens with is part of its name.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

const KEYS = ["key-one", "key-two", "key-three"];
const SESSIONS = 20;
const TURNS = 4;

let under: UnderTest;
beforeAll(async () => {
  const row = (name: string, dialect: string, url: string) =>
    `  ${name}: { keys: [${KEYS.join(", ")}], base_url: "${url}", dialect: ${dialect}, unlisted_models: true }`;
  under = await startUnderTest({
    more: (url) =>
      [
        row("Chatty", "openai", `${url}/openai/v1`),
        row("Speaker", "anthropic", `${url}/anthropic/v1`),
        row("Answerer", "responses", `${url}/openai/v1`),
      ].join("\n"),
  });
});
afterAll(() => under.stop());
beforeEach(() => under.simulator.reset());

interface Case {
  readonly path: string;
  readonly model: string;
  /** The request's body and headers. `session` is missing if the client names none. */
  readonly make: (
    model: string,
    text: string,
    session: string | null,
  ) => { readonly body: JsonObject; readonly headers?: Record<string, string> };
}

const user = (text: string) => [{ role: "user", content: text }];
const OPENING = [...user("say: hello"), { role: "assistant", content: "hello" }];
const CASES: readonly (readonly [string, Case])[] = [
  [
    "Claude Code's header",
    {
      path: "/v1/messages",
      model: "Speaker#sim",
      make: (model, text, session) => ({
        body: { model, max_tokens: 50, messages: user(text) },
        ...(session === null ? {} : { headers: { "x-claude-code-session-id": session } }),
      }),
    },
  ],
  [
    "Codex's header",
    {
      path: "/v1/responses",
      model: "Answerer#sim",
      make: (model, text, session) => ({
        body: { model, input: text },
        ...(session === null ? {} : { headers: { "session-id": session } }),
      }),
    },
  ],
  [
    "prompt_cache_key of a response",
    {
      path: "/v1/responses",
      model: "Answerer#sim",
      make: (model, input, session) => ({
        body: { model, input, ...(session === null ? {} : { prompt_cache_key: session }) },
      }),
    },
  ],
  [
    "prompt_cache_key of a chat completion",
    {
      path: "/v1/chat/completions",
      model: "Chatty#sim",
      make: (model, text, session) => ({
        body:
          session === null
            ? { model, messages: user(text) }
            : { model, messages: [...OPENING, ...user(text)], prompt_cache_key: session },
      }),
    },
  ],
];

/** Returns the credential of each turn's call, by session. */
async function serveSessions({ path, model, make }: Case, isNamed: boolean): Promise<readonly string[][]> {
  const used: string[][] = Array.from({ length: SESSIONS }, () => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [at, keys] of used.entries()) {
      // The messages have nothing in common, as after a client has compacted its conversation.
      const text = `say: ${crypto.randomUUID()}`;
      const { body, headers = {} } = make(model, text, isNamed ? `session ${at}` : null);
      const response = await fetch(under.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${under.secret}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
      await response.text();
      const { headers: sent = {} } = under.simulator.calls.last() ?? {};
      keys.push(String(sent["x-api-key"] ?? sent.authorization));
    }
  }
  return used;
}

test.each(CASES)("%s keeps each conversation on its credential", async (_, one) => {
  const named = await serveSessions(one, true);
  for (const keys of named) expect(new Set(keys).size).toBe(1);
  expect(new Set(named.flat()).size).toBeGreaterThan(1);
  const nameless = await serveSessions(one, false);
  expect(nameless.some((keys) => new Set(keys).size > 1)).toBe(true);
});
