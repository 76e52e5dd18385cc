// The snippets of the manual's chapter on operations work as printed: each is run against the gateway.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "../../src/core/models/card.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { makeWav } from "../operations/media/world.ts";
import { readDocument } from "./documents.ts";
import { isThere, makePasteFolder, type PasteFolder, type Runner } from "./pasted.ts";

const CHAPTER = readDocument("src/docs/operations.md");

/** The code blocks of a language joined into one text, and the sections that have one. */
function readBlocks(language: Runner): { readonly text: string; readonly sections: readonly string[] } {
  const parts = CHAPTER.split(/^## /m);
  const blocks = parts.flatMap((part) => {
    const [section = ""] = part.split("\n", 1);
    return [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, one, text = ""]) =>
      one === language ? [{ section, text }] : [],
    );
  });
  // An import that two sections share is kept once.
  const lines = blocks.flatMap(({ text }) => text.split("\n"));
  const once = lines.filter((line, at) => !line.startsWith("import ") || lines.indexOf(line) === at);
  return { text: once.join("\n"), sections: blocks.map(({ section }) => section) };
}

/** A part of each section's output, or of the file that it writes. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  "Legacy completions": /and so on/,
  Embeddings: /256|"embedding":/,
  Rerank: /relevance_score/,
  Moderation: /violence\/graphic/,
  Images: /PNG|"b64_json":/,
  Speech: /RIFF/,
  Transcripts: /This is what was said in meeting\.mp3/,
};
const FILES = ["cat.png", "morning.mp3"];

let gateway: UnderTest;
let folder: PasteFolder;

beforeAll(async () => {
  gateway = await startUnderTest();
  folder = makePasteFolder();
  writeFileSync(join(folder.path, "meeting.mp3"), await makeWav(2).bytes());
});

afterAll(async () => {
  folder.remove();
  await gateway.stop();
});

/** The files written by the last snippet, which are then removed. */
function takeWritten(): string {
  const paths = FILES.map((name) => join(folder.path, name)).filter((path) => existsSync(path));
  const texts = paths.map((path) => readFileSync(path, "latin1"));
  for (const path of paths) rmSync(path);
  return texts.join("");
}

for (const runner of ["sh", "js", "python"] as const) {
  test.skipIf(!isThere(runner))(`the examples for ${runner} (skipped if not installed)`, async () => {
    const { text, sections } = readBlocks(runner);
    expect(sections).toEqual(expect.arrayContaining(Object.keys(PRINTED)));
    const filled = text
      .replaceAll("https://llm.example.com", gateway.url)
      .replaceAll("sk-…", gateway.secret)
      // The simulated Mistral doesn't complete text.
      .replaceAll("Mistral#codestral-latest", "Local#sim-complete");
    const printed = `${await folder.run(runner, filled)}${takeWritten()}`;
    for (const [section, piece] of Object.entries(PRINTED))
      expect([section, printed]).toEqual([section, expect.stringMatching(piece)]);
  });
}

test("each operation except chat has a row of limits and prices", () => {
  const rows = [...CHAPTER.matchAll(/^\| `(\w+)` \| [^|]+ \| [^|]+ \| [^|]+ \|$/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(OPERATIONS.filter((name) => name !== "chat").toSorted());
});
