// The weight of pages: the bytes of all that each asks the admin API for, as they travel. `bun test flows/bytes` prints them.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Request } from "playwright-core";
import { countRequests } from "../requests.ts";
import { type ConsoleWorld, HAS_BROWSER, openConsole, startConsoleWorld, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const ADMIN = "/admin/v1/";

let world: ConsoleWorld;
let request = "";
const weights: string[] = [];
beforeAll(async () => {
  world = await startConsoleWorld();
  const messages = [{ role: "user", content: "Hello!" }];
  const ask = async () => (await world.gateway.chat({ model: "OpenAI#gpt-5.4", messages })).json();
  for (let at = 0; at < 30; at++) request = (await ask()).id;
});
afterAll(async () => {
  console.log(weights.join("\n"));
  await world.stop();
});

/** The pages that are opened most, with the kilobytes that each may weigh. */
const PAGES: readonly (readonly [name: string, path: () => string, shows: string, kilobytesMax: number])[] = [
  ["the overview", () => "/", "Time to first token", 40],
  ["activity", () => "/activity", "gpt-5.4", 40],
  ["a request", () => `/activity/${request}`, "Timeline", 8],
  ["keys", () => "/settings/router", "unlimited", 8],
  ["models", () => "/models", "gpt-5.4", 40],
];

describe.skipIf(!HAS_BROWSER)("a page weighs little (skipped without Chromium)", () => {
  test.each(PAGES)("%s", async (name, path, shows, kilobytesMax) => {
    const { page, open, leave } = await openConsole(world);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await open(path());
    // Requests of an earlier page aren't this one's, and those that are made again after a while aren't its weight.
    const started = new Map<string, Request>();
    const asked: Request[] = [];
    page.on("request", (one) => {
      if (one.isNavigationRequest()) started.clear();
      if (!started.has(one.url())) started.set(one.url(), one);
    });
    page.on("requestfinished", (one) => {
      const { pathname } = new URL(one.url());
      if (pathname.startsWith(ADMIN) && started.get(one.url()) === one) asked.push(one);
    });
    const settle = countRequests(page);
    await page.reload();
    await page.getByRole("main").getByText(shows).first().waitFor();
    const { paths } = await settle();
    const sizes = await Promise.all(asked.map(async (one) => (await one.sizes()).responseBodySize));
    const bytes = sizes.reduce((all, size) => all + size, 0);
    const parts = asked.map((one, at) => `${one.url()} ${sizes[at]}`);
    if (bytes > kilobytesMax * 1000) throw new Error(`${name}: ${bytes} bytes\n${parts.join("\n")}`);
    weights.push(`${name}: ${(bytes / 1000).toFixed(1)} of ${kilobytesMax} kB`);
    expect(sizes.length).toBeGreaterThan(2);
    // Its neighbours are two ids, not a list of the log.
    if (name === "a request")
      expect(paths.filter((one) => /^GET \/(models|requests)(\?|$)/.test(one))).toEqual([]);
    await leave();
  });
});
