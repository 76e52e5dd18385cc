// Calls of tools by the SDK's own client, of either era over servers of either: the result, the money, the row.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, startToolsWorld, type ToolsWorld } from "./tools-world.ts";

let world: ToolsWorld;
beforeAll(async () => {
  world = await startToolsWorld({
    servers: {
      old: { era: "older", sessions: true },
      new: { era: "newer" },
      plain: { era: "older", answers: "json" },
    },
  });
});
afterAll(() => world.stop());

describe.each([
  ["the older era", false],
  ["the newer era", true],
])("a client of %s", (_name, pin) => {
  test.each(["old", "new", "plain"])("lists and calls the tools of %s", async (server) => {
    const client = await connect(world, { pin });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain(`${server}_echo`);
    const result = await client.callTool({ name: `${server}_echo`, arguments: { text: "hi" } });
    expect(result.content).toEqual([{ type: "text", text: "echo: hi" }]);
    await client.close();
    expect(world.servers[server]?.mistakes).toEqual([]);
  });
});
