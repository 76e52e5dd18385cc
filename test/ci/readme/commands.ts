// The commands that a README prints, in its order, and whether each has a row that says how it is judged.
import { version } from "../../../package.json" with { type: "json" };
import { CHANNELS } from "../../../src/app/channels.ts";
import { NOTHING, writeTexts } from "../../docs/channels/texts.ts";

const README = "README.md";
const ROWS = "test/ci/readme/rows.ts";

/** A block of code, with its language. */
const BLOCK = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm;
const SHELLS = ["sh", "bash", "shell", "console"];
const SPAN = /(?<!`)`([^`]+)`(?!`)/g;
/** Code within a sentence is a command if it begins with a program that a reader has, or has built. */
const COMMAND = /^(?:npm|npx|bun|bunx|node|docker|git|curl|poundkey|\.\/dist\/\S+) \S/;

/** The name of the README's example in JavaScript, in place of a command. */
export const EXAMPLE = "the example in JavaScript";

interface Printed {
  readonly command: string;
  /** The program's text. Missing for a command of the shell. */
  readonly text?: string;
}

/** The README with the start from the sources: once the project is published, the block names channels, which accounts own. */
export function readSourcesPage(page: string): string {
  if (CHANNELS.repository === null) return page;
  const start = writeTexts(NOTHING, version).find(({ path }) => path === README);
  return start?.replace === undefined ? page : page.replace(start.replace, () => start.text);
}

/** Returns each command once. One that is printed in two places stands at the first. */
export function listPrinted(page: string): readonly Printed[] {
  const blocks = [...page.matchAll(BLOCK)].map(({ index, 1: language = "", 2: text = "" }) => ({
    at: index,
    printed: readBlock(language, text),
  }));
  // Blanks in place of the blocks leave the other places as they are.
  const prose = page.replace(BLOCK, (block) => " ".repeat(block.length));
  const spans = [...prose.matchAll(SPAN)]
    .map(({ index, 1: span = "" }) => ({ at: index, printed: [{ command: span.replace(/\s+/g, " ") }] }))
    .filter(({ printed: [one] }) => COMMAND.test(one?.command ?? ""));
  const all = [...blocks, ...spans]
    .toSorted((one, other) => one.at - other.at)
    .flatMap(({ printed }) => printed);
  return all.filter(({ command }, at) => all.findIndex((other) => other.command === command) === at);
}

function readBlock(language: string, text: string): readonly Printed[] {
  if (language === "js") return [{ command: EXAMPLE, text }];
  if (!SHELLS.includes(language)) return [];
  const lines = text.replace(/\\\n\s*/g, "").split("\n");
  return lines
    .map((line) => ({ command: line.replace(/(^| +)#.*$/, "").trim() }))
    .filter(({ command }) => command !== "");
}

/** Returns a sentence for each command without a row, and for each row without a command. */
export function findUnmatched(
  printed: readonly Printed[],
  rows: readonly { readonly command: string }[],
): readonly string[] {
  const has = (list: readonly { readonly command: string }[], wanted: string) =>
    list.some(({ command }) => command === wanted);
  return [
    ...printed
      .filter(({ command }) => !has(rows, command))
      .map(({ command }) => `${README}: \`${command}\` has no row in ${ROWS}`),
    ...rows
      .filter(({ command }) => !has(printed, command))
      .map(({ command }) => `${ROWS}: \`${command}\` is not in ${README}`),
  ];
}
