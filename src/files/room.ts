// The room that is left for files: of their account, of all accounts, and on the disk.

import type { PieceStore, StoredFile } from "../core/batches/file.ts";
import { Fault } from "../core/faults/fault.ts";
import type { FilesPorts } from "./files-ports.ts";
import type { RoomLeft } from "./port.ts";

/** The most files of an account. */
const FILES_MAX = 10_000;
/** No upload starts while the disk has less free than the greater of these. */
const FREE_BYTES_MIN = 2_000_000_000;
const FREE_SHARE_MIN = 0.1;

const TOO_MANY = `This account has ${FILES_MAX} files, and may have no more. Delete some of them.`;
const GATEWAY_FULL = "The gateway has no room for more files. Please try again later.";

export class Room {
  readonly #ports: Pick<FilesPorts, "store" | "rules" | "users">;

  constructor(ports: Pick<FilesPorts, "store" | "rules" | "users">) {
    this.#ports = ports;
  }

  async measure(accountId: string): Promise<RoomLeft> {
    const { store, rules, users } = this.#ports;
    const { accountBytesMax, bytesMax } = rules();
    const own = await store.files.sum(accountId);
    const files = FILES_MAX - own.files;
    const isShort = (await explainShortDisk(store.files.pieces)) !== null;
    if (isShort)
      return makeRoom({ bytes: -1, files }, "The gateway's disk is nearly full. Please try again later.");
    const used = own.bytes + (await users.countBytes(accountId));
    const left = accountBytesMax === 0 ? -1 : accountBytesMax - used;
    const all = (await store.files.sum(null)).bytes + (await users.countBytes(null));
    return left <= bytesMax - all
      ? makeRoom({ bytes: left, files }, explainAccount(accountBytesMax))
      : makeRoom({ bytes: bytesMax - all, files }, GATEWAY_FULL);
  }

  /** Adds a file's row. Throws the Fault `storage_limit_exceeded` if its account has no room for it. */
  async add(file: StoredFile): Promise<void> {
    const { store, rules, users } = this.#ports;
    const { accountId } = file.owner;
    const { accountBytesMax } = rules();
    const most = { bytes: accountBytesMax - (await users.countBytes(accountId)), files: FILES_MAX };
    if (await store.files.add(file, most)) return;
    const { files } = await store.files.sum(accountId);
    const why = files < FILES_MAX ? explainAccount(accountBytesMax) : TOO_MANY;
    throw new Fault("storage_limit_exceeded", why);
  }
}

function makeRoom({ bytes, files }: Pick<RoomLeft, "bytes" | "files">, full: string): RoomLeft {
  return {
    bytes,
    files,
    lacks: (more, added = 0) => (bytes < more ? full : files < added ? TOO_MANY : null),
  };
}

/** Returns how the disk lacks space for files, in words. Null if it doesn't, or is a server's. */
export async function explainShortDisk(pieces: Pick<PieceStore, "measureDisk">): Promise<string | null> {
  const disk = await pieces.measureDisk();
  if (disk === null) return null;
  const least = Math.max(FREE_BYTES_MIN, disk.bytes * FREE_SHARE_MIN);
  if (disk.freeBytes >= least) return null;
  return `files: uploads are refused, because the disk has ${toMegabytes(disk.freeBytes)} MB free, less than ${toMegabytes(least)} MB`;
}

function explainAccount(bytesMax: number): string {
  if (bytesMax === 0) return "This gateway keeps no files.";
  return `This account's files may take ${bytesMax} bytes together (files.max_bytes_per_account). Delete some of them.`;
}

function toMegabytes(bytes: number): number {
  return Math.floor(bytes / 1e6);
}
