// Files that are written whole, or not at all.
import { randomBytes } from "node:crypto";
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** A reader sees the old file or the new one, whatever ends this process. Throws if it can't be written. */
export function writeWhole(file: string, content: string | Uint8Array, mode: number): void {
  renameSync(writeBeside(file, content, mode), file);
}

/** Returns the path of a new file beside this one, which a power failure doesn't take back once it is renamed. */
export function writeBeside(file: string, content: string | Uint8Array, mode: number): string {
  const beside = `${file}.${randomBytes(6).toString("hex")}.new`;
  const opened = openSync(beside, "wx", mode);
  try {
    fchmodSync(opened, mode);
    writeFileSync(opened, content);
    fsyncSync(opened);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  } finally {
    closeSync(opened);
  }
  return beside;
}
