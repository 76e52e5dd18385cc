// The bounds of a response with tools, its early ends, and the requests that are refused.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { type LoopWorld, MODELS, OURS, script, startLoopWorld } from "./loop-world.ts";

let world: LoopWorld;
beforeAll(async () => {
  world = await startLoopWorld({
    servers: { old: { era: "older", sessions: true }, other: { era: "newer", token: "Bearer unknown" } },
    mcp: 'allowed_tools: ["*"], loop: { rounds: 3, calls: 3, total: 10s }',
    server: 'public_url: "https://gateway.example.com"',
    more: "responses: { keep: 1d }",
  });
});
afterAll(() => world.stop());

const MODEL = "OpenAI#gpt-5.4";
const call = (text: string) => `call old_echo({"text":"${text}"})`;
const outputs = (output: readonly JsonObject[]) =>
  output.filter(({ type }) => type === "mcp_call").map((item) => item.output ?? item.status);
const lastText = (output: readonly JsonObject[]) =>
  asObject(asArray(asObject(output.at(-1)).content)[0]).text;
const countCalls = () => world.simulator.calls.all().length;

describe("a model that calls on and on", () => {
  test.each(MODELS)("is asked as often as the rounds say, and last without tools: %s", async (model) => {
    const before = countCalls();
    const input = script(call("a"), call("b"), call("c"), call("d"));
    const { body, output } = await world.respond({ model, input });
    expect(countCalls() - before).toBe(3);
    expect(outputs(output)).toEqual(["echo: a", "echo: b"]);
    expect(body.status).toBe("completed");
    expect(String(lastText(output))).toContain("You said");
  });

  test("makes no more calls than it may, and is told of the others", async () => {
    const input = script(`${call("a")} ${call("b")} ${call("c")} ${call("d")}`, "say: done");
    const ran = world.servers.old?.countRuns("echo") ?? 0;
    const { output } = await world.respond({ model: MODEL, input });
    expect(outputs(output)).toEqual(["echo: a", "echo: b", "echo: c", "failed"]);
    expect((world.servers.old?.countRuns("echo") ?? 0) - ran).toBe(3);
    expect(lastText(output)).toBe("done");
  });

  test("makes no more than max_tool_calls says", async () => {
    const input = script(call("a"), call("b"), "say: done");
    const { body, output } = await world.respond({ model: MODEL, input, max_tool_calls: 1 });
    expect(outputs(output)).toEqual(["echo: a"]);
    expect(body.max_tool_calls).toBe(1);
  });

  test("says no more than max_output_tokens in all", async () => {
    const input = script(call("a"), "say: done");
    const { body, output } = await world.respond({ model: MODEL, input, max_output_tokens: 20 });
    expect(body.status).toBe("incomplete");
    expect(body.incomplete_details).toEqual({ reason: "max_output_tokens" });
    expect(outputs(output)).toEqual(["echo: a"]);
  });
});

