// The indexes of files whose pieces have many sizes: the number and length of each, in the order of the file's bytes.
import type { StoredObject } from "../core/batches/file.ts";
import { asArray, asNumber, parseJson } from "../core/json/json.ts";
import type { ByteRange } from "../core/json/members.ts";
import { freeBytes } from "../core/world/free-bytes.ts";
import type { Pieces } from "./port.ts";

/** The parts of an index are pieces of the same object, behind all numbers that others have. */
const PARTS_FROM = 2 ** 40;
/** Few enough that a part is no longer than a piece may be. */
const PIECES_OF_PART = 16_384;

/** Returns the length of all. Pieces are read for it, so that one that is missing is noticed now. Throws FileMissing. */
export async function writeIndex(
  pieces: Pieces,
  { accountId, object }: StoredObject,
  numbers: AsyncIterable<number>,
): Promise<number> {
  let sum = 0;
  let part = PARTS_FROM;
  let entries: (readonly [number, number])[] = [];
  const write = async () => {
    await pieces.write(accountId, object, part++, new TextEncoder().encode(JSON.stringify(entries)));
    entries = [];
  };
  for await (const number of numbers) {
    const piece = await pieces.read(accountId, object, number);
    entries.push([number, piece.length]);
    sum += piece.length;
    freeBytes(piece);
    if (entries.length >= PIECES_OF_PART) await write();
  }
  if (entries.length > 0) await write();
  return sum;
}

/** Yields the bytes of a range that lies within the file. Throws FileMissing. */
export async function* readIndexed(
  pieces: Pieces,
  { accountId, object }: StoredObject,
  { from, to }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (let part = PARTS_FROM; start < to; part++) {
    for (const [number, bytes] of parsePart(await pieces.read(accountId, object, part))) {
      const end = start + bytes;
      if (start >= to) return;
      if (end > from) {
        const piece = await pieces.read(accountId, object, number);
        yield piece.subarray(Math.max(0, from - start), to - start);
      }
      start = end;
    }
  }
}

function parsePart(part: Uint8Array): readonly (readonly [number, number])[] {
  return asArray(parseJson(new TextDecoder().decode(part))).map((entry) => {
    const [number, bytes] = asArray(entry);
    return [asNumber(number) ?? 0, asNumber(bytes) ?? 0] as const;
  });
}
