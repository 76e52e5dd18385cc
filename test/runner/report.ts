// The results of a run by file, read from Bun's JUnit report: a file that ended without a row has failed.
import { isAbsolute, relative } from "node:path";

export interface FileResult {
  /** Its path from the repository's root. */
  readonly file: string;
  readonly seconds: number;
  /** The titles of its failed rows, each behind those of the groups that it stands in. */
  readonly failed: string[];
  passed: number;
  skipped: number;
}

const TAG = /<(\/?)(testsuite|testcase|failure|skipped)\b([^>]*?)(\/?)>/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** Reads one attribute of a tag. Bun escapes quotes and angle brackets in values. */
function readAttribute(text: string, name: string): string {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1] ?? "";
  return value.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal, hex, word) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    return hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : (ENTITIES[word] ?? all);
  });
}

/** Returns the files that have rows in the report. */
export function readReport(xml: string, root: string): FileResult[] {
  const results: FileResult[] = [];
  const groups: string[] = [];
  let row: { title: string; outcome: "passed" | "skipped" | "failed" } | null = null;
  const endRow = () => {
    const result = results.at(-1);
    if (result && row?.outcome === "failed") result.failed.push(row.title);
    else if (result && row) result[row.outcome === "skipped" ? "skipped" : "passed"]++;
    row = null;
  };
  for (const [, isEnd, tag, attributes = "", isEmpty] of xml.matchAll(TAG)) {
    const name = readAttribute(attributes, "name");
    if (tag === "testsuite") {
      if (isEnd) groups.pop();
      else if (groups.push(name) === 1) results.push(makeResult(attributes, root));
    } else if (tag === "testcase") {
      if (!isEnd) row = { title: [...groups.slice(1), name].join(" > "), outcome: "passed" };
      if (isEnd || isEmpty) endRow();
    } else if (row && !isEnd) {
      row.outcome = tag === "failure" ? "failed" : "skipped";
    }
  }
  return results;
}

function makeResult(attributes: string, root: string): FileResult {
  const path = readAttribute(attributes, "file");
  const file = isAbsolute(path) ? relative(root, path) : path;
  const seconds = Number(readAttribute(attributes, "time"));
  return { file, seconds, failed: [], passed: 0, skipped: 0 };
}

/** Returns a failed result for each file that ended without a row: it didn't load, or the run ended before it. */
export function findMissing(files: readonly string[], results: readonly FileResult[]): FileResult[] {
  const reported = new Set(results.map(({ file }) => file));
  return files
    .filter((file) => !reported.has(file))
    .map((file) => ({ file, seconds: 0, failed: ["(ended without a row)"], passed: 0, skipped: 0 }));
}
