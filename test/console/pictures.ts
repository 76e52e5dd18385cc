// Pictures of every page of the console, wide and narrow, light and dark: `bun test/console/pictures.ts DIRECTORY [PART]`.
// PART is in the names of the pictures to take, such as `accounts` or `dark`. The pictures of the manual and the README, and the
// README's film, are made by `bun test/console/pictures.ts src/console/pictures manual`, which takes Debian's package `webp`,
// those of batches in all their states by the part `batch-states`, those of the review of prices in its by `review-states`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { BATCH_STATES, startBatchState } from "./batch-states.ts";
import { REVIEW_STATES, startReviewState } from "./models/review-states.ts";
import { replacePng } from "./picture/encode.ts";
import { makeFilm } from "./picture/film.ts";
import { LOOK_FILE, PICTURED, showOverview } from "./picture/overview.ts";
import { readLook } from "./picture/page-look.ts";
import { type Showcase, startShowcase } from "./showcase.ts";
import { listViews } from "./views.ts";
import { HAS_BROWSER, newVisitor, openConsole, startConsoleWorld, type Visitor } from "./visitor.ts";

const WIDTHS = [1440, 390];
const COLOURS = ["light", "dark"] as const;
/** The time for charts to be drawn and notes to fade. */
const SETTLE_MS = 400;
/** A page of a busy machine takes this long at most. */
const LOAD_MS = 180_000;
const IDLE_MS = 15_000;

interface Look {
  readonly name: string;
  readonly options: BrowserContextOptions;
}

const LOOKS: readonly Look[] = WIDTHS.flatMap((width) =>
  COLOURS.map((colorScheme) => ({
    name: `${width}-${colorScheme}`,
    options: { viewport: { width, height: width > 800 ? 900 : 844 }, colorScheme },
  })),
);

/** A dialog or an answer that clicks on a page open. */
interface Opened {
  readonly name: string;
  readonly path: string;
  readonly open: (page: Page) => Promise<void>;
}

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("main").getByRole("button", { name }).first().click();

const OPENED: readonly Opened[] = [
  { name: "new-key", path: "/settings/router", open: press("Add New Key") },
  { name: "edit-key", path: "/settings/router", open: press("Edit") },
  { name: "rotate-key", path: "/settings/router", open: press("Rotate") },
  { name: "top-up", path: "/settings/accounts", open: press(/^Top up/) },
  { name: "period", path: "/", open: press("Custom…") },
  {
    name: "search",
    path: "/",
    open: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("searchbox").fill("sonnet");
      await page.getByRole("dialog").getByRole("link").first().waitFor();
    },
  },
  { name: "bell", path: "/", open: (page) => page.getByRole("button", { name: /need/ }).first().click() },
  { name: "credential", path: "/settings/providers", open: press("Add credential") },
  { name: "token", path: "/settings/tokens", open: press("Add token") },
  { name: "alias", path: "/settings/limits", open: press("Add alias") },
  { name: "decide", path: "/settings/requests", open: press(/^Decide/) },
  {
    name: "answers",
    path: "/playground",
    open: async (page) => {
      await page.getByRole("main").getByRole("textbox").last().fill("Why is the sky blue?");
      await page.keyboard.press("Control+Enter");
      await page
        .getByText(/tokens/)
        .first()
        .waitFor();
    },
  },
  {
    name: "not-found",
    path: "/nowhere",
    open: (page) => page.getByRole("heading", { name: "Page not found" }).waitFor(),
  },
];

const [directory, part = ""] = process.argv.slice(2);
if (!directory) throw new Error("usage: bun test/console/pictures.ts DIRECTORY [PART]");
if (!HAS_BROWSER) throw new Error("no Chromium was found");
mkdirSync(directory, { recursive: true });

/** A picture of a whole page ends here. */
const HEIGHT_MAX = 2600;

/** Takes a picture of the whole page, or of the part that is seen, and returns its file. */
async function take(page: Page, name: string, isWhole = true): Promise<string> {
  await page
    .getByRole("status", { name: "Loading" })
    .first()
    .waitFor({ state: "detached", timeout: LOAD_MS });
  // Figures that come later than a page's rows, such as a chart's parts.
  await page.waitForLoadState("networkidle", { timeout: IDLE_MS }).catch(() => {});
  await page.waitForTimeout(SETTLE_MS);
  const path = join(String(directory), `${name}.png`);
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  const clip = { x: 0, y: 0, width, height: isWhole ? Math.min(whole, HEIGHT_MAX) : height };
  await page.screenshot({ path, fullPage: isWhole, clip });
  console.log(name);
  return path;
}

