// From a request's page onwards: its neighbours, its session, the same call by hand, in the playground, decided again.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { findBarriers, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const ids: string[] = [];
let world: Awaited<ReturnType<typeof startConsoleWorld>>;

beforeAll(async () => {
  world = await startConsoleWorld({ more: "log: { content: true }" });
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Prove that there are infinitely many primes." },
  ];
  for (const model of ["OpenAI#gpt-5.4", "Router#fair", "Anthropic#claude-sonnet-5"]) {
    const headers = { "x-session-id": "work-42" };
    ids.push((await (await world.gateway.chat({ model, messages }, { headers })).json()).id);
  }
});

afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("a request's page (skipped without Chromium)", () => {
  test("leads to the newer and the older one, from a list and from a link", async () => {
    const { page, open, leave } = await openConsole(world);
    const isAt = (at: number) =>
      page.getByRole("button", { name: "Copy ID" }).locator(`xpath=../code[.="${ids[at]}"]`);
    await open(`/activity/${ids[1]}`);
    await page.getByRole("link", { name: "Newer" }).click();
    await isAt(2).waitFor();
    await open("/activity");
    await page.getByRole("table", { name: "Requests" }).getByRole("link").last().click();
    await isAt(0).waitFor();
    expect(await page.getByRole("button", { name: "Older" }).isDisabled()).toBe(true);
    await page.getByRole("link", { name: "Newer" }).click();
    await isAt(1).waitFor();
    await leave();
  });

  test("gives its prompt the width of the page, beside who said it", async () => {
    const { page, leave } = await openConsole(world, `/activity/${ids[1]}`);
    const said = page.getByText("Prove that there are infinitely many primes.").first();
    await said.waitFor();
    const width = await said.evaluate((text) => text.getBoundingClientRect().width);
    expect(width).toBeGreaterThan(600);
    await leave();
  });

  test("lists its session's requests in their order, with their cost in all", async () => {
    const { page, leave } = await openConsole(world, `/activity/${ids[1]}`);
    await page.getByText(/^3 requests, \$0\.\d+ in total$/).waitFor();
    const rows = page.getByRole("table", { name: "Requests of the session" }).locator("tbody tr");
    expect((await rows.allInnerTexts()).map((text) => text.includes("this one"))).toEqual([
      false,
      true,
      false,
    ]);
    await rows.first().getByRole("link").click();
    await rows.first().getByText("this one").waitFor();
    await leave();
  });

  test("is copied as a call, opened in the playground on three models, and decided again", async () => {
    const { page, leave } = await openConsole(world, `/activity/${ids[1]}`);
    await page.getByText(/^Router#fair chose the model: .* answered\.$/).waitFor();
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const call = await page.evaluate(() => navigator.clipboard.readText());
    expect(call).toContain(`${world.gateway.url}/v1/chat/completions`);
    expect(call).toContain("infinitely many primes");
    await page.getByRole("button", { name: "Decide again" }).click();
    await page.getByRole("table", { name: "Candidates now" }).getByText("chosen now").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Same prompt on three models" }).click();
    await page.getByRole("region", { name: /^Model 3/ }).waitFor();
    expect(await page.getByLabel("Message").inputValue()).toContain("infinitely many primes");
    await page.getByRole("button", { name: "Parameters" }).click();
    expect(await page.getByLabel("System prompt").inputValue()).toBe("Be brief.");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("in total").nth(2).waitFor();
    await leave();
  });
});
