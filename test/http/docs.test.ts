// The manual over HTTP: pages, their Markdown twins, the index for language models, and its isolation from other hosts.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHAPTER_NAMES, INDEX } from "../../src/docs/site/contents.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

let gateway: UnderTest;

beforeAll(async () => {
  gateway = await startUnderTest();
});

afterAll(() => gateway.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, { headers });
const addressOf = (name: string) => (name === INDEX ? "/docs" : `/docs/${name}`);

test("every chapter has a page and a Markdown twin", async () => {
  for (const name of CHAPTER_NAMES) {
    const source = readFileSync(join(import.meta.dir, `../../src/docs/${name}.md`), "utf8");
    const page = await get(addressOf(name));
    expect([name, page.status, page.headers.get("content-type")]).toEqual([
      name,
      200,
      "text/html; charset=utf-8",
    ]);
    expect(await page.text()).toContain(
      `<link rel="alternate" type="text/markdown" href="/docs/${name}.md">`,
    );
    expect([name, (await get(`${addressOf(name)}/`)).status]).toEqual([name, 200]);
    const twin = await get(`/docs/${name}.md`);
    expect([name, twin.headers.get("content-type")]).toEqual([name, "text/markdown; charset=utf-8"]);
    const markdown = await twin.text();
    expect(markdown).toStartWith(source.match(/^# .+$/m)?.[0] ?? "");
    expect(markdown).not.toContain("<!--");
    for (const [, picture = ""] of markdown.matchAll(/\]\((\S+\.webp)\)/g))
      expect([picture, (await get(new URL(picture, twin.url).pathname)).status]).toEqual([picture, 200]);
  }
});

test("llms.txt lists the Markdown of every chapter, at both addresses", async () => {
  const text = await (await get("/llms.txt")).text();
  expect(text).toStartWith("# Poundkey");
  const listed = [...text.matchAll(/\((\/[^)]+)\)/g)].map(([, path = ""]) => path);
  for (const path of listed) expect([path, (await get(path)).status]).toEqual([path, 200]);
  const twins = CHAPTER_NAMES.filter((name) => name !== INDEX).map((name) => `/docs/${name}.md`);
  expect(listed).toEqual(expect.arrayContaining(twins));
  expect(await (await get("/docs/llms.txt")).text()).toBe(text);
});

test("llms-full.txt has every chapter, in the manual's order, and its links lead somewhere", async () => {
  const text = await (await get("/llms-full.txt")).text();
  const chapters = [...text.matchAll(/^<!-- \/docs\/(.+)\.md -->$/gm)].map(([, name = ""]) => name);
  expect(chapters).toEqual([...CHAPTER_NAMES]);
  const links = new Set([...text.matchAll(/\]\((\/[^)#]+)/g)].map(([, path = ""]) => path));
  for (const path of links) expect([path, (await get(path)).status]).toEqual([path, 200]);
  expect(text.match(/\]\([a-z-]+\.(md|webp)/g)).toBeNull();
  expect(await (await get("/docs/llms-full.txt")).text()).toBe(text);
});

test("every page only runs this gateway's files, can't be framed, and names no other host", async () => {
  for (const path of [
    "/docs",
    "/docs/clients",
    "/docs/api",
    "/docs/errors.md",
    "/docs/search.json",
    "/llms.txt",
    "/llms-full.txt",
  ]) {
    const { headers } = await get(path);
    const policy = headers.get("content-security-policy") ?? "";
    expect([path, policy]).toEqual([
      path,
      expect.stringContaining("default-src 'none'; script-src 'self'; "),
    ]);
    expect([path, /unsafe|http|\*/.test(policy)]).toEqual([path, false]);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
  for (const path of ["/docs", "/docs/configuration", "/docs/api"]) {
    const html = await (await get(path)).text();
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on[a-z]+=/);
    for (const [, file = ""] of html.matchAll(/(?:src|<link[^>]* href)="([^"]+)"/g)) {
      expect(file).toStartWith("/docs/");
      expect([file, (await get(file)).status]).toEqual([file, 200]);
    }
  }
});

test("links within the manual lead to pages, not files", async () => {
  const html = await (await get("/docs/models")).text();
  expect(html).toContain('href="/docs/configuration-models#aliases"');
  expect(html).not.toMatch(/<article>[\s\S]*href="[^"]*\.md[^"]*"[\s\S]*<\/article>/);
});

test("an unchanged page is not sent again", async () => {
  const tag = (await get("/docs/money")).headers.get("etag") ?? "";
  const again = await get("/docs/money", { "if-none-match": tag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test("no other file can be reached", async () => {
  for (const path of [
    "/docs/nothing",
    "/docs/page.js",
    "/docs/browser.ts",
    "/docs/..%2f..%2fpackage.json",
    "/docs/%2e%2e/%2e%2e/etc/passwd",
  ]) {
    const answer = await get(path);
    expect([path, answer.status, (await answer.json()).error.code]).toEqual([path, 404, "unknown_url"]);
  }
  expect((await fetch(`${gateway.url}/docs`, { method: "POST" })).status).toBe(405);
});
