// The operator's catalogue file: written whole, or not at all.
import { renameSync, writeFileSync } from "node:fs";

/** A gateway that reads the file meanwhile reads the old one or the new one. Throws if it can't be written. */
export function replaceCatalogueFile(path: string, text: string): void {
  const beside = `${path}.new`;
  writeFileSync(beside, text);
  renameSync(beside, path);
}
