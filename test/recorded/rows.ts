// The recorded exchanges as they stand in their files.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asObject, type JsonObject } from "../../src/core/json.ts";

export interface RecordedRow {
  /** The provider, as the fixture file is called. */
  readonly file: string;
  readonly row: JsonObject;
}

/** All of a folder, in the order of their files' names; none where the recordings are absent. */
export function readRows(folder: string | null): readonly RecordedRow[] {
  if (folder === null) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return names.toSorted().flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => ({ file: name.replace(/\.jsonl$/, ""), row: asObject(JSON.parse(line)) })),
  );
}
