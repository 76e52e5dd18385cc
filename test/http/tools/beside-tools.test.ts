// Prompts and resources of tool servers, which are shown where the operator says so, and the servers' own credentials.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { connect, startToolsWorld, type ToolsWorld } from "./tools-world.ts";

let shown: ToolsWorld;
let hidden: ToolsWorld;
let passing: ToolsWorld;
beforeAll(async () => {
  shown = await startToolsWorld({ fields: "price_per_call: 0.002, resources: true, prompts: true" });
  hidden = await startToolsWorld();
  passing = await startToolsWorld({ fields: "auth: { pass: x-github-token }" });
});
afterAll(async () => {
  for (const world of [shown, hidden, passing]) await world.stop();
});

test("prompts and resources are listed and read through the SDK, free, with rows of their own", async () => {
  const client = await connect(shown, { path: "/mcp/old" });
  expect(client.getServerCapabilities()).toMatchObject({ tools: {}, prompts: {}, resources: {} });
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["greet"]);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["file:///a.txt"]);
  expect((await client.getPrompt({ name: "greet" })).messages).toHaveLength(1);
  const { contents } = await client.readResource({ uri: "file:///a.txt" });
  expect(contents).toMatchObject([{ uri: "file:///a.txt", text: "content" }]);
  const rows = await shown.rows();
  expect(rows.map(({ model_asked: model, cost_usd: cost }) => [model, cost])).toEqual([
    ["mcp:old#resources/read", 0],
    ["mcp:old#prompts/get", 0],
  ]);
  await client.close();
});

test("over all servers, a prompt has its server's name before its own", async () => {
  const { prompts } = await shown.ask("prompts/list");
  expect(asArray(prompts).map((one) => asObject(one).name)).toEqual(["old_greet"]);
  const { messages } = await shown.ask("prompts/get", { name: "old_greet" });
  expect(asArray(messages)).toHaveLength(1);
});

test("without the operator's word there are none, and no capability says so", async () => {
  const client = await connect(hidden, { path: "/mcp/old" });
  const capabilities = client.getServerCapabilities();
  expect([capabilities?.prompts, capabilities?.resources]).toEqual([undefined, undefined]);
  await client.close();
  expect(await hidden.ask("prompts/get", { name: "old_greet" })).toMatchObject({
    code: expect.any(Number),
  });
  expect(await hidden.rows()).toEqual([]);
});

test("a server that takes its callers' own credentials gets each caller's, and nobody else's", async () => {
  const { old } = passing.servers;
  const asked = { headers: { "x-github-token": "Bearer ghp-of-mine" } };
  expect(
    await passing.ask("tools/call", { name: "old_echo", arguments: { text: "a" } }, asked),
  ).toMatchObject({
    content: [{ text: "echo: a" }],
  });
  const carried = old?.seen.map(({ headers }) => headers.authorization) ?? [];
  expect(new Set(carried)).toEqual(new Set(["Bearer ghp-of-mine"]));
  expect(old?.seen.some(({ headers }) => "x-github-token" in headers)).toBe(false);
  const before = old?.seen.length;
  const { tools } = await passing.ask("tools/list");
  expect([tools, old?.seen.length]).toEqual([[], before]);
});
