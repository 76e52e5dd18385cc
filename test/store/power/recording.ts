// Reads the writes and syncs that `record.c` recorded, and writes the files as a power failure may leave them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HEAD_BYTES = 32;
const KINDS = { 1: "write", 2: "sync", 3: "synced", 4: "truncate" } as const;
const FILES = { 1: "database", 2: "log" } as const;
/** The disk writes whole sectors, in any order. */
const SECTOR_BYTES = 512;

export interface Step {
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  readonly file: (typeof FILES)[keyof typeof FILES];
  /** Of a write, or the length of a truncated file. For `synced`, the number of the step that began it. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** Unix milliseconds. */
  readonly atMs: number;
}

/** Builds the recorder into a folder. Returns its path, or null if there is no C compiler. */
export function buildRecorder(directory: string): string | null {
  const compiler = Bun.which("cc");
  if (compiler === null) return null;
  const path = join(directory, "record.so");
  const source = join(import.meta.dir, "record.c");
  const { success, stderr } = Bun.spawnSync([
    compiler,
    "-shared",
    "-fPIC",
    "-O1",
    "-o",
    path,
    source,
    "-ldl",
  ]);
  if (!success) throw new Error(`The recorder can't be built: ${stderr}`);
  return path;
}

export function readSteps(path: string): readonly Step[] {
  const all = readFileSync(path);
  const steps: Step[] = [];
  for (let at = 0; at + HEAD_BYTES <= all.length; ) {
    const kind = KINDS[all.readUInt32LE(at) as keyof typeof KINDS];
    const file = FILES[all.readUInt32LE(at + 4) as keyof typeof FILES];
    const length = kind === "write" ? Number(all.readBigUInt64LE(at + 16)) : 0;
    const from = at + HEAD_BYTES;
    steps.push({
      kind,
      file,
      offset: Number(all.readBigUInt64LE(at + 8)),
      bytes: all.subarray(from, from + length),
      atMs: Number(all.readBigUInt64LE(at + 24)) / 1e6,
    });
    at = from + length;
  }
  return steps;
}

/** The part that the disk had done of the writes that weren't synced. */
export type Survival = "none" | "all" | "some" | "torn";
export const SURVIVALS: readonly Survival[] = ["none", "all", "some", "torn"];

interface Failure {
  /** The number of steps before it. */
  readonly moment: number;
  readonly survival: Survival;
  readonly random: () => number;
}

/** Writes the store as it is found after a power failure to `path`. `before` is the database before the first step. */
export function writeSurvivor(steps: readonly Step[], before: string, path: string, failure: Failure): void {
  const done = steps.slice(0, failure.moment);
  const files = { database: new FileImage(readFileSync(before)), log: new FileImage(new Uint8Array()) };
  const syncedTo = { database: 0, log: 0 };
  for (const { kind, file, offset } of done)
    if (kind === "synced") syncedTo[file] = Math.max(syncedTo[file], offset);
  for (const [number, step] of done.entries()) {
    if (step.kind !== "write" && step.kind !== "truncate") continue;
    const image = files[step.file];
    if (number < syncedTo[step.file]) image.apply(step);
    else applySome(image, step, failure);
  }
  writeFileSync(path, files.database.bytes);
  writeFileSync(`${path}-wal`, files.log.bytes);
}

function applySome(image: FileImage, step: Step, { survival, random }: Failure): void {
  if (survival === "none") return;
  if (survival === "all" || step.kind === "truncate") {
    if (survival === "all" || random() < 0.5) image.apply(step);
    return;
  }
  if (survival === "some") {
    if (random() < 0.5) image.apply(step);
    return;
  }
  for (let at = 0; at < step.bytes.length; ) {
    // Sectors begin at multiples of their size in the file.
    const end = Math.min(step.bytes.length, at + SECTOR_BYTES - ((step.offset + at) % SECTOR_BYTES));
    if (random() < 0.5)
      image.apply({ ...step, offset: step.offset + at, bytes: step.bytes.subarray(at, end) });
    at = end;
  }
}

class FileImage {
  #bytes: Uint8Array;
  #length: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#length = bytes.length;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  apply({ kind, offset, bytes }: Pick<Step, "kind" | "offset" | "bytes">): void {
    const end = kind === "truncate" ? offset : Math.max(this.#length, offset + bytes.length);
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(2 * end);
      larger.set(this.bytes);
      this.#bytes = larger;
    }
    // A file that grows again has zeros there.
    if (end < this.#length) this.#bytes.fill(0, end, this.#length);
    this.#length = end;
    this.#bytes.set(bytes, offset);
  }
}
