// Tools of the gateway's own servers in a Responses request, run by the gateway on every model: the items, whole and streamed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { type LoopWorld, MODELS, OURS, script, startLoopWorld } from "./loop-world.ts";

let world: LoopWorld;
beforeAll(async () => {
  world = await startLoopWorld();
});
afterAll(() => world.stop());

const ECHO = script('call old_echo({"text":"one"})', "say: done");
const lastText = (output: readonly JsonObject[]) =>
  asObject(asArray(asObject(output.at(-1)).content)[0]).text;

describe.each(MODELS)("%s", (model) => {
  test("calls a tool, and answers with its result", async () => {
    const { status, body, output } = await world.respond({ model, input: ECHO });
    expect(status).toBe(200);
    expect(body.status).toBe("completed");
    expect(output.map(({ type }) => type).filter((type) => type !== "reasoning")).toEqual([
      "mcp_list_tools",
      "mcp_call",
      "message",
    ]);
    const call = output.find(({ type }) => type === "mcp_call");
    expect(call).toMatchObject({
      server_label: "desk",
      name: "echo",
      arguments: '{"text":"one"}',
      output: "echo: one",
      error: null,
      status: "completed",
    });
    expect(lastText(output)).toBe("done");
    expect(body.tools).toEqual([OURS]);
  });
});

const HIGH = { effort: "high" as const };

/** Events of texts and thinking apart. */
const NAMED = /^response\.(output_item|mcp|created|in_progress|completed|incomplete|failed)/;

describe.each(MODELS)("a stream of %s", (model) => {
  test("is one answer to openai-node, with the calls between what the model says", async () => {
    const stream = world.client().responses.stream({ model, input: ECHO, tools: [{ ...OURS }] });
    const events: JsonObject[] = [];
    for await (const event of stream) events.push(asObject(event));
    const final = await stream.finalResponse();
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    const shown = events.filter(({ item }) => asObject(item).type !== "reasoning");
    expect(shown.map(({ type }) => String(type)).filter((type) => NAMED.test(type))).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.mcp_list_tools.in_progress",
      "response.mcp_list_tools.completed",
      "response.output_item.done",
      "response.output_item.added",
      "response.mcp_call.in_progress",
      ...shown
        .filter(({ type }) => type === "response.mcp_call_arguments.delta")
        .map(() => "response.mcp_call_arguments.delta"),
      "response.mcp_call_arguments.done",
      "response.mcp_call.completed",
      "response.output_item.done",
      "response.output_item.added",
      "response.output_item.done",
      "response.completed",
    ]);
    const done = events.filter(({ type }) => type === "response.output_item.done");
    expect(done.map(({ output_index }) => output_index)).toEqual(done.map((_, at) => at));
    expect(done.map(({ item }) => asObject(item).id)).toEqual(final.output.map(({ id }) => id));
    expect(final.output_text).toBe("done");
    expect(final.output.find(({ type }) => type === "mcp_call")).toMatchObject({ output: "echo: one" });
    expect(new Set(final.output.map(({ id }) => id)).size).toBe(final.output.length);
  });
});

