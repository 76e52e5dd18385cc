// The manual's files that are made of its chapters when they are asked for: once, and not by the build.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadDocsFiles } from "../../src/app/build/page-files.ts";
import { renderDocs } from "../../src/app/build/render-docs.ts";
import { buildSearchIndex } from "../../src/app/build/search-index.ts";
import { readChapter } from "../../src/docs/site/chapter.ts";
import { CHAPTER_NAMES } from "../../src/docs/site/contents.ts";
import { fileServer, makeWhenAsked, REVALIDATE } from "../../src/http/serve/files.ts";
import { placeFiles } from "../../src/http/serve/placed-files.ts";

const JOINED = ["llms-full.txt", "search.json"];
const compress = (text: string) => Bun.gzipSync(Buffer.from(text));

test.each(["", "/base"])("below %j, a file is made when it is first asked for, and once", async (base) => {
  let made = 0;
  const late = makeWhenAsked("late.txt", () => compress(`made ${++made} times`));
  const load = async () => [{ name: "ready.txt", gzip: compress("ready") }, late];
  const serve = fileServer({ load: placeFiles(load, base), missing: "There is none." });
  const ask = (name: string, headers: Record<string, string> = {}) =>
    serve(name, new Request("http://localhost/", { headers }), REVALIDATE);
  expect([await (await ask("ready.txt")).text(), made]).toEqual(["ready", 0]);
  const first = await ask("late.txt");
  expect([await first.text(), made]).toEqual(["made 1 times", 1]);
  const again = await ask("late.txt", { "if-none-match": first.headers.get("etag") ?? "" });
  expect([again.status, made]).toEqual([304, 1]);
  expect([await (await ask("late.txt")).text(), made]).toEqual(["made 1 times", 1]);
  expect(late.gzip).toBe(late.gzip);
});

test("the build holds none of them, and the search index is that of the chapters' sources", async () => {
  const rendered = (await renderDocs()).map(({ name }) => name);
  expect(rendered.filter((name) => JOINED.includes(name))).toEqual([]);
  const files = new Map((await loadDocsFiles()).map((file) => [file.name, file]));
  expect([...files.keys()]).toEqual([...rendered, ...JOINED]);
  const index = Bun.gunzipSync(files.get("search.json")?.gzip ?? compress(""));
  const chapters = CHAPTER_NAMES.map((name) =>
    readChapter(name, readFileSync(join(import.meta.dir, `../../src/docs/${name}.md`), "utf8")),
  );
  expect(JSON.parse(new TextDecoder().decode(index))).toEqual(buildSearchIndex(chapters));
});
