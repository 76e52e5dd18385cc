// The files that an import reads, within a bound of size.
import { type CsvTable, parseCsv } from "../../moving/csv-rows.ts";
import { readInputFile } from "../input-file.ts";

const BYTES_MAX = 512_000_000;

export function readBytes(path: string): Buffer {
  const bytes = readInputFile(path);
  if (bytes.length > BYTES_MAX) throw new Error(`${path} is larger than ${BYTES_MAX / 1_000_000} MB`);
  return bytes;
}

/** Throws an Error with the file's name. */
export function readCsv(path: string): CsvTable {
  const text = readBytes(path).toString("utf8");
  try {
    return parseCsv(text);
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
