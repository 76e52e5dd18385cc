// The results of a run by file, read from Bun's JUnit report: a file that ended without a row has failed.
import { isAbsolute, relative } from "node:path";

export interface FileResult {
  /** Its path from the repository's root. */
  readonly file: string;
  readonly seconds: number;
  /** The titles of its failed rows, each behind those of the groups that it stands in. */
  readonly failed: string[];
  /** The number of these that ran out of their time. */
  late: number;
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
  let row: { title: string; outcome: "passed" | "skipped" | "failed"; isLate: boolean } | null = null;
  const endRow = () => {
    const result = results.at(-1);
    if (result && row?.outcome === "failed") {
      result.failed.push(row.title);
      if (row.isLate) result.late++;
    } else if (result && row) result[row.outcome === "skipped" ? "skipped" : "passed"]++;
    row = null;
  };
  for (const [, isEnd, tag, attributes = "", isEmpty] of xml.matchAll(TAG)) {
    const name = readAttribute(attributes, "name");
    if (tag === "testsuite") {
      if (isEnd) groups.pop();
      else if (groups.push(name) === 1) results.push(makeResult(attributes, root));
    } else if (tag === "testcase") {
      if (!isEnd) row = { title: [...groups.slice(1), name].join(" > "), outcome: "passed", isLate: false };
      if (isEnd || isEmpty) endRow();
    } else if (row && !isEnd) {
      row.outcome = tag === "failure" ? "failed" : "skipped";
      row.isLate = readAttribute(attributes, "type") === "TimeoutError";
    }
  }
  return results;
}

function makeResult(attributes: string, root: string): FileResult {
  const path = readAttribute(attributes, "file");
  const file = isAbsolute(path) ? relative(root, path) : path;
  const seconds = Number(readAttribute(attributes, "time"));
  return { file, seconds, failed: [], late: 0, passed: 0, skipped: 0 };
}

/** Returns the files that ended without a row: they have none here, didn't load, or the run ended before them. */
export function listMissing(files: readonly string[], results: readonly FileResult[]): readonly string[] {
  const reported = new Set(results.map(({ file }) => file));
  return files.filter((file) => !reported.has(file));
}

/** Bun's word at the end of a run in which a file was loaded to its end and declared no row. */
const NO_ROWS = /^Ran 0 tests across 1 file\./m;

/** Judges a file without a row by a run of its own, of which this is the exit code and the output. */
export function judgeMissing(file: string, code: number, output: string): FileResult {
  const isWhole = code === 0 && NO_ROWS.test(output);
  const failed = isWhole ? [] : ["(ended without a row)"];
  return { file, seconds: 0, failed, late: 0, passed: 0, skipped: 0 };
}
