// The manual and the API's page in a browser, in all themes and widths: no errors or foreign requests, accessible.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHAPTER_NAMES, INDEX } from "../../src/docs/site/contents.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  newVisitor,
  startConsoleWorld,
  VISIT_MS,
} from "./visitor.ts";

setDefaultTimeout(VISIT_MS);

const LOOKS = [
  { colorScheme: "light", viewport: { width: 1440, height: 900 } },
  { colorScheme: "dark", viewport: { width: 360, height: 740 } },
] as const;

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});

afterAll(() => world.stop());

/** For some 135 chapters on a busy machine. */
const CHAPTERS_MS = 300_000;

const addressOf = (name: string) => `/docs/${name === INDEX ? "" : name}`;

interface Seen {
  /** The kinds of its elements, each with all around it. */
  readonly kinds: readonly string[];
  readonly isTooWide: boolean;
  /** The names in the first columns of tables whose lines break within a word. */
  readonly broken: readonly string[];
}

/** Puts a chapter's content in the place of the one that is shown, and looks at it. */
function lookAt(page: Page, name: string): Promise<Seen> {
  return page.evaluate(async (address) => {
    const text = await (await fetch(address)).text();
    const main = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    if (main === null) throw new Error(`${address} has no content`);
    document.querySelector("main")?.replaceWith(main);
    const nameKind = (one: Element): string => {
      const own = `${one.localName}.${one.className} ${one.getAttributeNames()} ${one.textContent !== ""}`;
      return one.parentElement === null || one === main ? own : `${nameKind(one.parentElement)} > ${own}`;
    };
    const kinds = [...new Set([...main.querySelectorAll("*")].map(nameKind))];
    const { scrollWidth, clientWidth } = document.documentElement;
    const isTooWide = scrollWidth > clientWidth;
    for (const hidden of document.querySelectorAll("details")) hidden.open = true;
    const findTop = (text: Text, at: number) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().top;
    };
    const isBroken = (text: Text) =>
      [...text.data.matchAll(/(?<=\w)\w/g)].some(
        ({ index: at }) => findTop(text, at) > findTop(text, at - 1) + 4,
      );
    const broken = [...document.querySelectorAll("td:first-child code")]
      .filter((name) => name.getClientRects().length > 1)
      .flatMap((name) => [...name.childNodes].filter((node) => node instanceof Text))
      .filter(isBroken);
    return { kinds, isTooWide, broken: broken.map(({ data }) => data) };
  }, addressOf(name));
}

/** Returns as few chapters as have all kinds of elements, nearly. */
function chooseChapters(kinds: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const left = new Set([...kinds.values()].flat());
  const chosen: string[] = [];
  const countLeft = (name: string) => kinds.get(name)?.filter((kind) => left.has(kind)).length ?? 0;
  while (left.size > 0) {
    const [best = ""] = [...kinds.keys()].toSorted((one, other) => countLeft(other) - countLeft(one));
    chosen.push(best);
    for (const kind of kinds.get(best) ?? []) left.delete(kind);
  }
  return chosen;
}

describe.skipIf(!HAS_BROWSER)("the manual (skipped without Chromium)", () => {
  for (const look of LOOKS) {
    test(
      `every chapter, ${look.colorScheme}, ${look.viewport.width} px`,
      async () => {
        const { page, leave } = await newVisitor(world, look, addressOf(INDEX));
        // There each row is a block, and a name may need more than the whole width.
        const isPhone = look.viewport.width < 620;
        expect(await findBarriers(page)).toEqual([]);
        const kinds = new Map<string, readonly string[]>();
        for (const name of CHAPTER_NAMES) {
          const seen = await lookAt(page, name);
          kinds.set(name, seen.kinds);
          expect([name, seen.isTooWide]).toEqual([name, false]);
          if (!isPhone) expect([name, seen.broken]).toEqual([name, []]);
        }
        for (const name of chooseChapters(kinds)) {
          await page.goto(world.gateway.url + addressOf(name));
          await page.getByRole("heading", { level: 1 }).waitFor();
          expect([name, await findBarriers(page)]).toEqual([name, []]);
        }
        await leave();
      },
      CHAPTERS_MS,
    );
  }

  test("the search finds a section of another chapter, using only the keyboard", async () => {
    const { page, leave } = await newVisitor(world, {}, "/docs");
    await page.keyboard.press("/");
    await page.keyboard.type("body_limit");
    await page
      .getByRole("status")
      .getByText(/\d+ found/)
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/(bodies|configuration-server)(#|$)/);
    await page.getByLabel("Search the manual").fill("xyzzy plugh");
    await page.getByText("Nothing found.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Nothing found.").waitFor({ state: "hidden" });
    await leave();
  });

  test("a link to a section that has moved leads to it, and opens its fields", async () => {
    const { page, leave } = await newVisitor(world, {}, "/docs/configuration-server");
    const field = page.locator("code", { hasText: /^trusted_proxies$/ });
    await page.getByText("Fields of server", { exact: true }).waitFor();
    expect(await field.isVisible()).toBe(false);
    await page.goto(`${world.gateway.url}/docs/configuration#server`);
    await page.waitForURL(/\/docs\/configuration-server#server$/);
    await field.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await leave();
  });

  test("on a narrow screen the chapters are in a menu", async () => {
    const { page, close } = await newVisitor(world, LOOKS[1], "/docs/clients");
    await page.getByRole("button", { name: "Chapters" }).click();
    expect(await findBarriers(page)).toEqual([]);
    const chapters = page.getByRole("navigation", { name: "Chapters" });
    await chapters.getByText("Models", { exact: true }).click();
    await chapters.getByRole("link", { name: "Groups" }).click();
    await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
    await close();
  });

  test("a code block can be copied", async () => {
    const { page, close } = await newVisitor(world, {}, "/docs/migrate-openrouter");
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
      "poundkey import openrouter app.yaml",
    );
    await close();
  });

  test("the API page shows the routes of the OpenAPI document by subject", async () => {
    const { page, leave } = await newVisitor(world, {}, "/docs/api");
    await page.getByRole("heading", { name: /Poundkey/ }).waitFor();
    // Swagger UI has a link within each button, by which an operation has an address.
    const barriers = (await findBarriers(page)).filter((one) => !one.startsWith("nested-interactive"));
    expect(barriers).toEqual([]);
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await page.getByText("/v1/chat/completions", { exact: true }).click();
    await page.getByText("Router#fair").first().waitFor();
    await leave();
  });
});
