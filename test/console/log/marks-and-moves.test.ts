// A request's page says that the gateway marked its prompt for the provider's cache, and why a turn was served elsewhere.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ConsoleWorld, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const BUSY = "OpenAI#sim-mini~trouble=500";
let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld({
    more: `aliases: { pair: [{ model: "${BUSY}", weight: 999 }, { model: "Anthropic#sim-mini", weight: 0.001 }] }`,
  });
});
afterAll(() => world.stop());

test.skipIf(!HAS_BROWSER)("a marked turn that moved says both (skipped without Chromium)", async () => {
  const messages = [{ role: "user", content: "lorem ipsum ".repeat(2000) }];
  const body = { model: "pair", messages, prompt_cache_key: "a conversation" };
  const answer = await world.gateway.chat(body);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  const { page, leave } = await openConsole(world, `/activity/${JSON.parse(text).id}`);
  await page.getByText("Marked by the gateway: the provider keeps the prompt for five minutes.").waitFor();
  await page.getByText("Not served where the conversation belongs, as the call there failed.").waitFor();
  await leave();
});
