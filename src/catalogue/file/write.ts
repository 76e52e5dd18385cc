// Writes the catalogue file.

import type { TakenMark } from "../../core/money/taken-mark.ts";
import { viewRow } from "../write-rows.ts";
import type { CatalogueFileContent, FileRow } from "./file-row.ts";
import { listTaken, SINGLE_FIELDS, viewFields } from "./taken-fields.ts";

/** Returns the file's text with a row per line, so that its versions are easy to compare. */
export function writeCatalogueContent({ asOf, list, rows }: CatalogueFileContent): string {
  const head = [
    ...(asOf === undefined ? [] : [`"as_of":${JSON.stringify(asOf)}`]),
    ...(list === undefined ? [] : [`"list":${JSON.stringify(viewList(list))}`]),
  ];
  const lines = rows.map((row) => JSON.stringify(viewFileRow(row)));
  const models = lines.length === 0 ? `"models":[]` : `"models":[\n${lines.join(",\n")}\n]`;
  return `{${[...head, models].join(",")}}\n`;
}

function viewList({ serial, sha256, asOf }: NonNullable<CatalogueFileContent["list"]>): object {
  return { serial, sha256, as_of: asOf };
}

function viewFileRow(row: FileRow): object {
  switch (row.kind) {
    case "own":
      return { ...viewRow(row.card), as_of: row.asOf, own: row.isMeant };
    case "model":
      return { ...viewRow(row.card), taken: viewTaken(row.taken) };
    case "fields": {
      const { id, sets, asOf: as_of, taken } = row;
      return { id, ...viewFields(sets, listTaken(taken.was)), as_of, taken: viewTaken(taken) };
    }
  }
}

/** The digests stand in the same order, whichever field was taken first. */
function viewTaken({ from, on, was }: TakenMark): object {
  const names = [...SINGLE_FIELDS, "model"] as const;
  return {
    from,
    on,
    was: Object.fromEntries(names.flatMap((name) => (name in was ? [[name, was[name]]] : []))),
  };
}
