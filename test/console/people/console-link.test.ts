// The link that a quick start prints, in a real browser: it signs in once, and stands in no address or history afterwards.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type QuickGateway, startQuick } from "../../app/quickstart/quick-gateway.ts";
import { IS_LONG } from "../../harness/long.ts";
import { newPlace, startServe } from "../../harness/serve-process.ts";
import { until } from "../../whole/world/until.ts";
import { HAS_BROWSER, startBrowser, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const USED = "This link was used already, or has expired.";

let browser: Browser | null = null;
let gateway: QuickGateway;
beforeAll(async () => {
  browser = await startBrowser();
  gateway = await startQuick();
});
afterAll(async () => {
  await browser?.close();
  await gateway.stop();
});

async function newContext(): Promise<BrowserContext> {
  if (!browser) throw new Error("the browser did not start");
  return browser.newContext();
}

/** Opens the address and returns what it leads to: the console, or the sign-in page and its words. */
async function open(page: Page, address: string): Promise<string> {
  await page.goto(address);
  const overview = page.getByRole("heading", { name: "Overview" });
  const signIn = page.getByRole("heading", { name: "Sign in" });
  await overview.or(signIn).first().waitFor();
  if (await overview.isVisible()) return "signed in";
  const alert = page.getByRole("alert");
  return (await alert.count()) === 0 ? "" : (await alert.innerText()).trim();
}

describe.skipIf(!HAS_BROWSER)("a link (skipped without Chromium)", () => {
  test("signs in one of two tabs, and the other says why it didn't", async () => {
    const context = await newContext();
    const asked: string[] = [];
    context.on("request", (request) => asked.push(request.url()));
    const secret = await gateway.link();
    const link = `${gateway.url}/#once=${secret}`;
    const pages = [await context.newPage(), await context.newPage()];
    const led = await Promise.all(pages.map((page) => open(page, link)));
    expect(led.toSorted()).toEqual([expect.stringContaining(USED), "signed in"].toSorted());
    for (const page of pages) expect(page.url()).not.toContain("once");
    expect(asked.filter((url) => url.includes(secret) && !url.endsWith(`#once=${secret}`))).toEqual([]);
    const [first] = pages.filter((_, at) => led[at] === "signed in");
    await first?.reload();
    await first?.getByRole("heading", { name: "Overview" }).waitFor();
    await first?.goBack();
    await first?.goForward();
    expect(first?.url()).not.toContain("once");
    await context.close();
  });

  test("opened in a page of the console signs in there, and the token still does after a failed one", async () => {
    const context = await newContext();
    const page = await context.newPage();
    expect(await open(page, `${gateway.url}/`)).toBe("");
    await page.evaluate(
      (hash) => {
        location.hash = hash;
      },
      `once=${await gateway.link()}`,
    );
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await open(await context.newPage(), `${gateway.url}/#once=`)).toContain(USED);
    const [, last] = context.pages();
    await last?.getByLabel("Admin token").fill(gateway.adminToken);
    await last?.getByRole("button", { name: "Sign in" }).click();
    await last?.getByRole("heading", { name: "Overview" }).waitFor();
    await context.close();
  });

  test.skipIf(!IS_LONG)(
    "of a start with two workers signs in once, and its next start prints another",
    async () => {
      const place = newPlace("{}");
      const env = { PATH: process.env.PATH ?? "", POUNDKEY_PLACES: "user", HOME: place.directory };
      const links: string[] = [];
      for (const round of [1, 2]) {
        const serving = startServe({ ...place, env }, "--quickstart", "--port", "0", "--workers", "2");
        const link = await until("a link", () => /Console +(http:\S+#once=\S+)/.exec(serving.err)?.[1]);
        const contexts = await Promise.all(Array.from({ length: 4 }, newContext));
        const pages = await Promise.all(contexts.map((context) => context.newPage()));
        const led = await Promise.all(pages.map((page) => open(page, link)));
        expect([round, led.filter((one) => one === "signed in").length]).toEqual([round, 1]);
        await Promise.all(contexts.map((context) => context.close()));
        serving.signal("SIGTERM");
        expect(await serving.exited).toBe(0);
        links.push(link.split("#")[1] ?? "");
      }
      expect(new Set(links).size).toBe(2);
      place.remove();
    },
  );
});
