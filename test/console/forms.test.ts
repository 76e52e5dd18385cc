// Forms: budgets and routing as rows, a key as name and budget, the first wrong field in focus, and Escape that asks.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;
let operator: Operator;
beforeAll(async () => {
  world = await startConsoleWorld();
  operator = createOperator(world.gateway);
});
afterAll(() => world.stop());

const isFocused = (page: Page, label: string) =>
  page
    .getByRole("dialog")
    .getByLabel(label, { exact: true })
    .first()
    .evaluate((field) => field === document.activeElement);

async function findRow(path: string, name: string) {
  const { data } = (await operator.get(path)).body;
  return asArray(data)
    .map(asObject)
    .find((row) => row.name === name);
}

async function choose(page: Page, label: string, model: string): Promise<void> {
  await page.getByRole("combobox", { name: label }).fill(model);
  await page.getByRole("option", { name: model, exact: true }).click();
}

describe.skipIf(!HAS_BROWSER)("forms (skipped without Chromium)", () => {
  test("a key is a name and a budget of at most four fields", async () => {
    const { page, leave } = await openConsole(world, "/settings/router?add=yes");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("web");
    expect(await dialog.getByLabel("Expires").isVisible()).toBe(false);
    await dialog.getByRole("button", { name: "Add a budget" }).click();
    const fields = await dialog.locator(".rows-field-row :is(input, select)").count();
    expect(fields).toBe(4);
    await dialog.getByLabel("USD", { exact: true }).fill("50");
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("web is ready").waitFor();
    const key = await findRow("/keys", "web");
    expect(key?.budgets).toEqual([expect.objectContaining({ usd: 50, per: "month", warn: [0.8] })]);
    await leave();
  });

  test("an account is a name and budgets, and a provider's key is the key: the rest is folded", async () => {
    const { page, open, leave } = await openConsole(world, "/settings/accounts?add=yes");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("search");
    expect(await dialog.locator("form :is(input, select, textarea):visible").count()).toBe(1);
    await dialog.getByText(/^More:/).click();
    await dialog.getByLabel("Cost of free requests").selectOption("Custom");
    await dialog.getByLabel("Free requests may cost, in USD per day").fill("2.5");
    await dialog.getByRole("button", { name: "Create account" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await findRow("/accounts", "search"))?.free_budget_usd_per_day).toBe(2.5);
    await open("/settings/providers");
    await page.getByRole("button", { name: "Add key for Groq" }).click();
    await dialog.getByLabel("Groq API key").fill("key-of-the-tests-of-forms");
    expect(await dialog.locator("form :is(input, select, textarea):visible").count()).toBe(1);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Discard" }).click();
    await leave();
  });

  test("what a budget's row doesn't show stays as it is", async () => {
    const budgets = [{ usd: 5, per: "day", models: ["OpenAI#*"], hard: false, warn: [0.25] }];
    const { id } = await world.gateway.newKey({ name: "soft", budgets });
    const { page, leave } = await openConsole(world, `/settings/router/${id}?edit=yes`);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("USD", { exact: true }).fill("6");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const { body } = await operator.get(`/keys/${id}`);
    expect(body.budgets).toEqual([
      expect.objectContaining({ usd: 6, per: "day", models: ["OpenAI#*"], hard: false, warn: [0.25] }),
    ]);
    await leave();
  });

  test("an alias with a fallback is built without the manual", async () => {
    const { page, leave } = await openConsole(world, "/settings/limits");
    await page.getByRole("button", { name: "Add alias" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("house-chat");
    await dialog.getByRole("button", { name: "Several, in order" }).click();
    await choose(page, "1. model", "OpenAI#gpt-5.4");
    await choose(page, "2. model", "OpenAI#gpt-5.4-mini");
    await dialog.getByRole("button", { name: "Down number 1" }).click();
    await dialog.getByText("OpenAI#gpt-5.4 is number 2 now").waitFor({ state: "attached" });
    await dialog.getByRole("button", { name: "Add alias" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await findRow("/aliases", "house-chat"))?.target).toEqual([
      { model: "OpenAI#gpt-5.4-mini", weight: 99 },
      { model: "OpenAI#gpt-5.4", weight: 1 },
    ]);
    await leave();
  });

  test("the first wrong field is in view and in focus, also within what is folded, and in our own words", async () => {
    const { page, close } = await openConsole(world, "/settings/router?add=yes");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("This is needed.").waitFor();
    expect(await isFocused(page, "Name")).toBe(true);
    await dialog.getByLabel("Name").fill("wrong");
    await dialog.getByText(/^More:/).click();
    await dialog.getByLabel("Allowed addresses").fill("no address");
    await dialog.getByText(/^More:/).click();
    await dialog.getByRole("button", { name: "Create key" }).click();
    const field = dialog.getByLabel("Allowed addresses");
    await field.waitFor();
    expect(await isFocused(page, "Allowed addresses")).toBe(true);
    const [box, frame] = [await field.boundingBox(), await dialog.boundingBox()];
    const foot = (frame?.y ?? 0) + (frame?.height ?? 0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(foot);
    await close();
  });

  test("Escape on a form that holds something asks, and on an empty one doesn't", async () => {
    const { page, leave } = await openConsole(world, "/settings/router?add=yes");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("half");
    await page.keyboard.press("Escape");
    await dialog.getByText("Discard what you typed?").waitFor();
    await dialog.getByRole("button", { name: "Go on" }).click();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("half");
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add New Key" }).click();
    await dialog.getByLabel("Name").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await leave();
  });
});
