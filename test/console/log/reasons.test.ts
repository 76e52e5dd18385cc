// A request's page says which thinking of its history the model wasn't shown, why the conversation stays with its model or
// moved, and that the gateway marked its prompt for the provider's cache.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
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

const thought = (format: string): JsonObject => ({
  type: "reasoning.text",
  text: "It is noon.",
  signature: "s",
  format,
});
const MESSAGES = [
  { role: "user", content: "Hello." },
  { role: "assistant", content: "Yes?", reasoning_details: [thought("google-gemini-v1")] },
  { role: "user", content: "say: hi" },
];
const LEFT_OUT =
  "Left out 2 blocks, as what stood before had changed; 1 block of another model; that of 1 answer, made by another family's model.";

test.skipIf(!HAS_BROWSER)(
  "a request shows why thinking was left out (skipped without Chromium)",
  async () => {
    const model = "Anthropic#m~removes=prefix:2,model";
    const answer = await world.gateway.chat({ model, messages: MESSAGES });
    const { id } = await answer.json();
    const { page, leave } = await openConsole(world, `/activity/${id}`);
    await page.getByText("Thinking not shown").waitFor();
    await page.getByText(LEFT_OUT, { exact: true }).waitFor();
    await leave();
  },
);

const call = { id: "call_1", type: "function", function: { name: "find", arguments: "{}" } };
const user = (content: string) => ({ role: "user", content });
const LOOP = [
  user("Which king signed the Magna Carta in 1215?"),
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "call_1", content: "King John" },
];

test.skipIf(!HAS_BROWSER)("a request shows why its model stays (skipped without Chromium)", async () => {
  const later = [user("Hi!"), { role: "assistant", content: "Hello!" }, user("Write a sonnet.")];
  for (const [messages, words] of [
    [LOOP, /The newest message is the result of a call, so the model that made it goes on\./],
    [later, /The conversation stays with the choice for its opening, since this process hasn't seen/],
  ] as const) {
    const answer = await world.gateway.chat({ model: "Router#best", messages, max_tokens: 20 });
    expect(answer.status).toBe(200);
    const { id } = await answer.json();
    const { page, leave } = await openConsole(world, `/activity/${id}`);
    await page.getByText(words).waitFor();
    await leave();
  }
});

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
