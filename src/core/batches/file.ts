// Files that clients upload and that batches make, and their port to the store.
import { Fault } from "../faults/fault.ts";
import type { Scope } from "../people/people.ts";

/** Those who see a file: a personal key's member within its account, or the account's service keys. */
export interface FileOwner {
  readonly accountId: string;
  /** Null for service keys. */
  readonly memberId: string | null;
}

/** The forms of the routes that make files. A file is listed in its own form alone. */
export const FILE_FORMS = ["openai", "anthropic"] as const;
export type FileForm = (typeof FILE_FORMS)[number];

export interface StoredFile {
  /** `file-…` in OpenAI's form, `file_…` in Anthropic's. */
  readonly id: string;
  readonly form: FileForm;
  readonly owner: FileOwner;
  readonly keyId: string;
  readonly name: string;
  readonly purpose: string;
  /** The media type. */
  readonly type: string;
  readonly bytes: number;
  readonly createdMs: number;
  readonly expiresMs: number;
}

/** The bytes and number of files. */
interface FileSum {
  readonly bytes: number;
  readonly files: number;
}

/** The files to list: those that match every field given. */
export interface FileQuery {
  readonly accountId?: string | undefined;
  /** Only files of this owner. */
  readonly owner?: FileOwner | undefined;
  readonly scope?: Scope | undefined;
  readonly id?: string | undefined;
  readonly form?: FileForm | undefined;
  readonly purpose?: string | undefined;
  /** Files that end after this time, which are those that exist for clients. */
  readonly aliveMs?: number | undefined;
  /** Files that ended before this time. */
  readonly endedMs?: number | undefined;
  readonly order: "newest" | "oldest";
  readonly limit: number;
  /** The file behind which the list begins. */
  readonly after?: Pick<StoredFile, "createdMs" | "id"> | null | undefined;
}

/** Pieces of sealed bytes, by account, object and number. */
export interface PieceStore {
  /** Returns when the piece would survive a power failure. Replaces one of the same number. */
  write(accountId: string, object: string, number: number, sealed: Uint8Array): Promise<void>;
  /** Null if there is none. */
  read(accountId: string, object: string, number: number): Promise<Uint8Array | null>;
  /** Removes pieces of an object, or all. */
  remove(accountId: string, object: string, numbers?: readonly number[]): Promise<void>;
  /** The objects whose last piece was written before a time (Unix milliseconds). */
  listBefore(beforeMs: number): Promise<readonly StoredObject[]>;
  /** The disk that they lie on. Null if it is a server's. */
  measureDisk(): Promise<DiskSpace | null>;
}

export interface StoredObject {
  readonly accountId: string;
  readonly object: string;
}

interface DiskSpace {
  readonly freeBytes: number;
  readonly bytes: number;
}

export interface FileStore {
  /** Adds a file unless its account would then have more than this. Returns false if it would. */
  add(file: StoredFile, most: FileSum): Promise<boolean>;
  list(query: FileQuery): Promise<readonly StoredFile[]>;
  /** Returns false if there was none. Its pieces stay. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** The sum of an account's files, or of all. */
  sum(accountId: string | null): Promise<FileSum>;
  readonly pieces: PieceStore;
}

/** Tells whether batches read a file. */
export interface FileUse {
  /** True while a batch has lines that may read the file. */
  isFileInUse(id: string): Promise<boolean>;
}

/** Throws the Fault `file_in_use` while a batch reads the file. */
export async function checkUnused(use: FileUse, id: string): Promise<void> {
  if (!(await use.isFileInUse(id))) return;
  const message = `The file '${id}' is read by a batch that has lines left. Cancel the batch first, or wait until they have ended.`;
  throw new Fault("file_in_use", message, { param: "file_id" });
}
