// Rights in a response: a key isn't shown what it may not call, and can't call it, not even a moment after it was taken away.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { BINARY } from "../../../harness/harness.ts";
import { type LoopWorld, OURS, script, startLoopWorld } from "./loop-world.ts";

let world: LoopWorld;
/** Done once, before the next call reaches its server. */
let duringCall: (() => Promise<void>) | null = null;
beforeAll(async () => {
  world = await startLoopWorld({
    fetch: async (url, init) => {
      const isCall = (await new Response(init.body).text()).includes('"tools/call"');
      const todo = isCall ? duringCall : null;
      if (isCall) duringCall = null;
      await todo?.();
      return fetch(url, init);
    },
    servers: {
      old: { era: "older", sessions: true },
      private: { era: "newer", token: "Bearer their-own" },
    },
    fields: "price_per_call: 0",
    more: "responses: { keep: 1d }",
  });
});
afterAll(() => world.stop());

const MODEL = "OpenAI#gpt-5.4";

async function makeKey(fields: Record<string, unknown> = {}) {
  const { id, secret } = await world.newKey({ requests_per_day: null, ...fields });
  return { id, secret, headers: { authorization: `Bearer ${secret}` } };
}

function change(id: string, fields: JsonObject): Promise<Response> {
  return fetch(`${world.url}/admin/v1/keys/${id}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
}

const sentTools = () =>
  asArray(asObject(world.simulator.calls.all().at(-1)?.body).tools).map((tool) => asObject(tool).name);

describe("a key with a list of tools", () => {
  test("has its model see those alone, whatever the conversation says", async () => {
    const { headers } = await makeKey({ allowed_tools: ["old_echo"] });
    const listed = {
      type: "mcp_list_tools",
      id: "mcpl_1",
      server_label: "desk",
      tools: [{ name: "fail", input_schema: { type: "object" } }],
    };
    const input = [listed, { role: "user", content: "say: hello" }];
    const { status } = await world.respond({ model: MODEL, input }, headers);
    expect(status).toBe(200);
    expect(sentTools()).toEqual(["old_echo"]);
  });

  test("is told of a server of which it may use nothing what it is told of none", async () => {
    const { headers } = await makeKey({ allowed_tools: ["private_*"] });
    const refused = await world.respond({ model: MODEL, input: "Hi" }, headers);
    const tools = [{ ...OURS, server_url: "poundkey:none" }];
    const unknown = await world.respond({ model: MODEL, input: "Hi", tools }, headers);
    expect(refused.status).toBe(400);
    expect(asObject(refused.body.error).message).toBe(
      String(asObject(unknown.body.error).message).replace("none", "old"),
    );
  });

  // The binary calls its servers without the `fetch` of the world.
  test.skipIf(BINARY !== undefined)(
    "that is taken away while a tool works can't be called any more",
    async () => {
      const key = await makeKey();
      const ran = world.servers.old?.countRuns("echo") ?? 0;
      duringCall = async () => {
        expect((await change(key.id, { allowed_tools: ["old_slow"] })).status).toBe(200);
      };
      const input = script('call old_echo({"text":"a"})', 'call old_echo({"text":"b"})', "say: done");
      const { output } = await world.respond({ model: MODEL, input }, key.headers);
      const calls = output.filter(({ type }) => type === "mcp_call");
      expect((world.servers.old?.countRuns("echo") ?? 0) - ran).toBe(1);
      expect(calls[0]).toMatchObject({ output: "echo: a" });
      expect(calls[1]).toMatchObject({
        output: null,
        error: { type: "mcp_protocol_error", code: -32602, message: "Unknown tool: echo" },
      });
      const refusals = asArray((await world.read("/refusals?limit=5")).data).map(asObject);
      expect(refusals[0]).toMatchObject({ code: "tool_not_allowed", model_asked: "mcp:old#echo" });
    },
  );
});

describe("the tools that a model calls", () => {
  test("never reach a provider by their servers", async () => {
    await world.respond({ model: MODEL, input: script("call old_echo({})", "say: done") });
    for (const { body } of world.simulator.calls.all()) {
      const sent = JSON.stringify(body);
      expect(sent).not.toContain("poundkey");
      expect(sent).not.toContain('"mcp');
    }
  });

  test("are kept with the answer, and the next one goes on from there", async () => {
    const client = world.client();
    const tools = [{ ...OURS }];
    const first = await client.responses.create({
      model: MODEL,
      input: script('call old_echo({"text":"a"})', "say: done"),
      tools,
    });
    const kept = await client.responses.retrieve(first.id);
    expect(kept.output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "message"]);
    const events: string[] = [];
    for await (const { type } of await client.responses.retrieve(first.id, { stream: true }))
      events.push(type);
    expect(events).toContain("response.mcp_list_tools.completed");
    expect(events).toContain("response.mcp_call_arguments.done");
    const second = await client.responses.create({
      model: "Anthropic#claude-sonnet-4-6",
      input: "say: again",
      previous_response_id: first.id,
      tools,
    });
    expect(second.output_text).toBe("again");
    expect(second.output.map(({ type }) => type)).toEqual(["message"]);
    expect(JSON.stringify(world.simulator.calls.all().at(-1)?.body)).toContain("echo: a");
  });
});
