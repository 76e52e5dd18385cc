// A changed catalogue file reaches the thread that serves requests in parts of a few rows, since to take all at once would
// hold up requests.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGentle } from "../../src/app/models/catalogue-apart.ts";
import type { CatalogueAnswer, CatalogueAsk } from "../../src/app/models/catalogue-thread.ts";
import { writeCatalogueContent } from "../../src/catalogue/file/write.ts";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { parseCatalogue } from "../../src/config/models/catalogue-file.ts";

const THREAD = new URL("../../src/app/models/catalogue-thread.ts", import.meta.url);
const CARDS = loadShippedCards();
const ROWS = CARDS.map((card) => ({ kind: "own", card }) as const);
const AT_ONCE_MAX = 40;

const directory = mkdtempSync(join(tmpdir(), "poundkey-parts-"));
const thread = new Worker(THREAD);
afterAll(() => {
  thread.terminate();
  rmSync(directory, { recursive: true });
});

function ask(asked: CatalogueAsk): Promise<CatalogueAnswer> {
  const { promise, resolve } = Promise.withResolvers<CatalogueAnswer>();
  thread.onmessage = ({ data }: MessageEvent<CatalogueAnswer>) => resolve(data);
  thread.postMessage(asked);
  return promise;
}

test("no message has more than a few rows, and together they are the file", async () => {
  const text = writeCatalogueContent({ asOf: "2026-12-01", rows: ROWS });
  expect(await ask({ kind: "parse", text })).toEqual({
    kind: "parse",
    found: { digest: expect.any(String), asOf: "2026-12-01", overtaken: [], hiding: [] },
    rows: CARDS.length,
  });
  const sizes: number[] = [];
  const ids: string[] = [];
  while (ids.length < CARDS.length) {
    const part = await ask({ kind: "cards", from: ids.length });
    const cards = part.kind === "cards" ? part.cards : [];
    if (cards.length === 0) break;
    sizes.push(cards.length);
    ids.push(...cards.map(({ id }) => id));
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(AT_ONCE_MAX);
  expect(ids).toEqual(CARDS.map(({ id }) => id));
});

test("the parts are put together as if the file had been parsed here", async () => {
  const path = join(directory, "catalogue.json");
  const text = writeCatalogueContent({ asOf: "2026-12-02", rows: ROWS });
  writeFileSync(path, text);
  const here = parseCatalogue(text);
  await createGentle(() => path).prepare();
  const remembered = parseCatalogue(text);
  expect(remembered).toEqual(here);
  // The same text gives the same object only if it was parsed beforehand.
  expect(parseCatalogue(text)).toBe(remembered);
});

test("a file that isn't valid has its mistake", async () => {
  expect(await ask({ kind: "parse", text: "{" })).toEqual({
    kind: "parse",
    found: "the file is not valid JSON",
    rows: 0,
  });
});
