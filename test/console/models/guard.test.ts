// The page Guard: what its rules have found, and what they find in a text that is tried.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject } from "../../../src/core/json/json.ts";
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
    - { name: secrets, detect: [secrets], action: refuse }
    - { name: accounts, detect: [iban], action: mask }
    - { name: phones, detect: [phone], action: swap }
    - { name: personal, detect: [email, card, "words:customers"], at: [request, answer], accounts: [default] }
  words: { customers: [Kestrel GmbH] }
  allow: ["*@own.example.net"]`;

let world: ConsoleWorld;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  world = await startConsoleWorld({ more: RULES });
  const { secret } = await world.gateway.newKey();
  const ask = (content: string) =>
    world.gateway.chat({ model: "OpenAI#gpt-5.4", messages: [{ role: "user", content }] }, { secret });
  for (const text of ["Mail ada@corp-x.de", "Mail eve@corp-x.de", "Card 4532 0151 1283 0366"])
    expect((await ask(text)).status).toBe(200);
  const operator = createOperator(world.gateway);
  await until("the findings are summed", async () => {
    const { body } = await operator.get("/usage?group_by=finding");
    return JSON.stringify(body).includes("card");
  });
});
afterAll(() => world?.stop());

describe.skipIf(!HAS_BROWSER)("the page Guard (skipped without Chromium)", () => {
  test("shows rules, and findings by detector and account that lead to their requests", async () => {
    const { page, leave } = await openConsole(world, "/settings/guard");
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
    const { page, leave } = await openConsole(world, "/settings/guard", PHONE);
    await page.getByLabel("Text", { exact: true }).fill("Write to ada@corp-x.de, not to us@own.example.net");
    await page.getByRole("button", { name: "Try it", exact: true }).click();
    const found = page.getByRole("table", { name: "Found in the text" });
    await found.getByText("ada@corp-x.de").waitFor();
    expect(await found.getByText("own.example.net").count()).toBe(0);
    expect(await isTooWide(page)).toBe(false);
    await page.getByText("It leaves as it is").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await leave();
  });

  test("shows a tried text as it would leave, and that a refused one doesn't", async () => {
    const { page, leave } = await openConsole(world, "/settings/guard");
    const rules = page.getByRole("table", { name: "Rules" });
    for (const [action, tone] of [
      ["refuse", "bad"],
      ["mask", "warn"],
      ["swap", "accent"],
    ] as const)
      expect(await rules.getByText(action, { exact: true }).getAttribute("class")).toContain(tone);
    const attempt = async (text: string) => {
      await page.getByLabel("Text", { exact: true }).fill(text);
      await page.getByRole("button", { name: "Try it", exact: true }).click();
    };
    await attempt("Pay GB82WEST12345698765432, call +49 30 901820");
    const left = page.locator(".code pre");
    await left.getByText("[IBAN]").waitFor();
    expect(await left.innerText()).toMatch(/^Pay \[IBAN\], call <PHONE_[0-9A-Z]{8}>$/);
    await attempt(`Use ${"AKIA"}QYLPMN5HHHFPZAM2`);
    await page.getByText("It doesn't leave: the rule secrets refuses it.").waitFor();
    expect(await left.count()).toBe(0);
    await leave();
  });

  test("says which nodes have other rules", async () => {
    const { page, leave } = await openConsole(world, "/settings/guard");
    await page.getByRole("table", { name: "Rules" }).waitFor();
    expect(await page.getByText("has other rules").count()).toBe(0);
    const { configFile, directory } = world.gateway;
    // Each node reads its own file again when that changes.
    const otherFile = join(directory, "other.yaml");
    writeFileSync(otherFile, readFileSync(configFile, "utf8").replace("Kestrel GmbH", "Bluebird"));
    const other = await world.gateway.another(otherFile);
    try {
      const operator = createOperator(world.gateway);
      const [node] = await until("the other node has told its version", async () => {
        const { body } = await operator.get("/guard");
        return body.other_nodes === undefined ? null : asArray(body.other_nodes);
      });
      await page.reload();
      await page.getByText("A node has other rules than these").waitFor();
      await page.getByText(String(asObject(node).id)).waitFor();
      expect(await isTooWide(page)).toBe(false);
    } finally {
      await other.stop();
    }
    await leave();
  });
});
