// The warnings of `poundkey check` on models: names that lead to ending ones, and what there is to tell of the catalogue file.
import { explainEnd, listEndingNames } from "../../catalogue/ending-names.ts";
import { explainStanding, readStanding } from "../../catalogue/file/standing.ts";
import { type ConfigError, createError } from "../../config/errors.ts";
import type { Settings } from "../../core/settings.ts";

export function warnOfEnds(settings: Settings, nowMs: number): readonly ConfigError[] {
  return listEndingNames(settings, nowMs).map((ending) => makeWarning("", ending.field, explainEnd(ending)));
}

export function warnOfCatalogue(settings: Settings): readonly ConfigError[] {
  const messages = explainStanding(readStanding(settings));
  return messages.map((message) => makeWarning(settings.catalogueFile ?? "", "", message));
}

function makeWarning(file: string, field: string, message: string): ConfigError {
  return createError({ file, line: 0, column: 0, field, message });
}
