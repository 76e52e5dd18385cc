// A request's page says which thinking of its history the model wasn't shown: the provider's reasons and the gateway's own.
import { afterAll, beforeAll, setDefaultTimeout, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { type ConsoleWorld, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld();
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
