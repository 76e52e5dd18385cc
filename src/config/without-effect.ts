// Settings that are taken and kept but change nothing in this version: whoever sets one is told so.
import type { Settings } from "../core/settings.ts";

/** The fields of these settings that have no effect, as they are written in the file. */
export function withoutEffect({ log }: Settings): readonly string[] {
  const fields: string[] = [];
  if (log.content) fields.push("log.content");
  return fields;
}
