// The names that comments mention exist: a member that was renamed or removed leaves no comment behind.
import { expect, test } from "bun:test";
import { readCode, stripComments } from "../drills/code.ts";
import { expectNone, readSources } from "./sources.ts";

/** Names in documents of others, which the code has no use for. */
const FOREIGN: ReadonlySet<string> = new Set([
  "Allow",
  "CitationMetadata",
  "GroundingMetadata",
  "LogprobsResult",
  "name_0",
  "ReferenceChunk",
  "ThreadUnsupportedRequestErrorDetails",
]);

const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;
const QUOTED = /`#?([A-Za-z_$][\w$]*)(?:\(\))?`/g;
const WORD = /[A-Za-z_$][\w$]*/g;

function listWords(texts: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) for (const word of text.match(WORD) ?? []) words.add(word);
  return words;
}

function findUnknown(path: string, text: string, words: ReadonlySet<string>): readonly string[] {
  return [...text.matchAll(COMMENT)].flatMap(([comment]) =>
    [...comment.matchAll(QUOTED)].flatMap(([, name = ""]) =>
      words.has(name) || FOREIGN.has(name) ? [] : [`${path}: ${name}`],
    ),
  );
}

test("each name in a comment's backticks occurs in the code", () => {
  const sources = readSources("src");
  const tests = readSources("test").map(({ text }) => stripComments(text));
  const words = listWords([...readCode().map(({ text }) => text), ...tests]);
  expectNone(sources.flatMap(({ path, text }) => findUnknown(path, text, words)));
});

test("the rule sees names that are gone", () => {
  const words = listWords(["const here = 1;"]);
  const text = "/** As `gone()`, unlike `here` and `a text of words`. */\nconst here = 1; // `#away`";
  expect(findUnknown("one.ts", text, words)).toEqual(["one.ts: gone"]);
  expect(findUnknown("one.ts", "  // Like `#away`.", words)).toEqual(["one.ts: away"]);
});
