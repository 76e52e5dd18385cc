// The manual as files in a browser, opened from a disk and from a path of a plain server: it asks for its own files alone,
// its search answers as a gateway's, and it is accessible. The long form opens all pages and asks all queries.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { loadDocsFiles } from "../../../src/app/build/page-files.ts";
import { runCommandLine } from "../../../src/cli/commands.ts";
import { CHAPTER_NAMES } from "../../../src/docs/site/contents.ts";
import { buildIndex, findSections, type SearchIndex } from "../../../src/docs/site/search.ts";
import { QUERY_LISTS } from "../../docs/search/plain-queries.ts";
import { PUBLIC_QUESTIONS, TYPED_QUESTIONS } from "../../docs/search/questions.ts";
import { IS_LONG, sampleRows } from "../../harness/long.ts";
import { findBarriers, HAS_BROWSER, startBrowser, VISIT_MS } from "../visitor.ts";

setDefaultTimeout(IS_LONG ? 10 * VISIT_MS : VISIT_MS);

const BELOW = "/a/b/";
const PAGES = IS_LONG ? [...CHAPTER_NAMES, "404"] : ["client-codex"];
const QUERIES = sampleRows(
  [...QUERY_LISTS.flatMap(({ queries }) => queries), ...TYPED_QUESTIONS, ...PUBLIC_QUESTIONS].map(
    ({ query }) => query,
  ),
  110,
);

const folder = mkdtempSync(join(tmpdir(), "poundkey-manual-"));
let browser: Browser | null = null;
let index: SearchIndex;
let server: Bun.Server<undefined>;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  const said: string[] = [];
  const io = { out: () => {}, err: (text: string) => void said.push(text) };
  const code = await runCommandLine(["docs", "build", folder], io);
  if (code !== 0) throw new Error(said.join("\n"));
  const found = (await loadDocsFiles()).find(({ name }) => name === "search.json");
  index = buildIndex(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(found?.gzip ?? new Uint8Array()))));
  server = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url);
      const name = pathname.slice(BELOW.length) || "index.html";
      return pathname.startsWith(BELOW)
        ? new Response(Bun.file(join(folder, name)))
        : new Response(null, { status: 404 });
    },
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop(true);
  rmSync(folder, { recursive: true });
});

/** Opens a page in a browser of its own. `complaints` collects errors, and requests for what isn't the manual's. */
async function open(base: string) {
  if (browser === null) throw new Error("the browser did not start");
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !/^(data|blob):/.test(url)) complaints.push(url);
  });
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url()}`));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints, close: () => context.close() };
}

/** Returns the addresses below the manual's folder. */
async function search(page: Page, base: string, query: string): Promise<readonly string[]> {
  const box = page.getByLabel("Search the manual");
  await box.fill("");
  await box.fill(query);
  await page.getByRole("status").getByText(/found/i).waitFor();
  const links = await page
    .locator("search ol a")
    .evaluateAll((all) => all.map((one) => (one instanceof HTMLAnchorElement ? one.href : "")));
  return links.map((href) => href.slice(base.length));
}

/** The same place in the manual's files. */
function toFile(href: string): string {
  return href.replace(/^\/docs(\/([a-z-]+))?/, (_, _path, name = "index") => `${name}.html`);
}

describe.skipIf(!HAS_BROWSER).each(["a disk", "a path of a server"])(
  "the manual from %s (skipped without Chromium)",
  (place) => {
    const findBase = () =>
      place === "a disk" ? pathToFileURL(`${folder}/`).href : new URL(BELOW, server.url).href;

    test("its pages ask for its own files alone, and are accessible", async () => {
      const base = findBase();
      const { page, complaints, close } = await open(base);
      for (const name of PAGES) {
        await page.goto(`${base}${name}.html`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        // It fetches the styles, which no script may from a disk. The pages are the same.
        if (place !== "a disk") expect([name, await findBarriers(page)]).toEqual([name, []]);
      }
      const chapters = page.getByRole("navigation", { name: "Chapters" });
      await chapters.getByText("Calling models").click();
      await chapters.getByRole("link", { name: "Errors", exact: true }).click();
      await page.waitForURL(`${base}errors.html`);
      await close();
      expect(complaints).toEqual([]);
    });

    test("its search gives the answers of a gateway's", async () => {
      const base = findBase();
      const { page, complaints, close } = await open(base);
      await page.goto(`${base}index.html`);
      for (const query of QUERIES) {
        const wanted = findSections(index, query).map(({ entry }) => toFile(entry.href));
        expect([query, await search(page, base, query)]).toEqual([query, wanted]);
      }
      await page.locator("search ol a").first().click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await close();
      expect(complaints).toEqual([]);
    });

    // Only from a disk does it matter that its document is a script.
    if (place === "a disk" || IS_LONG)
      test("the API's page shows the routes", async () => {
        const base = findBase();
        const { page, complaints, close } = await open(base);
        await page.goto(`${base}api.html#Chat`);
        await page.getByText("/v1/chat/completions", { exact: true }).waitFor();
        await close();
        expect(complaints).toEqual([]);
      });
  },
);