describe("a later question that fails", () => {
  test.each([false, true])("ends the answer with what there is (streamed: %p)", async (stream) => {
    const input = script(call("a"), "say: done");
    const asked = { model: MODEL, input, tools: [{ ...OURS }] };
    const { secret } = await world.newKey({ requests_per_minute: 2 });
    const client = world.client(secret);
    const response = stream
      ? await client.responses.stream(asked).finalResponse()
      : await client.responses.create(asked);
    expect(response.status).toBe("incomplete");
    expect(String(response.incomplete_details?.reason)).toBe("requests_per_minute_exceeded");
    expect(response.output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call"]);
    expect(response.usage?.output_tokens).toBeGreaterThan(0);
  });
});

describe("a client that leaves", () => {
  test("ends the call under way, and the model isn't asked again", async () => {
    const sent = world.servers.old;
    sent?.plan("tools/call", { kind: "stall" });
    const called = sent?.listSeen("tools/call").length;
    const before = countCalls();
    const leaving = new AbortController();
    const asked = { model: MODEL, input: script(call("a"), "say: done"), tools: [{ ...OURS }], stream: true };
    const response = await fetch(`${world.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
      body: JSON.stringify(asked),
      signal: leaving.signal,
    });
    const reader = response.body?.getReader();
    let seen = "";
    while (!seen.includes("mcp_call_arguments.done")) {
      const read = await reader?.read();
      seen += new TextDecoder().decode(read?.value);
      if (read?.done !== false) throw new Error(seen);
    }
    while (sent?.listSeen("tools/call").length === called) await Bun.sleep(5);
    leaving.abort();
    while ((sent?.cancelled.length ?? 0) === 0) await Bun.sleep(5);
    expect(countCalls() - before).toBe(1);
  });
});

describe("a request is refused", () => {
  test.each<[string, JsonObject, string]>([
    ["without require_approval", { require_approval: undefined }, "tools[0].require_approval"],
    ["with approvals", { require_approval: "always" }, "tools[0].require_approval"],
    [
      "with approvals of some tools",
      { require_approval: { never: { tool_names: ["echo"] } } },
      "tools[0].require_approval",
    ],
    ["for a server that isn't there", { server_url: "poundkey:nope" }, "tools[0].server_url"],
    ["with headers for it", { headers: { "x-a": "b" } }, "tools[0].headers"],
    ["with a connector", { connector_id: "connector_gmail" }, "tools[0].connector_id"],
    ["with callers", { allowed_callers: ["direct"] }, "tools[0].allowed_callers"],
    ["with tools to load later", { defer_loading: true }, "tools[0].defer_loading"],
    ["with a token for a server that takes none", { authorization: "secret" }, "tools[0].authorization"],
  ])("%s", async (_what, fields, param) => {
    const before = countCalls();
    const { status, body } = await world.respond({
      model: MODEL,
      input: "Hi",
      tools: [{ ...OURS, ...fields }],
    });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "unsupported_parameter", param });
    expect(countCalls()).toBe(before);
  });

  test("with two tools of one label, and with names that are none", async () => {
    const twice = await world.respond({ model: MODEL, input: "Hi", tools: [OURS, OURS] });
    expect(twice.body.error).toMatchObject({ code: "unsupported_parameter", param: "tools[1].server_label" });
    const odd = await world.respond({ model: MODEL, input: "Hi", tools: [{ ...OURS, allowed_tools: [1] }] });
    expect(odd.body.error).toMatchObject({ code: "invalid_value", param: "tools[0].allowed_tools" });
  });

  test("as ever for any other address, and on other surfaces", async () => {
    const elsewhere = { ...OURS, server_url: "https://mcp.example.com/mcp" };
    const { status, body } = await world.respond({ model: MODEL, input: "Hi", tools: [elsewhere] });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "unsupported_parameter", param: "tools[0]" });
  });
});

describe("a server is meant", () => {
  test.each<[string, JsonObject, string]>([
    ["by its name as the label", { server_label: "old", server_url: undefined }, "echo"],
    ["by the gateway's address and its name", { server_url: "https://gateway.example.com/mcp/old" }, "echo"],
    ["among all, at the address of all", { server_url: "https://gateway.example.com/mcp/" }, "old_echo"],
    ["among all, by one word", { server_url: "poundkey" }, "old_echo"],
  ])("%s", async (_what, fields, name) => {
    const input = script(call("a"), "say: done");
    const { status, output } = await world.respond({ model: MODEL, input, tools: [{ ...OURS, ...fields }] });
    expect(status).toBe(200);
    expect(output[1]).toMatchObject({ type: "mcp_call", name, output: "echo: a" });
  });

  test("with some of its tools", async () => {
    const listOf = async (allowed_tools: unknown) => {
      const { output } = await world.respond({
        model: MODEL,
        input: "say: a",
        tools: [{ ...OURS, allowed_tools }],
      });
      return asArray(output[0]?.tools).map((tool) => asObject(tool).name);
    };
    expect(await listOf(["fail", "nope"])).toEqual(["fail"]);
    expect(await listOf({ read_only: true })).toEqual(["echo"]);
    expect(await listOf({ read_only: false, tool_names: ["echo", "slow"] })).toEqual(["slow"]);
  });

  test("that is down is listed with what is wrong, and the model answers without it", async () => {
    const tools = [{ ...OURS, server_url: "poundkey:other" }];
    const { status, output } = await world.respond({ model: MODEL, input: "say: a", tools });
    expect(status).toBe(200);
    expect(output[0]).toMatchObject({ type: "mcp_list_tools", tools: [] });
    expect(String(output[0]?.error)).toContain('"other"');
    expect(lastText(output)).toBe("a");
  });
});

test.each([false, true])(
  "more tools than the model takes are refused in its words and ours, stream: %p",
  async (stream) => {
    const many = await startLoopWorld();
    const tools = Array.from({ length: 400 }, (_, at) => ({
      name: `t${at}`,
      inputSchema: { type: "object" },
    }));
    many.servers.old?.change(tools);
    const asked = { model: "OpenAI#gpt-4.1", input: "say: hello", stream };
    const { status, body } = await many.respond(asked);
    expect(status).toBe(400);
    const { param, message } = asObject(body.error);
    expect(param).toBe("tools");
    expect(message).toContain("maximum length 128");
    expect(message).toContain("'tools[0]' as 400 functions");
    expect(message).toContain("'tools[0].allowed_tools'");
    const some = { ...OURS, allowed_tools: ["t1", "t2"] };
    expect((await many.respond({ ...asked, stream: false, tools: [some] })).status).toBe(200);
    await many.stop();
  },
);
