// `poundkey catalogue rebase`: takes out of the catalogue file what the program says too.
import { changeCatalogueFile } from "../../app/models/catalogue-file.ts";
import { type ConfigSource, formatErrors, loadConfig } from "../../app/start/configuration.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { loadBuiltInRows } from "../../catalogue/file/built-in.ts";
import { type RebasedFile, type RebasedRow, rebaseFile } from "../../catalogue/file/rebase.ts";
import { writeCatalogueContent } from "../../catalogue/file/write.ts";
import { readCatalogueContent } from "../../config/models/catalogue-file.ts";
import { type Arguments, readConfigurationFlags } from "../arguments.ts";

/** Returns the exit code: 1 if there is no file, or one that can't be read or written. */
export async function rebaseCatalogueFile(args: Arguments, io: Io, source: ConfigSource): Promise<number> {
  const { loaded } = loadConfig(readConfigurationFlags(args), source);
  if (!loaded.ok) {
    io.err(formatErrors(loaded.errors));
    return EXIT.failed;
  }
  const { catalogueFile: path } = loaded.settings;
  if (path === undefined) {
    io.err("There is no catalogue file: set catalogue to a path in the configuration.");
    return EXIT.failed;
  }
  let found: RebasedFile | null = null;
  const isApplied = args.switches.has("apply");
  try {
    await changeCatalogueFile(path, (before) => {
      found = before === null ? null : rebaseText(before);
      return isApplied && found !== null && isChanged(found) ? writeCatalogueContent(found.content) : null;
    });
  } catch (error) {
    io.err(`${path} can't be rebased: ${error instanceof Error ? error.message : error}`);
    return EXIT.failed;
  }
  show(found, { path, isApplied }, args, io);
  return EXIT.done;
}

/** Throws an Error if it isn't a catalogue file, as after a change of the last moment. */
function rebaseText(text: string): RebasedFile {
  const content = readCatalogueContent(text);
  if (typeof content === "string") throw new Error(content);
  return rebaseFile(content, loadBuiltInRows());
}

function isChanged({ rows }: RebasedFile): boolean {
  return rows.some(({ whole }) => whole.length === 0);
}

interface ShownRows {
  readonly path: string;
  readonly isApplied: boolean;
}

function show(found: RebasedFile | null, { path, isApplied }: ShownRows, args: Arguments, io: Io): void {
  const rows = found?.rows ?? [];
  if (args.switches.has("json")) {
    io.out(JSON.stringify({ file: path, applied: isApplied, rows }, null, 2));
    return;
  }
  for (const row of rows) io.out(describeRow(row));
  if (found === null) io.out(`${path} doesn't exist yet: there is nothing to take out.`);
  else if (!isChanged(found)) io.out(`${path} has nothing that the program says too.`);
  else if (isApplied) io.out(`${path} is written. No price in use has changed.`);
  else io.out("Nothing was changed: --apply writes the file. No price in use changes by it.");
}

function describeRow({ id, removed, stays, whole }: RebasedRow): string {
  if (whole.length > 0) return `  ${id}: stays whole, since its ${whole.join(", ")} can't stand alone`;
  if (stays.length === 0) return `- ${id}: goes, the program says the same`;
  const left = `${stays.join(", ")} ${stays.length === 1 ? "stays" : "stay"} until a newer program differs`;
  return removed.length === 0 ? `~ ${id}: ${left}` : `~ ${id}: ${removed.join(", ")} out; ${left}`;
}
