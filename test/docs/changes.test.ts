// The changelog: each release in the same parts, short enough to be read, and the unreleased section made from its files.
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectNone } from "../tidy/sources.ts";
import { PARTS, readChanges, renderUnreleased } from "./changes.ts";
import { ROOT, readDocument } from "./documents.ts";

const UNRELEASED = /(?<=<!-- unreleased -->\n)[\s\S]*?(?=<!-- released -->)/;
const changelog = readDocument("CHANGELOG.md");

test("the unreleased changes are those of src/changes: `UPDATE_DOCS=1 bun test docs/changes` writes them", () => {
  const section = renderUnreleased(readChanges());
  const written = changelog.replace(UNRELEASED, () => section);
  if (process.env.UPDATE_DOCS) writeFileSync(join(ROOT, "CHANGELOG.md"), written);
  else expect(changelog).toBe(written);
});

test("a change has a kind, a sentence, and a page if it is new", () => {
  const kinds: readonly string[] = PARTS.map(({ kind }) => kind);
  expectNone(
    readChanges().flatMap(({ file, kind, page, text }) => [
      ...(kinds.includes(kind) ? [] : [`${file}: its kind is none of ${kinds.join(", ")}`]),
      ...(text.endsWith(".") ? [] : [`${file}: doesn't end as a sentence`]),
      ...(kind === "new" && page === null ? [`${file}: has no page`] : []),
      ...(page !== null && !existsSync(join(ROOT, "src", page.replace(/#.*/, "")))
        ? [`${file}: no ${page}`]
        : []),
    ]),
  );
});

test("a sentence of an unreleased change has at most 25 words", () => {
  expectNone(
    readChanges().flatMap(({ file, text }) =>
      listSentences(text)
        .filter((sentence) => countWords(sentence) > 25)
        .map((sentence) => `${file}: ${countWords(sentence)} words: ${sentence}`),
    ),
  );
});

test("each release has a date, the parts in their order, and no more than people read", () => {
  const releases = changelog.split(/^## /m).slice(1);
  expect(releases.length).toBeGreaterThan(2);
  expectNone(releases.flatMap(listMistakes));
});

/** A text's sentences, with each piece of code as one word, and links as their texts. */
function listSentences(text: string): readonly string[] {
  return text
    .replaceAll(/`[^`]*`/g, "code")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(/(?<=[.!?]) /);
}

function countWords(sentence: string): number {
  return sentence.split(" ").filter((word) => /\w/.test(word)).length;
}

function listMistakes(release: string): readonly string[] {
  const [title = "", ...lines] = release.split("\n");
  const parts = lines.join("\n").split(/^### /m).slice(1);
  const order = parts.map((part) => PARTS.findIndex((one) => part.startsWith(`${one.title}\n`)));
  return [
    ...(/^(Unreleased|\d+\.\d+\.\d+(-[\w.]+)? \(\d{1,2} [A-Z][a-z]+ \d{4}\))$/.test(title)
      ? []
      : [`${title}: no date`]),
    ...(order.every((at, place) => at >= 0 && at > (order[place - 1] ?? -1)) ? [] : [`${title}: ${order}`]),
    ...parts.flatMap((part, place) => {
      const count = part.match(/^- /gm)?.length ?? 0;
      const most = PARTS[order[place] ?? -1]?.most ?? 0;
      return count > most ? [`${title}, ${part.split("\n")[0]}: ${count} changes, ${most} at most`] : [];
    }),
  ];
}
