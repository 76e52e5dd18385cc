// Logged prompts and answers in the console.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ConsoleWorld, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld({ more: "log: { content: true }" });
});

afterAll(() => world.stop());

test.skipIf(!HAS_BROWSER)("a request shows its messages (skipped without Chromium)", async () => {
  const messages = [
    { role: "system", content: "Be <b>brief</b>." },
    { role: "user", content: [{ type: "text", text: "What is a pound key?" }] },
  ];
  const answer = await world.gateway.chat({ model: "OpenAI#gpt-5.4", messages, temperature: 0.5 });
  const { id, choices } = await answer.json();
  const { page, open, leave } = await openConsole(world);
  await open(`/activity/${id}`);
  const said = page.getByRole("list").filter({ hasText: "What is a pound key?" }).getByRole("listitem");
  await said.first().waitFor();
  const texts = await said.allInnerTexts();
  // Each says its share of the whole.
  const parts = texts.map((text) => text.replace(/\s+/g, " ").replace(/ \d+% /, " "));
  expect(parts).toEqual([
    "system Be <b>brief</b>.",
    "user What is a pound key?",
    `assistant ${choices[0].message.content}`,
  ]);
  await page.getByText("Other fields of the request").click();
  await page.getByText('"temperature": 0.5').waitFor();
  await leave();
});
