// The rules of the tests' providers, read off their code: each place that refuses a request, by its file and its words.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "..", "..", "..");
/**
 * Beside the stranger, whose sentences have a file of their own: helpers, which know no vendor, what the simulator says of
 * itself, and the rows that name their rules themselves.
 */
const APART = new Set([
  ...["problem.ts", "control.ts", "script.ts", "validator.ts", "listed-rules.ts"],
  ...["responder.ts", "voyage.ts", "openai.ts"],
  "vendor-rules.ts",
]);

/** `file: words`, where `*` stands for what a request adds. A rule whose words are elsewhere is named by the expression. */
export function listRules(): readonly string[] {
  const paths = [...new Glob("{src,test}/simulator/**/*.ts").scanSync(ROOT)].toSorted();
  const files = paths.filter(
    (path) => !path.endsWith(".test.ts") && !path.includes("/stranger/") && !APART.has(basename(path)),
  );
  return [...new Set(files.flatMap((path) => listIn(path)))];
}

function listIn(path: string): readonly string[] {
  const code = readFileSync(join(ROOT, path), "utf8");
  const calls = [...code.matchAll(/\breject\(/g)].filter(({ index }) => !isComment(code, index));
  return calls.map(({ index }) => {
    const [, words = "?"] = splitArguments(code.slice(index + "reject(".length));
    return `${basename(path, ".ts")}: ${readWords(words)}`;
  });
}

function isComment(code: string, index: number): boolean {
  return /^\s*(\/\/|\*|\/\*)/.test(code.slice(code.lastIndexOf("\n", index) + 1, index));
}

/** Splits the arguments of a call, whose opening parenthesis is left out. */
function splitArguments(rest: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let quote: string | null = null;
  for (let at = 0; at < rest.length; at++) {
    const letter = rest.charAt(at);
    if (letter === "\\") at++;
    else if (quote !== null) quote = letter === quote ? null : quote;
    else if (`"'\``.includes(letter)) quote = letter;
    else if ("([{".includes(letter)) depth++;
    else if (letter === "," && depth === 0) start = push(parts, rest, start, at);
    else if (")]}".includes(letter) && --depth < 0) {
      push(parts, rest, start, at);
      return parts;
    }
  }
  return parts;
}

function push(parts: string[], rest: string, start: number, at: number): number {
  parts.push(rest.slice(start, at).trim());
  return at + 1;
}

function readWords(argument: string): string {
  const flat = argument.replace(/\s+/g, " ");
  return flat.replace(/\$\{[^}]*\}+/g, "*").replace(/^["'`]|["'`]$/g, "");
}
