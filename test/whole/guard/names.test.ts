// Names that clients give beside their texts, of a session and of tags: rows, files of the store and the log have marks or
// placeholders of what the guard finds there, and conversations go by the names as they came.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { type GuardWorld, startGuardWorld } from "./world.ts";

const VALUE = "ada.canary@corp-x.de";
const MESSAGES = [{ role: "user", content: "say: hello" }];

interface Named {
  readonly path: string;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

const NAMED: readonly Named[] = [
  {
    path: "/v1/responses",
    body: { model: "Responses#sim", input: "say: hello", prompt_cache_key: `of ${VALUE}` },
  },
  {
    path: "/v1/messages",
    body: {
      model: "Anthropic#sim",
      messages: MESSAGES,
      max_tokens: 99,
      metadata: { user_id: `u_session_${VALUE}` },
    },
  },
  {
    path: "/v1/chat/completions",
    body: { model: "Local#sim", messages: MESSAGES },
    headers: { "x-session-id": VALUE, "x-poundkey-tags": `who=${VALUE}` },
  },
];
/** The words in which each action leaves it. */
const LEFT = { mask: "[EMAIL]", swap: "<EMAIL_", refuse: "[EMAIL]" } as const;

describe.each(Object.keys(LEFT) as (keyof typeof LEFT)[])("%s", (action) => {
  let own: GuardWorld;
  beforeAll(async () => {
    own = await startGuardWorld(`
tags_from: { agent: user-agent }
guard: { rules: [{ name: people, detect: [email], action: ${action}, keys: [] }] }`);
  });
  afterAll(() => own.stop());

  test("a session's name and tags hold no value that a rule finds", async () => {
    const { secret, id } = await own.world.newKey({ guard: ["people"], requests_per_day: null });
    for (const { path, body, headers } of NAMED) {
      const all = { ...headers, "user-agent": `agent/1 (${VALUE})`, authorization: `Bearer ${secret}` };
      const answered = await fetch(own.world.url + path, {
        method: "POST",
        headers: { ...all, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const isText = path !== "/v1/chat/completions";
      expect([path, answered.status]).toEqual([path, action === "refuse" && isText ? 400 : 200]);
      await answered.text();
    }
    const rows = await until("all are logged", async () => {
      const { body } = await createOperator(own.world).get(`/requests?key=${id}`);
      return asArray(body.data).length === NAMED.length ? asArray(body.data).map(asObject) : null;
    });
    for (const { session, tags } of rows) expect(JSON.stringify([session, tags])).toContain(LEFT[action]);
    expect(JSON.stringify([rows, own.world.events])).not.toContain(VALUE);
    const files = readdirSync(own.world.directory, { recursive: true }).map(String);
    const holding = files.filter((name) => {
      if (!name.includes("poundkey.db")) return false;
      return readFileSync(join(own.world.directory, name)).includes(VALUE);
    });
    expect(holding).toEqual([]);
  });
});
