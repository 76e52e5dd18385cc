// `poundkey import --undo`: takes back what an import made, by the report that it printed with --json.
import { existsSync, readFileSync, rmSync } from "node:fs";
import type { ActingWorld } from "../../admin/world.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asObject, asString, isObject } from "../../core/json/json.ts";
import type { MadeOwner } from "../../moving/made.ts";
import { Report } from "../../moving/report.ts";
import { undoImport } from "../../moving/undo.ts";
import { formatJson } from "../administration.ts";
import { readBytes } from "./import-files.ts";
import { printRows } from "./import-result.ts";

interface ImportReport {
  readonly made: readonly MadeOwner[];
  /** The configuration's file, if the import wrote it, and its text. */
  readonly written: string | null;
  readonly config: string;
}

/** Throws an Error for a file that is no such report. */
export function readReport(path: string): ImportReport {
  const report = parseReceived(readBytes(path).toString("utf8"));
  if (!isObject(report) || !Array.isArray(report.made))
    throw new Error(`${path} isn't the report of an import: it is what \`poundkey import … --json\` prints.`);
  const made = asArray(report.made).map((one): MadeOwner => {
    const { kind, id, digest } = asObject(one);
    return { kind: kind === "account" ? "account" : "key", id: String(id), digest: String(digest) };
  });
  return { made, written: asString(report.written) ?? null, config: asString(report.config) ?? "" };
}

interface UndoParts {
  readonly io: Io;
  readonly isJson: boolean;
}

/** Returns the exit code: 3 if something was left. */
export async function undo(
  world: ActingWorld,
  { made, written, config }: ImportReport,
  { io, isJson }: UndoParts,
): Promise<number> {
  const report = new Report();
  await undoImport(world, made, report);
  if (written !== null && existsSync(written)) {
    const isSame = readFileSync(written, "utf8") === config;
    if (isSame) {
      rmSync(written);
      report.take(null, written, "deleted");
    } else report.leave(null, written, "changed since, so it is left");
  }
  if (isJson) io.out(formatJson({ counts: report.count(), rows: report.sort() }));
  else printRows(io, report);
  return report.count().not_taken > 0 ? EXIT.partial : EXIT.done;
}
