// The result of an import: its report, the configuration that it writes, and the exit code.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { formatErrors, loadConfig, source } from "../../app/start/configuration.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { findPlaces } from "../../config/places.ts";
import { writeConfigText } from "../../moving/config-text.ts";
import type { PlannedConfig } from "../../moving/plan.ts";
import type { Report } from "../../moving/report.ts";
import { formatJson } from "../administration.ts";
import { formatTable } from "../table.ts";

/** Variables whose values may be any text, or an address. */
const ANY_TEXT = /KEY|SECRET|TOKEN|BASE|URL|ENDPOINT/;

/**
 * Returns the mistakes in a configuration that was made, as when the other gateway had more models than are allowed. Null also
 * if they depend on what its variables hold. The report's variables, which are still to be set, don't count as missing.
 */
function findProblem(text: string, file: string, { variables }: Report): string | null {
  const names = [...new Set([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name))];
  if (text === "" || !names.every((name) => ANY_TEXT.test(name))) return null;
  const asked = new Set([...names, ...variables.map(({ name }) => name)]);
  const env = (name: string) => (asked.has(name) ? `https://${name}.example` : source.env(name));
  const { loaded } = loadConfig({ config: file }, { ...source, env, readConfig: () => text });
  const errors = loaded.ok ? [] : loaded.errors.filter((error) => error.file !== "environment");
  return errors.length === 0 ? null : formatErrors(errors);
}

/** Makes the user's own folder of the configuration too, but none of a file that was named. */
function writeNew(file: string, text: string): void {
  const { kind, config } = findPlaces(source.env);
  if (kind === "user" && file === config) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { flag: "wx" });
}

interface ImportResult {
  readonly io: Io;
  readonly report: Report;
  /** The nodes of older programs that the import stops. */
  readonly olderNodes: readonly string[];
  readonly config: PlannedConfig;
  readonly file: string;
  readonly isNew: boolean;
  readonly isDry: boolean;
  readonly isJson: boolean;
}

/**
 * Returns the exit code: 3 if something is left to decide. The configuration is written last: a gateway that starts on it has all
 * accounts and keys.
 */
export function printResult({
  io,
  report,
  olderNodes,
  config,
  file,
  isNew,
  isDry,
  isJson,
}: ImportResult): number {
  const text = writeConfigText(config);
  const isWritten = isNew && !isDry && text !== "";
  const problem = findProblem(text, file, report);
  if (problem !== null)
    io.err(`poundkey: the configuration needs a correction before it is used:\n${problem}`);
  if (isWritten) writeNew(file, text);
  const { variables } = report;
  const counts = report.count();
  const code = counts.not_taken + counts.paused > 0 ? EXIT.partial : EXIT.done;
  if (isJson) {
    const rows = report.sort();
    io.out(
      formatJson({
        ...(olderNodes.length === 0 ? {} : { older_nodes: olderNodes }),
        counts,
        rows,
        variables,
        config: text,
        written: isWritten ? file : null,
        made: report.made,
      }),
    );
    return code;
  }
  printRows(io, report);
  if (variables.length > 0) {
    const needed = variables.map(({ name, use }) => [name, use]);
    io.out(`\nSet in the gateway's environment:\n\n${formatTable([["VARIABLE", "FOR"], ...needed])}`);
  }
  if (isWritten) io.out(`\nWrote ${file}.`);
  else if (text !== "") io.out(`\n${isNew ? `${file} would be` : `${file} exists. Add to it`}:\n\n${text}`);
  return code;
}

export function printRows(io: Io, report: Report): void {
  const lines = report.sort().map(({ line, item, outcome, words }) => {
    return [item, outcome, line === null ? "-" : String(line), words];
  });
  io.out(formatTable([["FOUND", "OUTCOME", "LINE", "AS, OR WHY NOT"], ...lines]));
  const counts = Object.entries(report.count()).map(([outcome, count]) => `${count} ${outcome}`);
  io.out(`\n${counts.join(", ")}`);
}
