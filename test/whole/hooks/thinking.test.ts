// Hooks and thinking that its maker has signed, stored conversations, and a changed configuration.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { HIDDEN } from "../../steps/hooks/server.ts";
import { type HookWorld, startHookWorld } from "../../steps/hooks/world.ts";

let own: HookWorld;
beforeAll(async () => {
  own = await startHookWorld(["name: mask, at: [request, answer]"], "responses: { keep: 1d }");
});
afterAll(() => own.stop());
beforeEach(() => own.reset());

const say = (role: string, content: unknown) => ({ role, content });
const thought = (thinking: string) => ({ type: "thinking", thinking, signature: "c2lnbmVk" });
const call = { type: "tool_use", id: "toolu_1", name: "look", input: { at: "it" } };
const result = { type: "tool_result", tool_use_id: "toolu_1", content: "seen" };
const tools = [{ name: "look", input_schema: { type: "object", properties: {} } }];

const ask = (model: string, messages: readonly JsonObject[]) =>
  own.post("/v1/messages", {
    model,
    max_tokens: 3000,
    thinking: { type: "enabled", budget_tokens: 1024 },
    tools,
    messages,
  });

test.each(["Anthropic#sim", "Local#sim"])(
  "%s: earlier thinking that a hook would change is left out and named",
  async (model) => {
    const turn = say("assistant", [thought("a canary thinks"), { type: "text", text: "yes" }]);
    const got = await ask(model, [say("user", "first"), turn, say("user", "say: more")]);
    expect(got.status).toBe(200);
    expect(got.headers.get("x-poundkey-dropped")).toContain("thinking");
    expect(own.sent()).not.toMatch(/thinks|c2lnbmVk/);
    expect(own.sent()).toContain("yes");
  },
);

test("other thinking stays as it is", async () => {
  const turn = say("assistant", [thought("nothing to hide"), { type: "text", text: "yes" }]);
  const got = await ask("Anthropic#sim", [say("user", "first"), turn, say("user", "say: more canary")]);
  expect(got.headers.get("x-poundkey-dropped") ?? "").not.toContain("thinking");
  expect(own.sent()).toContain("c2lnbmVk");
  expect(own.sent()).toContain(HIDDEN);
});

test.each(["Anthropic#sim", "Local#sim"])(
  "%s: in a running tool loop, such thinking refuses the request",
  async (model) => {
    const turns = [
      say("user", "first"),
      say("assistant", [thought("a canary thinks"), call]),
      say("user", [result]),
    ];
    const got = await ask(model, turns);
    expect([got.status, own.world.simulator.calls.total]).toEqual([400, 0]);
    expect(String(asObject(asObject(parseJson(got.text)).error).reason)).toContain(
      "signed text of the running tool loop",
    );
  },
);

test("a tool's name can't be changed to something that is no name", async () => {
  const named = [
    { type: "function", function: { name: "canary", parameters: { type: "object", properties: {} } } },
  ];
  const body = { model: "Local#sim", messages: [say("user", "say: hi")], tools: named };
  const got = await own.post("/v1/chat/completions", body);
  expect([got.status, own.world.simulator.calls.total]).toEqual([400, 0]);
  expect(got.text).toContain("a name");
});

test("a stored conversation holds what was sent", async () => {
  const first = await own.post("/v1/responses", { model: "Local#sim", input: "say: a canary, kept" });
  const { id } = asObject(parseJson(first.text));
  const headers = { authorization: `Bearer ${own.world.secret}` };
  const items = await fetch(`${own.world.url}/v1/responses/${id}/input_items`, { headers });
  expect(await items.text()).toContain(HIDDEN);
  const next = await own.post("/v1/responses", {
    model: "Local#sim",
    input: "say: more",
    previous_response_id: id,
  });
  expect(next.status).toBe(200);
  expect(own.sent()).not.toContain("canary");
});

test("a kept interaction holds what was sent, and no thought that a hook would change", async () => {
  const input = [
    { type: "user_input", content: "first" },
    { type: "thought", signature: "c2lnbmVk", summary: [{ type: "text", text: "a canary thinks" }] },
    { type: "model_output", content: [{ type: "text", text: "yes, canary" }] },
    { type: "user_input", content: [{ type: "text", text: "say: a canary, kept" }] },
  ];
  const first = await own.post("/v1/interactions", { model: "Local#sim", input });
  const { id } = asObject(parseJson(first.text));
  const headers = { authorization: `Bearer ${own.world.secret}` };
  const kept = await fetch(`${own.world.url}/v1/interactions/${id}?include_input=true`, { headers });
  const { input: sent, steps } = asObject(await kept.json());
  for (const own of [sent, asArray(steps).slice(0, 3)]) {
    expect(asArray(own).length).toBe(3);
    expect(JSON.stringify(own)).toContain(HIDDEN);
    expect(JSON.stringify(own)).not.toMatch(/canary|thinks|c2lnbmVk/);
  }
  const next = { model: "Local#sim", input: "say: more", previous_interaction_id: id };
  expect((await own.post("/v1/interactions", next)).status).toBe(200);
  expect(own.sent()).not.toContain("canary");
});