describe("calls", () => {
  const model = "Local#some-model";

  test("of one turn are all made, and of several turns one after the other", async () => {
    const input = script(
      'call old_echo({"text":"a"}) call old_echo({"text":"b"})',
      'call old_echo({"text":"c"})',
      "say: done",
    );
    for (const one of MODELS) {
      const { output } = await world.respond({ model: one, input });
      const calls = output.filter(({ type }) => type === "mcp_call");
      expect(calls.map((call) => call.output)).toEqual(["echo: a", "echo: b", "echo: c"]);
      expect(lastText(output)).toBe("done");
    }
  });

  test("that fail are shown as such, and the model is told", async () => {
    const input = "Please call old_fail({})";
    const { output } = await world.respond({ model, input });
    expect(output[1]).toMatchObject({
      type: "mcp_call",
      status: "failed",
      output: null,
      error: { type: "mcp_tool_execution_error", content: [{ type: "text", text: "It failed." }] },
    });
    expect(lastText(output)).toContain("old_fail → It failed.");
  });

  test("that the server refuses show its own error", async () => {
    world.servers.old?.plan("tools/call", {
      kind: "answer",
      message: { error: { code: -32001, message: "not today" } },
    });
    const { output } = await world.respond({ model, input: "Please call old_echo({})" });
    expect(output[1]).toMatchObject({
      status: "failed",
      error: { type: "mcp_protocol_error", code: -32001, message: "not today" },
    });
    expect(lastText(output)).toContain("not today");
  });

  test("may return files as embedded resources, whose text the model reads", async () => {
    const resource = { uri: "file:///list.txt", mimeType: "text/plain", text: "bread, jam" };
    const blob = { uri: "file:///list.bin", blob: "AAAA" };
    const content = [
      { type: "text", text: "Two files." },
      { type: "resource", resource },
      { type: "resource", resource: blob },
    ];
    world.servers.old?.plan("tools/call", { kind: "answer", message: { result: { content } } });
    const { output } = await world.respond({ model, input: "Please call old_echo({})" });
    expect(output[1]).toMatchObject({
      output: "Two files.\n[resource]\nbread, jam\n[resource] file:///list.bin",
    });
    expect(lastText(output)).toContain("bread, jam");
  });

  test("may return links, whose names and addresses the model reads, whole and streamed", async () => {
    const content = [
      { type: "resource_link", name: "list", uri: "file:///list.txt" },
      { type: "resource_link", uri: "file:///other.txt" },
      { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
      { type: "audio", mimeType: "audio/wav", data: "AAAA" },
    ];
    for (const [parts, end] of [
      [content.slice(0, 2), ""],
      [content, "\n[image]\n[audio]"],
    ] as const) {
      for (const stream of [false, true]) {
        world.servers.old?.plan("tools/call", { kind: "answer", message: { result: { content: parts } } });
        const asked = { model: "OpenAI#gpt-5.4", input: "Please call old_echo({})", tools: [{ ...OURS }] };
        const { output } = stream
          ? await world.client().responses.stream(asked).finalResponse()
          : await world.client().responses.create(asked);
        const call = output.find(({ type }) => type === "mcp_call");
        const links = "[resource_link] list: file:///list.txt\n[resource_link] file:///other.txt";
        expect(call).toMatchObject({ output: links + end });
        const sent = JSON.stringify(world.simulator.calls.all().at(-1)?.body);
        expect(sent).toContain("list: file:///list.txt");
      }
    }
  });

  test("go beside the client's own functions: those end the answer, and the next request goes on", async () => {
    const weather = { type: "function", name: "weather", parameters: { type: "object" }, strict: false };
    for (const one of MODELS) {
      const input = 'Please call old_echo({"text":"a"}) and call weather({})';
      const asked = { model: one, tools: [OURS, weather], reasoning: { effort: "high" } };
      const first = await world.respond({ ...asked, input });
      expect(first.body.status).toBe("completed");
      const shown = first.output.filter(({ type }) => type !== "reasoning");
      expect(shown.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "function_call"]);
      expect(shown[1]).toMatchObject({ output: "echo: a" });
      const answered = { type: "function_call_output", call_id: shown[2]?.call_id, output: "sunny" };
      const items = [{ role: "user", content: input }, ...first.output, answered];
      const second = await world.respond({ ...asked, input: items });
      expect(second.status).toBe(200);
      expect(second.output.map(({ type }) => type)).not.toContain("mcp_list_tools");
      expect(lastText(second.output)).toContain("weather → sunny");
    }
  });
});

test.each([
  ["OpenAI#gpt-5.4", "encrypted_content"],
  ["Anthropic#claude-sonnet-4-6", "signature"],
  ["Google#gemini-3.6-flash", "thoughtSignature"],
] as const)("thinking goes back to %s as it was signed", async (model, field) => {
  const input = script('call old_echo({"text":"a"})', 'call old_echo({"text":"b"})', "say: done");
  for (const stream of [false, true]) {
    const asked = { model, input, tools: [{ ...OURS }], reasoning: HIGH };
    const response = stream
      ? await world.client().responses.stream(asked).finalResponse()
      : await world.client().responses.create(asked);
    expect(response.status).toBe("completed");
    expect(response.output_text).toBe("done");
    const sent = JSON.stringify(world.simulator.calls.all().at(-1)?.body);
    expect(sent.split(`"${field}":`).length - 1).toBeGreaterThanOrEqual(2);
  }
});

test("items of an earlier answer are read also where the tools are gone", async () => {
  for (const model of MODELS) {
    const first = await world.respond({ model, input: 'Please call old_echo({"text":"a"})' });
    const items = [{ role: "user", content: "Hello" }, ...first.output, { role: "user", content: "say: on" }];
    const second = await world.respond({ model, input: items, tools: [] });
    expect(second.status).toBe(200);
    expect(lastText(second.output)).toBe("on");
    const sent = JSON.stringify(world.simulator.calls.all().at(-1)?.body);
    expect(sent).toContain("echo: a");
    expect(sent).not.toContain("mcp_");
  }
});

describe("a count of tokens", () => {
  const count = async (tools: readonly unknown[]) => {
    const response = await world.send("/v1/responses/input_tokens", {
      model: "OpenAI#gpt-5.4",
      input: "say: hello",
      tools,
    });
    return { status: response.status, body: asObject(await response.json()) };
  };

  test("has the tools as the model gets them", async () => {
    await world.respond({ model: "OpenAI#gpt-5.4", input: "say: hello" });
    const sent = asArray(asObject(world.simulator.calls.all().at(-1)?.body).tools);
    expect(sent.length).toBeGreaterThan(1);
    const { body } = await count([OURS]);
    expect(body.input_tokens).toBe((await count(sent)).body.input_tokens);
    expect(Number(body.input_tokens)).toBeGreaterThan(Number((await count([])).body.input_tokens));
  });

  test("is refused as the request would be", async () => {
    const { status, body } = await count([{ ...OURS, require_approval: "always" }]);
    expect(status).toBe(400);
    expect(asObject(body.error).param).toBe("tools[0].require_approval");
  });
});
