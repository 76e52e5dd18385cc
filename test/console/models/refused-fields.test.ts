// A model's page in a browser: a field that its provider refused is shown, and left out from then on by a button.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import {
  type ConsoleWorld,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

/** On a server of an unknown name, nothing is known of what this model refuses. */
const MODEL = "House#gpt-5-mini";

/** Refuses it in words that the gateway doesn't know, so that it isn't left out at once. */
const refusing: Fetch = async (url, init) => {
  const request = new Request(url, init);
  if (!("temperature" in asObject(parseJson(await request.clone().text())))) return fetch(request);
  const message = "This model is not compatible with temperature.";
  return Response.json({ error: { message, type: "invalid_request_error" } }, { status: 400 });
};

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld({
    fetch: refusing,
    more: (url) =>
      `  House: { dialect: openai, keys: [sim-key], base_url: "${url}/openai/v1", models: [{ name: gpt-5-mini, context: 8192, output: 99, price: { input: 1, output: 1 } }] }`,
  });
});
afterAll(() => world.stop());

const ask = () =>
  world.gateway.chat({ model: MODEL, temperature: 0.2, messages: [{ role: "user", content: "say: hi" }] });

describe.skipIf(!HAS_BROWSER)("a refused field (skipped without Chromium)", () => {
  test("is left out from now on", async () => {
    expect((await ask()).status).toBe(400);
    const { page, close } = await openConsole(world, `/models/${encodeURIComponent(MODEL)}`, {
      viewport: { width: 360, height: 740 },
    });
    await page.getByRole("button", { name: /^Leave it out from now on/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave it out" }).click();
    await page.getByText("left out now").waitFor();
    expect(await isTooWide(page)).toBe(false);
    const answered = await ask();
    expect([answered.status, answered.headers.get("x-poundkey-dropped")]).toEqual([200, "temperature"]);
    await close();
  });
});
