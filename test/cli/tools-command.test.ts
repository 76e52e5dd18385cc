// `poundkey tools`: asks the configured servers itself, or a gateway that has asked them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { poundkey } from "../harness/poundkey.ts";
import { ToolServerFake } from "../simulator/tools/tool-server.ts";
import { createOperator } from "../whole/world/operator.ts";

let server: ToolServerFake;
let gateway: UnderTest;
beforeAll(async () => {
  server = new ToolServerFake({ era: "newer" });
  const gone = new ToolServerFake();
  await gone.stop();
  server.tools = [
    { name: "read", description: "Reads.\nAt length.", inputSchema: { type: "object" } },
    { name: "write", inputSchema: { type: "object" } },
    { name: "odd", inputSchema: { type: "string" } },
  ];
  gateway = await startUnderTest({
    more: `mcp:
  allowed_tools: ["wiki_*"]
  servers:
    wiki: { url: "${server.url}", price_per_call: 0.5 }
    gone: { url: "${gone.url}" }`,
  });
  await createOperator(gateway).post("/keys", { name: "reader", allowed_tools: ["wiki_read"] });
});
afterAll(async () => {
  await gateway.stop();
  await server.stop();
});

const here = (...args: string[]) =>
  poundkey(gateway.directory, ["tools", ...args, "--config", gateway.configFile]);
const there = (...args: string[]) =>
  poundkey(gateway.directory, ["tools", ...args, "--gateway", gateway.url], {
    POUNDKEY_TOKEN: gateway.adminToken,
  });

test.each([
  ["in front of the servers", here],
  ["at a gateway", there],
])("lists tools with what a key may, and names what is wrong, %s", async (_, run) => {
  const all = await run();
  expect(all.code).toBe(0);
  expect(all.out).toMatch(/^NAME +USD A CALL +DESCRIPTION\nwiki_read +0\.5 +Reads\.\nwiki_write +0\.5\n$/);
  expect(all.err).toContain("gone is down: ");
  expect(all.err).toContain("wiki: 1 tool left out, such as odd: its schema is not that of an object");
  const ofKey = await run("--key", "reader", "--server", "wiki", "--json");
  const tools: readonly { readonly name: string; readonly allowed: boolean }[] = JSON.parse(ofKey.out);
  expect(tools.map(({ name, allowed }) => [name, allowed])).toEqual([
    ["wiki_read", true],
    ["wiki_write", false],
  ]);
  expect(ofKey.err).not.toContain("gone");
});

test("a server that isn't configured is named", async () => {
  const { code, err } = await here("--server", "wikki");
  expect([code, err]).toEqual([2, expect.stringContaining("no tool server 'wikki'")]);
});
