// Interactions that are kept: their input is shown as steps in whichever form it came, and those whose time under
// `responses.keep` has passed are gone as a whole, while those that went on from them stay whole.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { pruneStore } from "../../../src/app/upkeep/prune.ts";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { type HttpWorld, startHttpWorld } from "../world/world.ts";

const KEEP_MS = 86_400_000;
const MODEL = "Local#sim";

let world: HttpWorld;
let opened: OpenedStore;
beforeAll(async () => {
  world = await startHttpWorld({ more: "responses: { keep: 1d }" });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

async function ask(method: string, path: string, body?: JsonObject) {
  const headers = { authorization: `Bearer ${world.secret}`, "content-type": "application/json" };
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await fetch(`${world.url}/v1/interactions${path}`, init);
  const text = await response.text();
  return { status: response.status, text, body: asObject(parseJson(text)) };
}

const begin = (input: unknown, more: JsonObject = {}) => ask("POST", "", { model: MODEL, input, ...more });

/** Lets the time of an interaction pass, and what is old be deleted. */
async function passKeep(id: unknown): Promise<void> {
  const file = new Database(join(world.directory, "poundkey.db"));
  file.run("PRAGMA busy_timeout = 2000");
  file.run("UPDATE stored_response SET at_ms = at_ms - ? WHERE id = ?", [KEEP_MS + 1000, String(id)]);
  file.close();
  const clock = { nowMs: () => Date.now() };
  await pruneStore({ store: opened.store, clock, keepMs: () => KEEP_MS, responsesKeepMs: () => KEEP_MS });
}

test("one whose time has passed isn't found by any route, and those that went on from it are whole", async () => {
  const { body: first } = await begin("say: one");
  const { body: second } = await begin("say: two", { previous_interaction_id: first.id });
  await passKeep(first.id);
  for (const [method, path] of [
    ["GET", `/${first.id}`],
    ["GET", `/${first.id}?include_input=true`],
    ["GET", `/${first.id}?stream=true`],
    ["POST", `/${first.id}/cancel`],
    ["DELETE", `/${first.id}`],
  ] as const) {
    const { status, text, body } = await ask(method, path);
    const error = { code: 404, status: "NOT_FOUND", reason: "interaction_not_found" };
    expect([path, status, body.error]).toEqual([path, 404, expect.objectContaining(error)]);
    expect(text).not.toContain("one");
  }
  world.callsSince();
  const { status, body } = await begin("say: three", { previous_interaction_id: first.id });
  expect([status, asObject(body.error).reason]).toEqual([400, "unsupported_parameter"]);
  expect(world.callsSince()).toBe(0);
  expect((await ask("GET", `/${second.id}`)).status).toBe(200);
  await begin("say: three", { previous_interaction_id: second.id });
  const sent = asArray(asObject(world.simulator.calls.last()?.body).messages).map(asObject);
  expect(sent.map(({ content }) => content)).toEqual(["say: one", "one", "say: two", "two", "say: three"]);
});

test("the input is shown as a step with a list of contents, in whichever form it came", async () => {
  const content = { type: "text", text: "say: one" };
  for (const input of [
    "say: one",
    content,
    [content],
    { type: "user_input", content },
    [{ type: "user_input", content: "say: one" }],
  ]) {
    const { body: begun } = await begin(input);
    const { body } = await ask("GET", `/${begun.id}?include_input=true`);
    expect(body.input).toEqual(input);
    expect(asArray(body.steps)[0]).toEqual({ type: "user_input", content: [content] });
  }
});
