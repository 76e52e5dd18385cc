// The playground in a browser: it streams, stops, compares, accepts images and parameters, and shows an answer's cost.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

/** A red dot. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
  "base64",
);

const world = await startConsoleWorld();

afterAll(() => world.stop());

const playgroundOf = (model: string) => `/playground?model=${encodeURIComponent(model)}`;

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

describe.skipIf(!HAS_BROWSER)("the playground (skipped without Chromium)", () => {
  test("streams an answer and shows its tokens, cost and speed, and the call as code", async () => {
    const { page, open, leave } = await openConsole(world, playgroundOf("OpenAI#gpt-5.4"));
    await send(page, "Say hello.");
    const lane = page.getByRole("region", { name: "Model 1: OpenAI#gpt-5.4" });
    await lane.getByText(/\d+ → \d+ tokens · \$0\.\d+ · \$0\.00 charged · first token .* in total/).waitFor();
    await page.getByRole("button", { name: "View as code" }).click();
    await page.getByRole("button", { name: "curl" }).click();
    const code = await page.getByRole("dialog").locator("pre").innerText();
    expect(code).toContain(`curl -N ${world.gateway.url}/v1/chat/completions`);
    expect(code).toContain('"model": "OpenAI#gpt-5.4"');
    await page.getByRole("button", { name: "Close" }).click();
    await open("/activity?key_id=console");
    await page.getByRole("row").filter({ hasText: "Playground" }).getByText("gpt-5.4").waitFor();
    await leave();
  });

  test("asks in another account, whose activity it is", async () => {
    const account = await world.gateway.newAccount("Studio");
    const { page, open, leave } = await openConsole(world, playgroundOf("OpenAI#gpt-5.4"));
    await page.getByLabel("Key", { exact: true }).selectOption({ label: "The console's own key, in Studio" });
    await send(page, "Say hello.");
    await page.getByText(/\d+ → \d+ tokens/).waitFor();
    await open(`/activity?key_id=console_${account}`);
    await page.getByRole("row").filter({ hasText: "Playground" }).getByText("gpt-5.4").waitFor();
    await leave();
  });

  test("starts with an example prompt and continues the conversation", async () => {
    const { page, close } = await openConsole(world, playgroundOf("OpenAI#gpt-5.4"));
    await page.getByRole("button", { name: "Plan a quiet weekend by the sea." }).click();
    const figures = page.getByText(/\d+ → \d+ tokens/);
    await figures.waitFor();
    await send(page, "And for three?");
    await figures.nth(1).waitFor();
    await page.getByRole("button", { name: "View as code" }).click();
    await page.getByRole("button", { name: "curl" }).click();
    const code = await page.getByRole("dialog").locator("pre").innerText();
    const said = ["Plan a quiet weekend", '"role": "assistant"', "And for three?"].map((text) =>
      code.indexOf(text),
    );
    expect(said).not.toContain(-1);
    expect(said).toEqual([...said].sort((a, b) => a - b));
    await close();
  });

  test("stops a running answer", async () => {
    const { page, open, leave } = await openConsole(world);
    const model = "OpenAI#sim-mini~pace=60~chunks=2000";
    await open(playgroundOf(model));
    await send(page, "Count on and on.");
    const lane = page.getByRole("region", { name: `Model 1: ${model}` });
    await lane
      .locator(".answer p")
      .filter({ hasText: /\S+ \S+/ })
      .waitFor();
    await page.getByLabel("Message").fill("The next one.");
    await page.getByRole("button", { name: "Stop" }).click();
    await lane.getByText(/stopped/).waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    expect(await page.getByLabel("Message").inputValue()).toBe("The next one.");
    await open("/activity?status=499");
    await page.getByRole("row").filter({ hasText: "Playground" }).getByText("499").first().waitFor();
    await leave();
  });

  test("shows a tool's call, and takes an answer's form and the reasoning effort", async () => {
    const { page, leave } = await openConsole(world, playgroundOf("OpenAI#gpt-5.4"));
    await page.getByRole("button", { name: "Parameters" }).click();
    await page.getByLabel("Tools").fill("{}");
    await page.getByText("A list of tools, as JSON").waitFor();
    const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const tool = { type: "function", function: { name: "weather", parameters: city } };
    await page.getByLabel("Tools").fill(JSON.stringify([tool]));
    await page.getByLabel("Reasoning effort").selectOption("low");
    await page.getByLabel("Form of the answer").selectOption("JSON by a schema");
    await page.getByLabel("JSON schema").fill(JSON.stringify(city));
    await send(page, 'call weather({"city":"Paris"})');
    await page.getByText("calls weather").waitFor();
    await page.getByRole("button", { name: "View as code" }).click();
    const code = await page.getByRole("dialog").locator("pre").innerText();
    expect(code).toContain('"reasoning_effort": "low"');
    expect(code).toContain('"json_schema"');
    await leave();
  });

  test("queries several models at once, with an image and parameters", async () => {
    const { page, leave } = await openConsole(world, playgroundOf("OpenAI#gpt-5.4"));
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByLabel("Model 2", { exact: true }).fill("claude-sonnet-5");
    await page.getByRole("option", { name: "Anthropic#claude-sonnet-5", exact: true }).click();
    await page.getByRole("button", { name: "Parameters" }).click();
    await page.getByLabel("Temperature").fill("9");
    await page.getByText("From 0 to 2").waitFor();
    await page.getByLabel("Message").fill("What is this?");
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByLabel("Temperature").fill("0.4");
    const picture = { name: "dot.png", mimeType: "image/png", buffer: PICTURE };
    await page.locator("input[type=file]").setInputFiles(picture);
    await page.getByRole("img", { name: "Attachment 1" }).waitFor();
    await send(page, "What is this?");
    for (const name of ["Model 1: OpenAI#gpt-5.4", "Model 2: Anthropic#claude-sonnet-5"]) {
      await page
        .getByRole("region", { name })
        .getByText(/tokens · \$0\.\d+/)
        .waitFor();
    }
    await leave();
  });

  test("shows what a selector chose, and explains a failure", async () => {
    const { page, open, close } = await openConsole(world, playgroundOf("Router#light"));
    await send(page, "Say hello.");
    const chosen = page.getByRole("region", { name: "Model 1: Router#light" });
    await chosen.getByText(/^\w+#\S+ \d+ → \d+ tokens/).waitFor();
    await open("/");
    await open(playgroundOf("OpenAI#sim-mini~trouble=400"));
    await send(page, "Say hello.");
    await page
      .getByRole("region", { name: /trouble=400/ })
      .getByRole("alert")
      .waitFor();
    await close();
  });
});
