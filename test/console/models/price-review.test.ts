// The console's review of a list of prices: a box for each change, and what is ticked is taken.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { makeLiteLlm, makeLiteLlmRow } from "../../catalogue/feed-samples.ts";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const folder = mkdtempSync(join(tmpdir(), "poundkey-review-"));
const file = join(folder, "catalogue.json");
const LIST = makeLiteLlm({
  "gpt-5.4": makeLiteLlmRow({
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.8e-5,
    cache_read_input_token_cost: 3e-7,
  }),
  "gpt-4.1": makeLiteLlmRow({ input_cost_per_token: 9e-6, output_cost_per_token: 8e-6 }),
  "gpt-6.1-sol": makeLiteLlmRow({ input_cost_per_token: 0, output_cost_per_token: 1e-5 }),
  "gpt-7-new": makeLiteLlmRow(),
  "gpt-7-other": makeLiteLlmRow(),
  "xai/grok-4.6": makeLiteLlmRow({ litellm_provider: "xai", input_cost_per_token: 9e-6 }),
});
const list = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(LIST) });

let world: ConsoleWorld;
beforeAll(async () => {
  const from = `${list.url}list.json`;
  world = await startConsoleWorld({
    more: `catalogue: { file: "${file}", watch: { from: "${from}", format: litellm } }`,
    fetch,
  });
  const operator = createOperator(world.gateway);
  await until("the list was compared", async () => (await operator.get("/catalogue")).body.compared_at);
});
afterAll(async () => {
  await world.stop();
  await list.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

function readTaken(): ReadonlyMap<unknown, unknown> {
  const models = asArray(asObject(parseJson(readFileSync(file, "utf8"))).models).map(asObject);
  return new Map(models.map(({ id, price }) => [id, price]));
}

const LOOKS = [
  [1440, "light"],
  [375, "dark"],
] as const;

describe.skipIf(!HAS_BROWSER)("the review (skipped without Chromium)", () => {
  test.each(LOOKS)(
    "shows new models first, and what is never taken, %p px, %s",
    async (width, colorScheme) => {
      const { page, leave } = await openConsole(world, "/models", {
        viewport: { width, height: 900 },
        colorScheme,
      });
      await page.getByRole("button", { name: "review" }).click();
      const dialog = page.getByRole("dialog");
      const titles = dialog.getByRole("rowheader");
      expect(await titles.allInnerTexts()).toEqual(["New models", "May be taken", "Wait for you", "Refused"]);
      expect(await dialog.getByRole("checkbox", { name: "Take OpenAI#gpt-6.1-sol price" }).count()).toBe(0);
      expect(await dialog.getByText("xAI#grok-4.6").count()).toBe(0);
      await dialog.getByRole("button", { name: "Show them" }).click();
      await dialog.getByText("xAI#grok-4.6").first().waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await leave();
    },
  );

  test("takes what is ticked, and nothing else", async () => {
    const { page, leave } = await openConsole(world, "/models");
    await page.getByRole("button", { name: "review" }).click();
    const dialog = page.getByRole("dialog");
    const box = (name: string) => dialog.getByRole("checkbox", { name: `Take OpenAI#${name}`, exact: true });
    expect(await box("gpt-5.4 price").isChecked()).toBe(true);
    expect(await box("gpt-4.1 price").isChecked()).toBe(false);
    await box("gpt-7-other model").uncheck();
    await box("gpt-7-new price").check();
    expect(await box("gpt-7-new model").isChecked()).toBe(true);
    await dialog.getByRole("button", { name: "Take the changes of 2 models" }).click();
    await page.getByText("The catalogue file is written.").waitFor();
    const taken = readTaken();
    expect([...taken.keys()].toSorted()).toEqual(["OpenAI#gpt-5.4", "OpenAI#gpt-7-new"]);
    expect(taken.get("OpenAI#gpt-5.4")).toMatchObject({ input: 3, output: 18, cached_input: 0.3 });
    expect(taken.get("OpenAI#gpt-7-new")).toMatchObject({ input: 2.5, output: 15 });
    await leave();
  });
});
