// Files in sealed pieces: written from streams within the account's room, read by ranges, and swept once they have ended.
import { checkUnused, type FileOwner, type StoredFile, type StoredObject } from "../core/batches/file.ts";
import { Fault } from "../core/faults/fault.ts";
import type { ByteRange } from "../core/json/members.ts";
import type { FilesPorts } from "./files-ports.ts";
import { MissingPieces } from "./missing-pieces.ts";
import { readIndexed, writeIndex } from "./piece-index.ts";
import {
  type FileList,
  type Files,
  type NewFile,
  PIECE_BYTES,
  type Pieces,
  RESULTS,
  type RoomLeft,
} from "./port.ts";
import { Room } from "./room.ts";
import { SealedPieces } from "./sealed-pieces.ts";
import { UploadSlots } from "./upload-slots.ts";

/** The fields of a file that are known before its bytes arrive. */
type StartedFile = Pick<NewFile, "id" | "form" | "owner" | "keyId" | "createdMs">;

/** The disk is looked at once in this many pieces. */
const LOOK_PIECES = 16;

export class KeptFiles implements Files {
  readonly pieces: Pieces;
  readonly room: Room;
  readonly missing: MissingPieces;
  readonly uploads: UploadSlots;
  readonly #ports: FilesPorts;

  constructor(ports: FilesPorts) {
    this.#ports = ports;
    this.missing = new MissingPieces(ports);
    this.pieces = new SealedPieces(ports.store.files.pieces, ports.vault, this.missing);
    this.room = new Room(ports);
    this.uploads = new UploadSlots(ports.store);
  }

  save(file: NewFile, bytes: AsyncIterable<Uint8Array>): Promise<StoredFile> {
    return this.saveForm(file, bytes, () => file);
  }

  /** The same for a file of which more is known at the end of the stream, when `readRest` is called. It may throw, too. */
  async saveForm(
    file: StartedFile,
    bytes: AsyncIterable<Uint8Array>,
    readRest: () => Omit<NewFile, keyof StartedFile>,
  ): Promise<StoredFile> {
    const { accountId } = file.owner;
    try {
      const written = await this.#writePieces(file, bytes);
      const stored: StoredFile = { ...file, ...readRest(), bytes: written };
      await this.room.add(stored);
      await this.#ports.store.durable();
      return stored;
    } catch (error) {
      // Pieces that can't be removed now are swept later, since no row names them.
      await this.#ports.store.files.remove(accountId, file.id).catch(() => {});
      await this.pieces.remove(accountId, file.id).catch(() => {});
      throw error;
    }
  }

  async find(id: string, owner: FileOwner): Promise<StoredFile | null> {
    const aliveMs = this.#ports.clock.nowMs();
    const [file] = await this.#ports.store.files.list({ id, owner, aliveMs, order: "newest", limit: 1 });
    return file ?? null;
  }

  async assemble(file: NewFile, numbers: AsyncIterable<number>): Promise<StoredFile> {
    const place = { accountId: file.owner.accountId, object: file.id };
    return { ...file, bytes: await writeIndex(this.pieces, place, numbers) };
  }

  read({ id, owner, bytes, purpose }: StoredFile, from: number, to: number): AsyncGenerator<Uint8Array> {
    const place = { accountId: owner.accountId, object: id };
    const range = { from: Math.max(0, from), to: Math.min(to, bytes) };
    return purpose === RESULTS ? readIndexed(this.pieces, place, range) : this.#readFull(place, range);
  }

  /** Reads a file whose pieces but the last are full. */
  async *#readFull({ accountId, object }: StoredObject, { from, to: end }: ByteRange) {
    for (let at = from; at < end; ) {
      const number = Math.floor(at / PIECE_BYTES);
      const start = number * PIECE_BYTES;
      const piece = await this.pieces.read(accountId, object, number);
      yield piece.subarray(at - start, end - start);
      at = start + PIECE_BYTES;
    }
  }

  list(owner: FileOwner, list: FileList): Promise<readonly StoredFile[]> {
    return this.#ports.store.files.list({ ...list, owner, aliveMs: this.#ports.clock.nowMs() });
  }

  async remove(id: string, owner: FileOwner): Promise<boolean> {
    const file = await this.find(id, owner);
    if (file === null) return false;
    await checkUnused(this, id);
    const isRemoved = await this.#ports.store.files.remove(owner.accountId, id);
    await this.pieces.remove(owner.accountId, id);
    return isRemoved;
  }

  isFileInUse(id: string): Promise<boolean> {
    return this.#ports.users.isFileInUse(id);
  }

  measureRoom(accountId: string): Promise<RoomLeft> {
    return this.room.measure(accountId);
  }

  /** Returns how many bytes were written. */
  async #writePieces({ id, owner: { accountId } }: StartedFile, bytes: AsyncIterable<Uint8Array>) {
    const look = () => this.room.measure(accountId);
    let room = await look();
    const check = (more: number) => {
      const why = room.lacks(more, 1);
      if (why !== null) throw new Fault("storage_limit_exceeded", why);
    };
    check(0);
    const piece = new Uint8Array(PIECE_BYTES);
    let filled = 0;
    let number = 0;
    const write = async () => {
      await this.pieces.write(accountId, id, number, piece.subarray(0, filled));
      filled = 0;
      number++;
      if (number % LOOK_PIECES === 0) room = await look();
    };
    for await (const part of bytes) {
      for (let at = 0; at < part.length; ) {
        const taken = part.subarray(at, at + PIECE_BYTES - filled);
        piece.set(taken, filled);
        filled += taken.length;
        at += taken.length;
        check(number * PIECE_BYTES + filled);
        if (filled === PIECE_BYTES) await write();
      }
    }
    const written = number * PIECE_BYTES + filled;
    if (filled > 0) await write();
    return written;
  }
}
