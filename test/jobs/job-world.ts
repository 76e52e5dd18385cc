// The parts that days of batches and tests of their pace share: files in memory, a runner's ports, a batch to run.
import type { Batch } from "../../src/core/batches/batch.ts";
import type { StoredFile } from "../../src/core/batches/file.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import type { BatchRules } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import { readIndexed, writeIndex } from "../../src/files/piece-index.ts";
import { FileMissing, type Files, PIECE_BYTES, RESULTS, type RoomLeft } from "../../src/files/port.ts";
import { BATCH_WORDS } from "../../src/http/batches/words.ts";
import type { KeptBatches } from "../../src/jobs/kept-batches.ts";
import type { JobPorts } from "../../src/jobs/ports.ts";
import { addKey } from "../harness/samples.ts";

export const LINE_COST = 7;
export const DAY_MS = 86_400_000;
/** The lines that a runner has in flight at once. */
export const PARALLEL = 8;

const RULES: BatchRules = {
  isOn: true,
  parallelMax: PARALLEL,
  perAccountMax: PARALLEL,
  linesMax: 10_000,
  bytesMax: 1e6,
  unfinishedMax: 9,
  windowMs: DAY_MS,
  modelWaitMs: DAY_MS / 4,
  keepMs: 30 * DAY_MS,
  triesMax: 4,
};

/** Files in memory. */
export class MemoryFiles implements Files {
  readonly objects = new Map<string, Map<number, Uint8Array>>();
  readonly files = new Map<string, StoredFile>();
  /** The objects of which pieces turned out to be missing. */
  readonly noted: string[] = [];
  readonly missing = { note: ({ object }: { readonly object: string }) => void this.noted.push(object) };

  pieces: Files["pieces"] = {
    write: async (_account, object, number, bytes) => {
      this.objects.getOrInsertComputed(object, () => new Map()).set(number, bytes.slice());
    },
    read: async (_account, object, number) => {
      const piece = this.objects.get(object)?.get(number);
      if (piece === undefined) throw new FileMissing(object, number);
      return piece.slice();
    },
    remove: async (_account, object, numbers) => {
      if (numbers === undefined) this.objects.delete(object);
      else for (const number of numbers) this.objects.get(object)?.delete(number);
    },
  };

  /** The same files, whose pieces go another way. */
  withPieces(pieces: Files["pieces"]): MemoryFiles {
    return Object.assign(Object.create(this), { pieces });
  }

  async save(file: Omit<StoredFile, "bytes">, bytes: AsyncIterable<Uint8Array>): Promise<StoredFile> {
    const parts = await this.collect(file.id, bytes);
    const all = new Uint8Array(Buffer.concat(parts));
    for (let at = 0; at < all.length; at += PIECE_BYTES)
      await this.pieces.write("default", file.id, at / PIECE_BYTES, all.subarray(at, at + PIECE_BYTES));
    const stored = { ...file, bytes: all.length };
    this.files.set(file.id, stored);
    return stored;
  }

  /** Nothing is left of a file if it fails. */
  async collect(id: string, bytes: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
    try {
      return await Array.fromAsync(bytes);
    } catch (error) {
      await this.remove(id);
      throw error;
    }
  }

  find = async (id: string) => this.files.get(id) ?? null;

  async assemble(...[file, numbers]: Parameters<Files["assemble"]>): Promise<StoredFile> {
    const bytes = await writeIndex(this.pieces, { accountId: "default", object: file.id }, numbers);
    return { ...file, bytes };
  }

  async *read({ id, purpose }: StoredFile, from: number, to: number) {
    if (purpose === RESULTS) {
      yield* readIndexed(this.pieces, { accountId: "default", object: id }, { from, to });
      return;
    }
    const whole = this.objects.get(id)?.get(0);
    if (whole === undefined) throw new FileMissing(id, 0);
    // A copy, since the reader may free it.
    yield whole.slice(from, to);
  }

  list = async () => [];

  async remove(id: string) {
    this.objects.delete(id);
    return this.files.delete(id);
  }

  measureRoom = async (_account: string): Promise<RoomLeft> => ENDLESS;
}

