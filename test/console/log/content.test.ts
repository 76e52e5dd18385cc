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
  const { page, leave } = await openConsole(world, `/activity/${id}`);
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

const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

test.skipIf(!HAS_BROWSER)(
  "thinking is text, a picture is seen, and calls have their arguments below",
  async () => {
    const messages = [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } },
          { type: "image_url", image_url: { url: "https://pictures.example.com/a.png" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "find", arguments: '{"a":1}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "found" },
      { role: "user", content: "think: hard. say: done" },
    ];
    const model = "Google#gemini-3.5-flash";
    const answer = await world.gateway.chat({ model, messages, reasoning_effort: "low" });
    const { id, choices } = await answer.json();
    const { page, leave } = await openConsole(world, `/activity/${id}`);
    const said = page.getByRole("list").filter({ hasText: "found" }).getByRole("listitem");
    const picture = said.first().getByRole("img", { name: "sent" });
    await picture.waitFor();
    expect(await picture.count()).toBe(1);
    expect(await said.first().innerText()).toContain("https://pictures.example.com/a.png");
    expect((await said.nth(1).innerText()).split("\n").slice(-2)).toEqual([
      "Calls find as call_1",
      '{"a":1}',
    ]);
    const thought: unknown = choices[0].message.reasoning_content;
    expect(thought).toStartWith("Thinking");
    const last = await said.last().innerText();
    expect(last).toContain(`${thought}`);
    expect(last).not.toContain("reasoning_content");
    await leave();
  },
);
