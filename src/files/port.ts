// The port of files: what a client uploads, what a batch reads and writes, and the sealed pieces that hold both.
import type { FileOwner, FileQuery, StoredFile, StoredObject } from "../core/batches/file.ts";

/** All pieces of an uploaded file but its last have this size, so that a range is arithmetic. A piece has no more. */
export const PIECE_BYTES = 1_048_576;

/** The purpose of results. The pieces of such a file are those that they were written as, of any size: an index names them. */
export const RESULTS = "batch_output";

/** Sealed bytes by object and piece. Each is bound to its account, object and number: none opens in another's place. */
export interface Pieces {
  /** Returns when the piece would survive a power failure. Writing a number again replaces it. */
  write(accountId: string, object: string, number: number, bytes: Uint8Array): Promise<void>;
  /** Throws FileMissing if it isn't there or doesn't unseal. */
  read(accountId: string, object: string, number: number): Promise<Uint8Array>;
  /** Removes pieces of an object, or all. None is no error. */
  remove(accountId: string, object: string, numbers?: readonly number[]): Promise<void>;
}

/** A list of an owner's files in one form. */
export type FileList = Pick<FileQuery, "form" | "purpose" | "order" | "limit" | "after">;

export type NewFile = Omit<StoredFile, "bytes">;

export interface Files {
  readonly pieces: Pieces;
  /** Takes note, for the operator, that pieces of an object are missing that should be there. */
  readonly missing: { note(object: StoredObject, reason: string): void };
  /**
   * Writes a stream as a file, which is seen once all of it would survive a power failure. Throws the Fault
   * `storage_limit_exceeded` beyond the quota, and what the stream throws. Nothing is left if it fails.
   */
  save(file: NewFile, bytes: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  /**
   * Makes a file of results out of pieces that lie in the object of its id, in this order, and returns its row, which its
   * batch adds. It may be made again. Throws FileMissing.
   */
  assemble(file: NewFile, numbers: AsyncIterable<number>): Promise<StoredFile>;
  /** The owner's file of any form, or null. */
  find(id: string, owner: FileOwner): Promise<StoredFile | null>;
  /** Yields the bytes from `from` (inclusive) to `to` (exclusive), in pieces of the reader's own. Throws FileMissing. */
  read(file: StoredFile, from: number, to: number): AsyncIterable<Uint8Array>;
  list(owner: FileOwner, list: FileList): Promise<readonly StoredFile[]>;
  /** Returns false if the owner has none. Throws the Fault `file_in_use` while a batch reads it. */
  remove(id: string, owner: FileOwner): Promise<boolean>;
  measureRoom(accountId: string): Promise<RoomLeft>;
}

/** The room that an account has left. */
export interface RoomLeft {
  /** Below zero beyond a quota. */
  readonly bytes: number;
  readonly files: number;
  /** Returns why no more of them fit (`storage_limit_exceeded`), or null if they do. */
  lacks(bytes: number, files?: number): string | null;
}

/** A piece that isn't there, or that doesn't unseal in its place. */
export class FileMissing extends Error {
  readonly object: string;

  constructor(object: string, number: number, options?: ErrorOptions) {
    super(`Piece ${number} of ${object} is missing or damaged.`, options);
    this.object = object;
  }
}
