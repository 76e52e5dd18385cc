// The claims of the documents, by kind, so that a change of the code can be followed by a look at those that it may
// falsify: `CLAIMS=absent bun test docs/claims` prints the claims of what is missing.
import { expect, test } from "bun:test";
import { CHAPTER_NAMES } from "../../src/docs/site/contents.ts";
import { readProse } from "./documents.ts";

interface Claim {
  readonly path: string;
  readonly heading: string;
  readonly text: string;
  /** Its section, in which a command may stand. */
  readonly section: string;
}

const PATHS = ["README.md", ...CHAPTER_NAMES.map((name) => `src/docs/${name}.md`)];

const FIGURE = String.raw`\d[\d.,]*`;
/** Sentences that say how something turned out, rather than how it is set. */
const MEASURED = new RegExp(
  [
    String.raw`\b[Mm]easured\b.*${FIGURE}`,
    String.raw`${FIGURE}.*\bmedian\b`,
    String.raw`\bmedian\b.*${FIGURE}`,
    String.raw`\b(?:takes?|took|costs?)\b[^.]*${FIGURE}(?: to ${FIGURE})? ?(?:µs|ms|MB|KB)\b`,
    String.raw`${FIGURE}(?: to ${FIGURE})? ?µs\b`,
    `${FIGURE} times (?:a second|that of|the truth|too)`,
    String.raw`\b(?:busy|shared|quieter|idle) (?:cores?|machine)\b.*${FIGURE}`,
    String.raw`${FIGURE}.*\b(?:busy|shared|quieter|idle) (?:cores?|machine)\b`,
  ].join("|"),
);
const GUARANTEED =
  /\b(never|always|exactly once|is exact|are exact|stay exact|no request|nothing passes|only once)\b/i;
const ABSENT_HEADING = /what isn.t there|not yet/i;
const ABSENT =
  /\b(can't be changed|isn't supported|aren't supported|not supported|is not possible|There is no|there are no)\b/;

const KINDS: Readonly<Record<string, (claim: Claim) => boolean>> = {
  measured: ({ text }) => MEASURED.test(text),
  guaranteed: ({ text }) => GUARANTEED.test(text),
  absent: ({ text, heading }) => ABSENT_HEADING.test(heading) || ABSENT.test(text),
};

const COMMAND = /`(?:bun|npm run|npm test|poundkey|LIMITS_|SIM_)[^`]*`/;

const claims: readonly Claim[] = PATHS.flatMap((path) => {
  const sections = readProse(path).split(/^(?=#{1,3} )/m);
  return sections.flatMap((section) => {
    const heading = /^#+ (.*)$/m.exec(section)?.[1] ?? "";
    return splitSentences(section).map((text) => ({ path, heading, text, section }));
  });
});

/** Rows of tables and items of lists are sentences too. */
function splitSentences(section: string): readonly string[] {
  return section
    .split(/\n\s*\n|\n(?=[-|#])|(?<=[.:]\*{0,2})\s+(?=[A-Z`*[])/)
    .map((piece) => piece.replace(/\s+/g, " ").trim())
    .filter((piece) => piece !== "" && !/^[|#\s-]*$/.test(piece));
}

test("claims of each kind are found (CLAIMS=kind prints them)", () => {
  for (const [kind, isOne] of Object.entries(KINDS)) {
    const found = claims.filter(isOne);
    expect([kind, found.length > 5]).toEqual([kind, true]);
    if (process.env.CLAIMS === kind)
      for (const { path, heading, text } of found) console.log(`${path}, ${heading}: ${text}`);
  }
});

test("every measured figure stands in a section that names the command that reproduces it", () => {
  const bare = claims.filter((claim) => KINDS.measured?.(claim) && !COMMAND.test(claim.section));
  expect(bare.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
});
