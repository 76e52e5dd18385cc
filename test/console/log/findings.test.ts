// A request's page says what the guard found, and leads to the requests with the same kind of values.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../../whole/world/until.ts";
import { asking } from "../../whole/world/world.ts";
import {
  type ConsoleWorld,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld({
    more: "guard: { rules: [{ name: personal, detect: [email, phone], at: [request, answer] }, { name: money, detect: [iban], action: mask }] }",
  });
});
afterAll(() => world.stop());

test.skipIf(!HAS_BROWSER)("findings are told and followed (skipped without Chromium)", async () => {
  const ids: string[] = [];
  const values = "ada@corp-x.de bob@corp-x.de +49 30 901820 GB82WEST12345698765432";
  for (const words of ["nothing here", values]) {
    const answer = await world.gateway.chat(asking("OpenAI#sim", `say: ${words}`));
    ids.push(JSON.parse(await answer.text()).id);
  }
  const { page, open, leave } = await openConsole(world, `/activity/${ids[0]}`);
  await page.getByText("Requested").first().waitFor();
  expect(await page.getByText("reported by personal").count()).toBe(0);
  await open(`/activity/${ids[1]}`);
  await page.getByText("email: 2 values in the request, reported by personal").waitFor();
  await page.getByText("phone: 1 value in the answer, reported by personal").waitFor();
  await page.getByText("iban: 1 value in the request, masked by money").waitFor();
  expect(await page.getByText("mask", { exact: true }).getAttribute("class")).toContain("warn");
  expect(await isTooWide(page)).toBe(false);
  await page.getByRole("link", { name: "email", exact: true }).first().click();
  await page.getByRole("button", { name: "finding email" }).waitFor();
  const rows = page.getByRole("table", { name: "Requests" }).locator("tbody tr.link");
  await until("one request is left", async () => (await rows.count()) === 1);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByLabel("Guard", { exact: true }).check();
  await rows.getByText("iban masked").waitFor();
  await leave();
});
