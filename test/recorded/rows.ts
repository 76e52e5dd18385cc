// The recorded exchanges as stored in their files.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asObject, type JsonObject } from "../../src/core/json/json.ts";

export interface RecordedRow {
  /** The provider, by the fixture file's name. */
  readonly file: string;
  readonly row: JsonObject;
}

/** Reads a whole folder in the order of file names. */
export function readRows(folder: string): readonly RecordedRow[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return names.toSorted().flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => ({ file: name.replace(/\.jsonl$/, ""), row: asObject(JSON.parse(line)) })),
  );
}
