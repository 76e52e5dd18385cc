// The snippets of the manual's chapters on operations work as printed: each is run against the gateway.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "../../src/core/models/card.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { makeWav } from "../operations/media/world.ts";
import { readDocument } from "./documents.ts";
import { isThere, makePasteFolder, type PasteFolder, type Runner } from "./pasted.ts";

/** The code blocks of a language in a chapter joined into one text, and the sections that have one. */
function readBlocks(
  chapter: string,
  language: Runner,
): { readonly text: string; readonly sections: readonly string[] } {
  const parts = readDocument(`src/docs/${chapter}.md`).split(/^## /m);
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

/** A part of the output of each chapter's sections, or of the files that they write. */
const PRINTED: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  operations: { "Legacy completions": /and so on/, Moderation: /violence\/graphic/ },
  embeddings: { Embeddings: /256|"embedding":/, Rerank: /relevance_score/ },
  media: {
    Images: /PNG|"b64_json":/,
    Speech: /RIFF/,
    Transcripts: /This is what was said in meeting\.mp3/,
  },
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

const RUNNERS = ["sh", "js", "python"] as const;
const EXAMPLES = Object.entries(PRINTED).flatMap(([chapter, pieces]) =>
  RUNNERS.map((runner) => ({ chapter, runner, pieces })),
);

for (const { chapter, runner, pieces } of EXAMPLES) {
  test.skipIf(!isThere(runner))(`${chapter}: examples for ${runner} (skipped if not installed)`, async () => {
    const { text, sections } = readBlocks(chapter, runner);
    expect(sections).toEqual(expect.arrayContaining(Object.keys(pieces)));
    const filled = text
      .replaceAll("https://llm.example.com", gateway.url)
      .replaceAll("sk-…", gateway.secret)
      // The simulated Mistral doesn't complete text.
      .replaceAll("Mistral#codestral-latest", "Local#sim-complete");
    const printed = `${await folder.run(runner, filled)}${takeWritten()}`;
    for (const [section, piece] of Object.entries(pieces))
      expect([section, printed]).toEqual([section, expect.stringMatching(piece)]);
  });
}

test("each operation except chat has a row of limits and prices", () => {
  const chapter = readDocument("src/docs/operations.md");
  const rows = [...chapter.matchAll(/^\| `(\w+)` \| [^|]+ \| [^|]+ \| [^|]+ \|$/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(OPERATIONS.filter((name) => name !== "chat").toSorted());
});
