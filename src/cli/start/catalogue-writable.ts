// Warns of a catalogue file that what is taken of a watched list can't be written to.
import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { type ConfigError, createError } from "../../config/errors.ts";
import type { Settings } from "../../core/settings.ts";

/** The file is written beside and renamed, so that its folder has to take it. */
export function warnOfUnwritable({
  catalogueFile,
  catalogueWatch,
}: Pick<Settings, "catalogueFile" | "catalogueWatch">): readonly ConfigError[] {
  if (catalogueFile === undefined || catalogueWatch === undefined) return [];
  try {
    accessSync(dirname(catalogueFile), constants.W_OK);
    return [];
  } catch {
    const message = "the gateway can't write it, so nothing of the watched list can be taken";
    return [createError({ file: catalogueFile, line: 0, column: 0, field: "catalogue.file", message })];
  }
}
