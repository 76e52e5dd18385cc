// `log.content` over HTTP: prompts and answers are stored with the log, encrypted, bounded, as long as the log, and
// only if enabled.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, startHttpWorld } from "../world/world.ts";

const PROMPT = "say: the prompt that only the operator reads";

const world = await startHttpWorld({ more: "log: { content: true }" });
const operator = createOperator(world);
afterAll(() => world.stop());

/** The only request of its own key with its content, once both are written. */
async function logged(body: JsonObject, by = operator, isKept = true): Promise<JsonObject> {
  const made = await by.post("/keys", { name: "one", requests_per_day: null });
  const response = await world.chat(body, { secret: String(made.body.secret) });
  await response.text();
  return until("it is logged", async () => {
    const [row] = asArray((await by.get(`/requests?key_id=${made.body.id}`)).body.data);
    if (!row) return null;
    const whole = (await by.get(`/requests/${asObject(row).id}`)).body;
    return isKept && whole.content === null ? null : whole;
  });
}

/** Returns the text of an answer's first choice. */
function saidIn(row: JsonObject): unknown {
  const [choice] = asArray(asObject(asObject(row.content).reply).choices);
  return asObject(asObject(choice).message).content;
}

describe("a request's content", () => {
  test.each([false, true])("contains the request and the answer (stream: %p)", async (stream) => {
    const row = await logged(asking("OpenAI#sim", PROMPT, { stream, temperature: 0.5 }));
    const content = asObject(row.content);
    expect(content).toMatchObject({ messages: [{ role: "user", content: PROMPT }], truncated: false });
    expect(asObject(content.request)).toMatchObject({ model: "OpenAI#sim", temperature: 0.5 });
    expect(content.request).not.toHaveProperty("messages");
    expect(saidIn(row)).toBe("the prompt that only the operator reads");
  });

  test("of a failed request contains the request and the client's error", async () => {
    const row = await logged(asking("Acme#picky~trouble=400", PROMPT));
    expect(row.content).toMatchObject({ reply: null, truncated: false });
    expect(String(asObject(row.error).message).length).toBeGreaterThan(0);
  });

  test("of a broken answer contains what arrived", async () => {
    const row = await logged(
      asking("OpenAI#sim~trouble=cut~after=2", "say: one two three four", { stream: true }),
    );
    expect(row.ended).toBe("broken_off");
    expect("one two three four").toStartWith(String(saidIn(row)).trim());
  });

  test("that is too large is marked as truncated", async () => {
    const row = await logged(asking("OpenAI#sim", `say: ${"word ".repeat(300_000)}`));
    expect(row.content).toMatchObject({ messages: [], reply: null, truncated: true });
    expect(asObject(row.content).request).toMatchObject({ model: "OpenAI#sim" });
  });

  test("is nowhere stored in plain text", () => {
    for (const file of ["poundkey.db", "poundkey.db-wal"])
      expect(readFileSync(join(world.directory, file)).includes("only the operator")).toBe(false);
    expect(Bun.inspect(world.events, { depth: 9 })).not.toContain("only the operator");
  });

  test.each([false, true])("is offered for a sample only to those who may read it (%p)", async (content) => {
    await logged(asking("OpenAI#sim", PROMPT));
    const { body } = await operator.post("/tokens", {
      name: `samples ${content}`,
      role: "operator",
      content,
    });
    const own = createOperator({ ...world, adminToken: String(body.secret) });
    const plan = await own.post("/samples/plan", { prompts: 1, models: ["Acme#dear", "Acme#cheap"] });
    expect([plan.status, JSON.stringify(plan.body).includes(PROMPT)]).toEqual([201, content]);
  });

  test("does not appear in lists", async () => {
    const { text } = await operator.get("/requests");
    expect(text).not.toContain("only the operator");
  });
});

test("is only stored if the setting is on", async () => {
  const plain = await startHttpWorld();
  try {
    const key = await plain.newKey();
    await (await plain.chat(asking("OpenAI#sim", PROMPT), { secret: key.secret })).text();
    const by = createOperator(plain);
    const [row] = await until("it is logged", async () => {
      const found = asArray((await by.get(`/requests?key_id=${key.id}`)).body.data);
      return found.length > 0 ? found : null;
    });
    expect((await by.get(`/requests/${asObject(row).id}`)).body.content).toBeNull();
  } finally {
    await plain.stop();
  }
});
