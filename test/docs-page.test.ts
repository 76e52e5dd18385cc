// The API's page in a real browser: it renders, asks no other host for anything, and complains of nothing.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Browser, chromium } from "playwright-core";
import { startUnderTest, type UnderTest } from "./harness.ts";

const EXECUTABLE = Bun.which("chromium") ?? Bun.which("google-chrome");
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
];

let gateway: UnderTest;
let browser: Browser | null = null;

beforeAll(async () => {
  gateway = await startUnderTest();
  if (EXECUTABLE) browser = await chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
});

afterAll(async () => {
  await browser?.close();
  await gateway.stop();
});

test.skipIf(!EXECUTABLE)(
  "/docs renders with nothing but this gateway (skipped where there is no Chromium)",
  async () => {
    const page = await browser?.newPage();
    if (!page) throw new Error("the browser did not start");
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => {
      // Browsers ask for an icon that nobody named.
      const isIcon = message.location().url.endsWith("/favicon.ico");
      if (message.type() === "error" && !isIcon) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${gateway.url}/docs`);
    await page.getByText("/v1/chat/completions", { exact: true }).click();
    await page.getByText("Router#fair").first().waitFor();
    expect(await page.getByRole("heading", { name: /Poundkey/ }).isVisible()).toBe(true);
    expect(asked.filter((url) => !url.startsWith(gateway.url) && !url.startsWith("data:"))).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
