// A visitor of the console in a real browser. Every request to another host and every error is recorded.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type ViewportSize,
} from "playwright-core";
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
  /** Loads the page again, with a script that runs before its own. */
  reloadWith(script: () => void): Promise<void>;
  close(): Promise<void>;
  /** Closes it too, and throws an Error with the complaints and foreign requests, if there were any. */
  leave(): Promise<void>;
}

const DESK = { width: 1280, height: 900 };
/** The events that tests listen to. */
const HEARD = ["request", "requestfinished", "requestfailed", "console", "pageerror"] as const;

/**
 * The pages of each browser's visitors who have gone, by gateway and what only a new context can change. Each has a context of its
 * own, and ends with its browser. That of a test that failed is not among them: what the test left there hinders no other.
 */
const free = new WeakMap<Browser, Map<string, Page>>();

interface Visit {
  /** The path on the gateway, such as `/docs` or `/#/settings/router`. */
  readonly address: string;
  readonly look?: BrowserContextOptions;
  /** The secret of a session. Missing for somebody who hasn't signed in. */
  readonly session?: string;
}

/** Opens a page in which nothing is left of earlier visits but what its browser has cached. */
async function visit(
  { browser, gateway }: Visited,
  { address, look = {}, session }: Visit,
): Promise<Visitor> {
  if (!browser) throw new Error("the browser did not start");
  const { viewport, colorScheme, ...rest } = look;
  const pages = free.getOrInsertComputed(browser, () => new Map());
  const name = JSON.stringify([gateway.url, rest]);
  const page = pages.get(name) ?? (await newPage(browser, gateway.url, rest));
  pages.delete(name);
  const cookie = { url: gateway.url, name: "poundkey_session", httpOnly: true, sameSite: "Strict" } as const;
  await page.context().clearCookies();
  if (session !== undefined) await page.context().addCookies([{ ...cookie, value: session }]);
  await setBack(page, viewport ?? DESK, colorScheme ?? "light");
  const found = listen(page, gateway.url);
  await load(page, gateway.url + address);
  const close = async () => {
    // The page asks for nothing by the clock any more. Once this is answered, all that it complained of has come.
    await page.evaluate(() => {
      for (let timer = window.setTimeout(() => {}); timer > 0; timer--) clearTimeout(timer);
    });
    for (const event of HEARD) page.removeAllListeners(event);
    if (isAt(page, gateway.url)) pages.set(name, page);
  };
  return {
    page,
    ...found,
    close,
    async open(path) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, path);
    },
    async reloadWith(script) {
      const added = await page.addInitScript(script);
      await page.reload();
      await added.dispose();
    },
    async leave() {
      await close();
      const all = [...found.complaints, ...found.foreign];
      if (all.length > 0) throw new Error(all.join("\n"));
    },
  };
}

async function newPage(browser: Browser, url: string, look: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(look);
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  const page = await context.newPage();
  // Fails with the name of the missing element before the test itself times out.
  page.setDefaultTimeout(WAIT_MS);
  return page;
}

/** Takes back what a test did to the page from outside. */
async function setBack(
  page: Page,
  size: ViewportSize,
  colorScheme: "light" | "dark" | "no-preference",
): Promise<void> {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.emulateMedia({ media: null, colorScheme });
  await page.setViewportSize(size);
  await page.mouse.move(0, 0);
}

function listen(page: Page, url: string): Pick<Visitor, "complaints" | "foreign"> {
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${url}/`) && !/^(data|blob):/.test(asked)) foreign.push(asked);
  });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { complaints, foreign };
}

const isAt = (page: Page, url: string) => page.url().startsWith(`${url}/`);

/** A page that was at the gateway is loaded again, which costs half of a way from elsewhere. */
async function load(page: Page, url: string): Promise<void> {
  if (!isAt(page, new URL(url).origin)) return void (await page.goto(url));
  await page.evaluate((next) => {
    localStorage.clear();
    sessionStorage.clear();
    history.replaceState(null, "", next);
  }, url);
  await page.reload();
}

/** Opens the sign-in page, or another address of the gateway, as somebody who hasn't signed in. */
export function newVisitor(
  visited: Visited,
  look: BrowserContextOptions = {},
  address = "/",
): Promise<Visitor> {
  return visit(visited, { address, look });
}

export async function signIn({ page }: Visitor, token: string): Promise<void> {
  await page.getByLabel("Admin token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const AXE = readFileSync(join(import.meta.dir, "..", "..", "node_modules", "axe-core", "axe.min.js"), "utf8");

// A button that changes its colours has neither the old nor the new ones for 140 ms.
const SETTLED =
  "Promise.allSettled(document.getAnimations().filter((a) => a instanceof CSSTransition).map((a) => a.finished))";

const BARRIERS = `${SETTLED}.then(() => "axe" in window ? axe.run({ resultTypes: ["violations"] }) : null).then((found) => found?.violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`;

/** Returns the violations that axe-core rates serious or worse, once colours no longer change. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  const found = await page.evaluate<readonly string[] | undefined>(BARRIERS);
  if (found !== undefined) return found;
  // Not as a script of the page, which its policy would block.
  await page.evaluate(AXE);
  return findBarriers(page);
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

/** Opens a page of the console as somebody who has signed in with a token. */
export async function openConsole(
  world: ConsoleWorld,
  path = "/",
  look: BrowserContextOptions = {},
  token = world.gateway.adminToken,
): Promise<Visitor> {
  const answer = await fetch(`${world.gateway.url}/admin/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const session = /poundkey_session=([^;]+)/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
  if (session === undefined) throw new Error(`Nobody signed in: ${await answer.text()}`);
  return openWith(world, session, path, look);
}

/** Opens a page of the console with the secret of a session. */
export async function openWith(
  visited: Visited,
  session: string,
  path: string,
  look: BrowserContextOptions,
): Promise<Visitor> {
  const visitor = await visit(visited, { address: `/#${path}`, look, session });
  await visitor.page.locator("main :is(h1, h2)").first().waitFor();
  return visitor;
}
