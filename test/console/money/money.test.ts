// Money in the console: a large amount is typed twice, a top-up can be taken back, and what wasn't charged says why.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { asArray } from "../../../src/core/json/json.ts";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import { asking } from "../../whole/world/world.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});

afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("money (skipped without Chromium)", () => {
  test("a top-up above 10,000 USD is typed twice, and taken back by an adjustment with its reason", async () => {
    const account = await world.gateway.newAccount("Research");
    const { page, open, close } = await openConsole(world);
    const dialog = page.getByRole("dialog");
    await open(`/settings/accounts/${account}`);
    const balance = page.getByRole("region", { name: "Balance" });
    await page.getByRole("button", { name: "Top up" }).click();
    await dialog.getByLabel("Amount in USD").fill("10000");
    expect(await dialog.getByLabel("The same amount again").count()).toBe(0);
    await dialog.getByLabel("Amount in USD").fill("250000");
    await dialog.getByLabel("The same amount again").fill("25000");
    await dialog.getByRole("button", { name: "Top up" }).click();
    await dialog.getByRole("alert").first().waitFor();
    await dialog.getByLabel("The same amount again").fill("250000");
    await dialog.getByRole("button", { name: "Top up" }).click();
    await balance.getByText("$250,000.00").waitFor();
    await page.getByRole("button", { name: "Adjust" }).click();
    await dialog.getByLabel("Amount in USD").fill("-249975");
    await dialog.getByLabel("The same amount again").fill("-249975");
    await dialog.getByLabel("Reason").fill("Three zeros too many");
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Adjust" }).click();
    await balance.getByText("$25.00").waitFor();
    const row = page
      .getByRole("table", { name: "Journal" })
      .getByRole("row", { name: "Three zeros too many" });
    await row.getByText("−$249,975.00").waitFor();
    await close();
  });

  test("a request that failed was not charged because it failed, one within the allowance because of that", async () => {
    const { page, open, leave } = await openConsole(world);
    const noteOf = async (model: string) => {
      await (await world.gateway.chat(asking(model))).text();
      const list = () => createOperator(world.gateway).get(`/requests?model=${encodeURIComponent(model)}`);
      await until("it is logged", async () => asArray((await list()).body.data).length > 0);
      await open("/activity");
      await page
        .getByRole("table", { name: "Requests" })
        .getByRole("row", { name: model })
        .getByRole("link")
        .click();
      const note = await page.locator(".bill-note").innerText();
      // The list is read when its page is opened.
      await open("/");
      return note;
    };
    expect(await noteOf("OpenAI#sim-mini~trouble=503")).toBe("Nothing was charged: the request failed.");
    expect(await noteOf("OpenAI#gpt-5.4")).toBe("Nothing was charged: the request was within the allowance.");
    await leave();
  });
});
