// The page Guard: how to begin without rules, and with some what they have found and what they find in a text that is tried.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createOperator } from "../../whole/world/operator.ts";
import { until } from "../../whole/world/until.ts";
import { PHONE } from "../people.ts";
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

const RULES = `guard:
  rules:
    - { name: secrets, detect: [secrets] }
    - { name: personal, detect: [email, card, "words:customers"], at: [request, answer], accounts: [default] }
  words: { customers: [Kestrel GmbH] }
  allow: ["*@own.example.net"]`;

let none: ConsoleWorld;
let some: ConsoleWorld;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [none, some] = await Promise.all([startConsoleWorld(), startConsoleWorld({ more: RULES })]);
  const { secret } = await some.gateway.newKey();
  const ask = (content: string) =>
    some.gateway.chat({ model: "OpenAI#gpt-5.4", messages: [{ role: "user", content }] }, { secret });
  for (const text of ["Mail ada@corp-x.de", "Mail eve@corp-x.de", "Card 4532 0151 1283 0366"])
    expect((await ask(text)).status).toBe(200);
  const operator = createOperator(some.gateway);
  await until("the findings are summed", async () => {
    const { body } = await operator.get("/usage?group_by=finding");
    return JSON.stringify(body).includes("card");
  });
});
afterAll(async () => {
  await none?.stop();
  await some?.stop();
});

describe.skipIf(!HAS_BROWSER)("the page Guard (skipped without Chromium)", () => {
  test("without rules it says how to begin, as YAML to copy", async () => {
    const { page, open, leave } = await openConsole(none);
    await open("/settings/guard");
    await page.getByRole("heading", { name: "No rules yet" }).waitFor();
    expect(await page.locator("pre").innerText()).toContain("detect: [secrets]");
    expect(await findBarriers(page)).toEqual([]);
    await leave();
  });

  test("shows rules, and findings by detector and account that lead to their requests", async () => {
    const { page, open, leave } = await openConsole(some);
    await open("/settings/guard");
    const rules = page.getByRole("table", { name: "Rules" });
    await rules.getByRole("row").filter({ hasText: "personal" }).getByText("accounts default").waitFor();
    const table = page.getByRole("table", { name: "Findings" });
    const row = table.getByRole("row").filter({ hasText: "email" }).filter({ hasText: "the request" });
    await row.filter({ hasText: "2" }).waitFor();
    await page.getByRole("button", { name: "Account", exact: true }).click();
    await row.filter({ hasText: "default" }).waitFor();
    expect(await page.getByText("Kestrel").count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await row.getByRole("link", { name: "email" }).click();
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    expect(page.url()).toContain("finding=email");
    await leave();
  });

  test("finds the values of a text that is tried, on a phone too", async () => {
    const { page, open, leave } = await openConsole(some, PHONE);
    await open("/settings/guard");
    await page.getByLabel("Text", { exact: true }).fill("Write to ada@corp-x.de, not to us@own.example.net");
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    const found = page.getByRole("table", { name: "Found in the text" });
    await found.getByText("ada@corp-x.de").waitFor();
    expect(await found.getByText("own.example.net").count()).toBe(0);
    expect(await isTooWide(page)).toBe(false);
    expect(await findBarriers(page)).toEqual([]);
    await leave();
  });
});
