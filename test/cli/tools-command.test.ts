// `poundkey tools`: asks the configured servers itself, or a gateway that has asked them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { poundkey } from "../harness/poundkey.ts";
import { ToolServerFake } from "../simulator/tools/tool-server.ts";
import { createOperator } from "../whole/world/operator.ts";

let server: ToolServerFake;
let unseen: ToolServerFake;
let gateway: UnderTest;
beforeAll(async () => {
  server = new ToolServerFake({ era: "newer" });
  unseen = new ToolServerFake();
  const gone = new ToolServerFake();
  await gone.stop();
  server.tools = [
    { name: "read", description: "Reads.\nAt length.", inputSchema: { type: "object" } },
    { name: "write", inputSchema: { type: "object" } },
    { name: "odd", inputSchema: { type: "string" } },
  ];
  unseen.tools = [
    { name: "a\u202eb", description: "\u001b[31mred\u009b2J", inputSchema: { type: "object" } },
    { name: "\u001b]0;title\u0007", inputSchema: { type: "string" } },
  ];
  gateway = await startUnderTest({
    more: `mcp:
  allowed_tools: ["wiki_*"]
  servers:
    wiki: { url: "${server.url}", price_per_call: 0.5 }
    gone: { url: "${gone.url}" }
    zz: { url: "${unseen.url}" }`,
  });
  await createOperator(gateway).post("/keys", { name: "reader", allowed_tools: ["wiki_read"] });
});
afterAll(async () => {
  await gateway.stop();
  await server.stop();
  await unseen.stop();
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
  expect(all.out).toMatch(
    /^NAME +USD A CALL +DESCRIPTION\nwiki_read +0\.5 +Reads\.\nwiki_write +0\.5\nzz_a_b_\w+ .*\n$/,
  );
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

test("a terminal obeys nothing that a server says, and turns nothing around", async () => {
  for (const run of [here, there]) {
    const table = await run("--server", "zz");
    expect(table.out).toContain("\\u001b[31mred\\u009b2J");
    expect(table.err).toContain("\\u001b]0;title\\u0007: its schema");
    const json = await run("--server", "zz", "--json");
    expect(JSON.parse(json.out)[0].tool).toBe("a\u202eb");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
    expect(table.out + table.err + json.out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  }
});
