// A visitor of the console in a real browser. Every request to another host and every error is recorded.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type Setup, startUnderTest, type UnderTest } from "../harness/harness.ts";
import { isMissing } from "../harness/tools.ts";

const EXECUTABLE = Bun.which("chromium") ?? Bun.which("google-chrome");
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  // Nothing is drawn by a graphics card, and one process less saves a third of a page's CPU time.
  "--in-process-gpu",
  "--disable-background-networking",
  "--disable-component-update",
];

const WAIT_MS = 20_000;
/** For a test that has a browser or a gateway start and answer, also on a busy machine. It is set in each file. */
export const VISIT_MS = 60_000;

/** True if a browser is installed. The tests that need one are skipped otherwise. */
export const HAS_BROWSER = !isMissing("no Chromium", EXECUTABLE !== null);

/** A gateway whose console is visited. */
export interface Visited {
  readonly gateway: Pick<UnderTest, "url">;
  /** Null if Chromium isn't installed. */
  readonly browser: Browser | null;
}

export interface ConsoleWorld extends Visited {
  readonly gateway: UnderTest;
  stop(): Promise<void>;
}

/** Starts a gateway and a browser. */
export async function startConsoleWorld(setup: Setup = {}): Promise<ConsoleWorld> {
  const gateway = await startUnderTest(setup);
  const browser = await startBrowser();
  return {
    gateway,
    browser,
    async stop() {
      await browser?.close();
      await gateway.stop();
    },
  };
}

/** Null if Chromium isn't installed. */
export async function startBrowser(): Promise<Browser | null> {
  return EXECUTABLE ? chromium.launch({ executablePath: EXECUTABLE, args: FLAGS }) : null;
}

export interface Visitor {
  readonly page: Page;
  /** Errors on the browser's console and uncaught ones. */
  readonly complaints: readonly string[];
  /** Requests to any host other than the gateway. */
  readonly foreign: readonly string[];
  /** Opens a page of the console, such as `/settings/router`. */
  open(path: string): Promise<void>;
  close(): Promise<void>;
  /** Closes it too, and throws an Error with the complaints and foreign requests, if there were any. */
  leave(): Promise<void>;
}

/** A separate browser context, on the sign-in page. */
export async function newVisitor(
  { browser, gateway }: Visited,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  if (!browser) throw new Error("the browser did not start");
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: gateway.url });
  const page = await context.newPage();
  // Fails with the name of the missing element before the test itself times out.
  page.setDefaultTimeout(WAIT_MS);
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${gateway.url}/`) && !/^(data|blob):/.test(url)) foreign.push(url);
  });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${gateway.url}/`);
  return {
    page,
    complaints,
    foreign,
    async open(path) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, path);
    },
    close: () => context.close(),
    async leave() {
      await context.close();
      const found = [...complaints, ...foreign];
      if (found.length > 0) throw new Error(found.join("\n"));
    },
  };
}

export async function signIn({ page }: Visitor, token: string): Promise<void> {
  await page.getByLabel("Admin token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const AXE = readFileSync(join(import.meta.dir, "..", "..", "node_modules", "axe-core", "axe.min.js"), "utf8");

interface Found {
  readonly impact?: string | null;
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

// A button that changes its colours has neither the old nor the new ones for 140 ms.
const SETTLED =
  "Promise.allSettled(document.getAnimations().filter((a) => a instanceof CSSTransition).map((a) => a.finished))";

/** Returns the violations that axe-core rates serious or worse, once colours no longer change. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(SETTLED);
  // Not as a script of the page, which its policy would block.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const found = await page.evaluate<readonly Found[]>(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

/** Returns the buttons, links and figures of a phone's rows that stand partly outside of their card. */
export function listOutside(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll(".table.stacks :is(td, button, a)")].flatMap((one) => {
      const card = one.closest(".table")?.parentElement?.getBoundingClientRect();
      const own = one.getBoundingClientRect();
      const isOutside = card !== undefined && own.width > 0 && own.right > card.right + 1;
      return isOutside ? [`${one.tagName} ${one.textContent}`.slice(0, 80)] : [];
    }),
  );
}

/** Opens the console as a signed-in visitor. */
export async function openConsole(
  world: ConsoleWorld,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const visitor = await newVisitor(world, options);
  await signIn(visitor, world.gateway.adminToken);
  await visitor.page.getByRole("heading", { name: "Overview" }).waitFor();
  return visitor;
}