const ENDLESS: RoomLeft = { bytes: 1e12, files: 10_000, lacks: () => null };

interface JobWorld {
  readonly store: Store;
  readonly clock: JobPorts["clock"];
  readonly files: Files;
}

/** The ports of a runner that meets no trouble, but for those given. */
export function makeJobPorts(
  { store, clock, files }: JobWorld,
  own: Pick<JobPorts, "call"> & Partial<JobPorts>,
  rules: Partial<BatchRules> = {},
): JobPorts {
  const all = { ...RULES, ...rules };
  return {
    store,
    files,
    clock,
    log: () => {},
    rules: () => all,
    fileRules: () => ({ bytesMax: 1e9, accountBytesMax: 1e9, fileBytesMax: 1e9, keepMs: DAY_MS }),
    bodyBytesMax: 1_000_000,
    words: BATCH_WORDS,
    findKey: (id) => addKey(store, id),
    replay: async ({ reply }) => ({ status: 200, body: reply.sealed ?? "" }),
    readOutputs: async () => new Map(),
    estimate: async () => ({ expectedNanoUsd: LINE_COST, worstNanoUsd: 2 * LINE_COST }),
    isBusy: () => false,
    singles: { entered: 0, singles: 0, working: 0 },
    nextTurn: queueMicrotask,
    ...own,
  };
}

interface ResultLine {
  readonly custom_id: string;
  readonly response: { readonly body: { readonly error?: { readonly code: string } } } | null;
}

/** Returns the lines in a file of results. */
export async function readResults(
  { store, files }: Pick<JobWorld, "store" | "files">,
  id: string | null,
): Promise<readonly ResultLine[]> {
  if (id === null) return [];
  const [file] = await store.files.list({ id, order: "newest", limit: 1 });
  if (file === undefined) throw new Error(`There is no file ${id}.`);
  const whole = Buffer.concat(await Array.fromAsync(files.read(file, 0, file.bytes))).toString();
  return whole
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Returns the ids of the lines in a file of results. */
export async function readIds(
  world: Pick<JobWorld, "store" | "files">,
  id: string | null,
): Promise<readonly string[]> {
  return (await readResults(world, id)).map(({ custom_id }) => custom_id);
}

/** Adds a batch with so many lines, and its input. `modelOf` names the model of a line. */
export async function addBatch(
  kept: KeptBatches,
  { store, files }: Pick<JobWorld, "store" | "files">,
  id: string,
  lines: number,
  modelOf?: (at: number) => string,
): Promise<Batch> {
  return addOwnBatch(await addKey(store, "key_a"), kept, files, { id, lines, modelOf });
}

interface BatchPlan {
  readonly id: string;
  readonly lines: number;
  readonly modelOf?: ((at: number) => string) | undefined;
}

/** Adds a key's batch. */
export async function addOwnBatch(
  key: GatewayKey,
  kept: KeptBatches,
  files: Files,
  { id, lines, modelOf = () => "m" }: BatchPlan,
): Promise<Batch> {
  const text = Array.from({ length: lines }, (_, at) => writeLine(`line-${at}`, modelOf(at))).join("\n");
  const input = new TextEncoder().encode(text);
  const file = { id: `file-${id}`, name: "in", purpose: "batch", type: "", createdMs: 0, expiresMs: DAY_MS };
  const owner = { accountId: key.accountId, memberId: key.memberId };
  const save = async function* () {
    yield input;
  };
  await files.save({ ...file, form: "openai", owner, keyId: key.id }, save());
  return kept.add(key, {
    id,
    surface: "openai-batches",
    endpoint: "/v1/chat/completions",
    window: "24h",
    windowMs: DAY_MS,
    metadata: null,
    headers: {},
    inputFileId: file.id,
    inputBytes: input.length,
    lines: 0,
    outputSeconds: null,
    claim: null,
    bodyDigest: "",
    maxCostNanoUsd: null,
  });
}

function writeLine(customId: string, model: string): string {
  const body = { model, messages: [] };
  return JSON.stringify({ custom_id: customId, method: "POST", url: "/v1/chat/completions", body });
}