/** An item's id is left out of the name, so that pictures of two runs have the same. */
function nameOf(path: string): string {
  const plain = path
    .replace(/%23/g, "-")
    .replace(/(chatcmpl-|key_|acct_|mem_)\w+/, "one")
    .replace(/resp_\w+/, "turn");
  return plain.replace(/[^a-zA-Z0-9.-]+/g, "-").replace(/^-|-$/g, "") || "overview";
}

/** Takes a picture of each path, and of nothing else if none of them is wanted. */
async function takeViews(
  open: () => Promise<Visitor>,
  paths: readonly string[],
  suffix: string,
): Promise<void> {
  const wanted = paths.filter((path) => `${nameOf(path)}-${suffix}`.includes(part));
  if (wanted.length === 0) return;
  const visitor = await open();
  for (const path of wanted) {
    await visitor.open(path);
    await take(visitor.page, `${nameOf(path)}-${suffix}`);
  }
  await visitor.close();
}

async function takeOpened(world: Showcase, { name: look, options }: Look): Promise<void> {
  for (const { name, path, open } of OPENED.filter(({ name }) => `open-${name}-${look}`.includes(part))) {
    const visitor = await world.openAs("admin", options);
    await visitor.open(path);
    try {
      await open(visitor.page);
    } catch (error) {
      console.log(`${name} wasn't reached: ${error}`);
    }
    await take(visitor.page, `open-${name}-${look}`, false);
    await visitor.close();
  }
}

async function listOwnPages({ page }: Visitor): Promise<readonly string[]> {
  const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  return hrefs.map((href) => href.replace(/^#/, ""));
}

/** The part that stands for the manual's pictures. */
const MANUAL = "manual";

/** The pictures of the manual and of the README, with what the test of the README's looks for on the page. */
async function takeManual(world: Showcase): Promise<void> {
  const dark = await world.openAs("admin", { ...PICTURED, colorScheme: "dark" });
  await dark.open(`/activity/${world.items.request}`);
  await dark.page.getByRole("heading", { name: "Timeline" }).waitFor();
  replacePng(await take(dark.page, "request", false));
  await dark.close();
  const light = await world.openAs("admin", PICTURED);
  await showOverview(light.page);
  replacePng(await take(light.page, "overview", false));
  writeFileSync(LOOK_FILE, `${JSON.stringify(await readLook(light.page), null, 2)}\n`);
  await light.close();
  await makeFilm(world, join(String(directory), "film.webp"));
}

/** The part that stands for the page of batches in each of their states. */
const STATES = "batch-states";

async function takeBatchStates(): Promise<void> {
  for (const state of BATCH_STATES) {
    const world = await startBatchState(state);
    for (const { name, options } of LOOKS) {
      const visitor = await openConsole(world, "/", options);
      await visitor.open("/batches");
      await take(visitor.page, `batches-${state}-${name}`);
      await visitor.close();
    }
    await world.stop();
  }
}

const REVIEWS = "review-states";

async function takeReviewStates(): Promise<void> {
  for (const state of REVIEW_STATES) {
    const world = await startReviewState(state);
    for (const { name, options } of LOOKS) {
      const visitor = await openConsole(world, "/", options);
      await visitor.open("/models");
      await visitor.page.getByRole("button", { name: "review" }).click();
      await take(visitor.page, `review-${state}-${name}`);
      await visitor.close();
    }
    await world.stop();
  }
}

if (part === STATES || part === REVIEWS) {
  await (part === STATES ? takeBatchStates() : takeReviewStates());
  process.exit();
}
const world = await startShowcase();
if (part === MANUAL) {
  await takeManual(world);
  await world.stop();
  process.exit();
}
const empty = await startConsoleWorld();
const admin = listViews(world.items).map(({ path }) => path);
const first = await world.openAs("member");
const own = await listOwnPages(first);
await first.close();
for (const look of LOOKS) {
  const { name, options } = look;
  await takeViews(() => world.openAs("admin", options), admin, name);
  await takeViews(() => world.openAs("member", options), own, `member-${name}`);
  await takeViews(
    () => openConsole(empty, "/", options),
    listViews({}).map(({ path }) => path),
    `empty-${name}`,
  );
  await takeOpened(world, look);
  if (`sign-in-${name}`.includes(part)) {
    const { page, close } = await newVisitor(world, options);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await take(page, `sign-in-${name}`);
    await close();
  }
}
await empty.stop();
await world.stop();
