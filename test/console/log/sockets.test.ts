// WebSockets in the console: how many are open, which requests came on one, and the turns beside a request's.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { SocketClient } from "../../http/sockets/client.ts";
import { findBarriers, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: Awaited<ReturnType<typeof startConsoleWorld>>;
let client: SocketClient;

beforeAll(async () => {
  world = await startConsoleWorld();
  const { url, secret } = world.gateway;
  const model = "OpenAI#gpt-5.4";
  client = await new SocketClient(url, secret).open();
  const input = [{ type: "message", role: "user", content: "say: one" }];
  await client.create({ model, input });
  await client.create({ model: "Local#m", input: [...input, { type: "compaction_trigger" }] });
  await (await world.gateway.chat({ model, messages: [{ role: "user", content: "say: two" }] })).text();
});

afterAll(() => {
  client.close();
  return world.stop();
});

describe.skipIf(!HAS_BROWSER)("the console (skipped without Chromium)", () => {
  test("counts the open ones on the overview, which leads to their turns", async () => {
    const { page, leave } = await openConsole(world, "/");
    await page.getByText("1 of 500").waitFor();
    await page.getByRole("link", { name: "Turns in Activity" }).click();
    const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr");
    await page.getByRole("button", { name: /transport ws/ }).waitFor();
    await rows.getByText("WebSocket").nth(1).waitFor();
    expect(await rows.getByText("WebSocket").count()).toBe(2);
    await leave();
  });

  test("shows a turn's other turns, and which of them compacts the conversation", async () => {
    const { page, leave } = await openConsole(world, "/activity?transport=ws");
    await page.getByRole("table", { name: "Requests" }).getByRole("link").last().click();
    const turns = page.getByRole("table", { name: "Requests of the WebSocket" }).locator("tbody tr");
    await turns.nth(1).waitFor();
    const texts = await turns.allInnerTexts();
    expect(texts.map((text) => [text.includes("this one"), text.includes("compaction")])).toEqual([
      [true, false],
      [false, true],
    ]);
    await page.getByText("OpenAI#gpt-5.4, by WebSocket").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await leave();
  });

  test("shows a session and its WebSocket once where both have the same turns, and twice where they don't", async () => {
    const { url, secret } = world.gateway;
    const agent = await new SocketClient(url, secret, { "session-id": "agent-7" }).open();
    const input = [{ type: "message", role: "user", content: "say: one" }];
    const model = "OpenAI#gpt-5.4";
    await agent.create({ model, input });
    await agent.create({ model, input });
    const { page, leave } = await openConsole(world, "/activity?session=agent-7");
    await page.getByRole("table", { name: "Requests" }).getByRole("link").last().click();
    await page.getByRole("heading", { name: "Session, on one WebSocket" }).waitFor();
    const lists = page.getByRole("table", { name: /^Requests of the/ });
    expect(await lists.count()).toBe(1);
    const headers = { "session-id": "agent-7" };
    const messages = [{ role: "user", content: "say: two" }];
    await (await world.gateway.chat({ model, messages }, { headers })).text();
    await page.reload();
    await page.getByRole("heading", { name: "WebSocket", exact: true }).waitFor();
    expect(await lists.count()).toBe(2);
    agent.close();
    await leave();
  });
});
