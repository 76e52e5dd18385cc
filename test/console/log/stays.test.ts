// A request's page says why the conversation stays with its model.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ConsoleWorld, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world.stop());

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
