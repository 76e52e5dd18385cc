// The public sentences: how many there are, that nobody has changed them, and that the product doesn't know the file.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { SENTENCES } from "./sentences.ts";

/** The file was there before the product's table of refusals, and stays as it is. */
const DIGEST = "caa9dec328e4f2965fb37e56ea1d8ddc3d478aa9cd42170552ac0e3bffe3fd78";
const SOURCES = join(import.meta.dir, "..", "..", "..", "src");

test("the file is the one that was written before the product's table", async () => {
  const bytes = await Bun.file(join(import.meta.dir, "sentences.data.json")).bytes();
  expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(DIGEST);
});

test("there are sixty sentences, of which twenty don't say what is refused", () => {
  const wordings = new Set(SENTENCES.map(({ body }) => JSON.stringify(body)));
  expect(wordings.size).toBe(60);
  expect(SENTENCES.filter(({ family }) => family === null)).toHaveLength(20);
});

test("each has the address and the month of its report", () => {
  const wrong = SENTENCES.filter(
    ({ month, source }) => !/^20\d\d-(0[1-9]|1[0-2])$/.test(month) || !/^https:\/\/\S+\/\d+$/.test(source),
  );
  expect(wrong).toEqual([]);
});

test("no file of the product names it", async () => {
  const naming: string[] = [];
  for await (const path of new Bun.Glob("**/*.{ts,tsx,json}").scan({ cwd: SOURCES })) {
    const text = await Bun.file(join(SOURCES, path)).text();
    if (/simulator\/stranger|sentences\.data/.test(text)) naming.push(path);
  }
  expect(naming).toEqual([]);
});
