// Writes a folder as npm's kind of tarball. Times, owners and modes are fixed, so that equal files give equal bytes.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const BLOCK = 512;
/** All files of npm's tarballs have this time: 26 October 1985, in seconds. */
const TIME = 499_162_500;
const MODE = 0o644;
const PROGRAM_MODE = 0o755;
const NAME_BYTES_MAX = 100;
/** The sum of a header's bytes begins here in it. It is summed with spaces in its place. */
const SUM_AT = 148;
const SUM_BYTES = 8;
/** The byte of gzip's header that names the system, and the value for an unknown one. */
const SYSTEM_AT = 9;
const UNKNOWN = 255;

/** Throws for a path that is too long. `programs` are the paths of the files that can be run. */
export function writeTarball(folder: string, programs: readonly string[]): Uint8Array {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
  const parts = paths.flatMap((path) => {
    const bytes = readFileSync(join(folder, path));
    const mode = programs.includes(path) ? PROGRAM_MODE : MODE;
    return [writeHeader(`package/${path}`, bytes.length, mode), pad(bytes)];
  });
  const gzip = Bun.gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  gzip[SYSTEM_AT] = UNKNOWN;
  return gzip;
}

function writeHeader(name: string, size: number, mode: number): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) throw new Error(`${name} is too long for a tarball`);
  const header = Buffer.alloc(BLOCK);
  const fields = [
    [0, name],
    [100, octal(mode, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(size, 11)],
    [136, octal(TIME, 11)],
    [SUM_AT, " ".repeat(SUM_BYTES)],
    [156, "0"],
    [257, "ustar\0" + "00"],
  ] as const;
  for (const [at, text] of fields) header.write(text, at);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, SUM_AT);
  return header;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

/** Fills the last block. */
function pad(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}
