// The pieces of a batch's results: none is written over by another block, or by a node that has lost the block.
import { expect, test } from "bun:test";
import { type Files, PIECE_BYTES } from "../../src/files/port.ts";
import { InputPieces } from "../../src/jobs/input-pieces.ts";
import { nameInput, numberPiece, writePieces } from "../../src/jobs/objects.ts";
import { makeBatch, makeBlock } from "../harness/batches.ts";
import { MemoryFiles } from "./job-world.ts";

test("each block and each lease has numbers of its own", () => {
  const blocks = [0, 1].flatMap((block) => [0, 1, 2].map((lease) => makeBlock("batch_1", block, { lease })));
  const numbers = blocks.flatMap((block) => [numberPiece(block, 0), numberPiece(block, 1)]);
  expect(new Set(numbers).size).toBe(12);
});

test("a piece of the input is read once for all lines in it, and a line may lie in two", async () => {
  const files = new MemoryFiles();
  const bytes = new Uint8Array(PIECE_BYTES + 100).map((_, at) => at % 251);
  const batch = makeBatch("batch_1", {}, { inputFileId: null, inputBytes: bytes.length });
  const send = async function* () {
    yield bytes;
  };
  await writePieces(files, { accountId: "default", object: nameInput(batch) }, send());
  let reads = 0;
  const { read } = files.pieces;
  const counted: Files["pieces"] = {
    ...files.pieces,
    read: (...place) => {
      reads++;
      return read(...place);
    },
  };
  const pieces = new InputPieces(Object.assign(files, { pieces: counted }));
  const places = [0, 10, 5000, PIECE_BYTES - 20, PIECE_BYTES + 10].map((from) => ({ from, to: from + 40 }));
  const bodies = await Promise.all(places.map((place) => pieces.read(batch, place)));
  expect(bodies).toEqual(places.map(({ from, to }) => bytes.slice(from, to)));
  expect(reads).toBe(2);
});

test("a reader of one line after another frees each piece behind it", async () => {
  const files = new MemoryFiles();
  const bytes = new Uint8Array(2 * PIECE_BYTES);
  const batch = makeBatch("batch_1", {}, { inputFileId: null, inputBytes: bytes.length });
  const send = async function* () {
    yield bytes;
  };
  await writePieces(files, { accountId: "default", object: nameInput(batch) }, send());
  const read: Uint8Array[] = [];
  const { pieces } = files;
  const kept: Files["pieces"] = {
    ...pieces,
    read: async (...place) => {
      const piece = await pieces.read(...place);
      read.push(piece);
      return piece;
    },
  };
  const inTurn = new InputPieces(files.withPieces(kept), true);
  for (const from of [0, 500, PIECE_BYTES]) await inTurn.read(batch, { from, to: from + 40 });
  expect(read.map(({ length }) => length)).toEqual([0, PIECE_BYTES]);
});

test("a stream becomes full pieces and a last one", async () => {
  const files = new MemoryFiles();
  const bytes = new Uint8Array(2.5 * PIECE_BYTES).map((_, at) => at % 251);
  const stream = async function* () {
    for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
  };
  expect(await writePieces(files, { accountId: "default", object: "input" }, stream())).toBe(bytes.length);
  const pieces = [...(files.objects.get("input") ?? [])].map(([, piece]) => piece);
  expect(pieces.map(({ length }) => length)).toEqual([PIECE_BYTES, PIECE_BYTES, PIECE_BYTES / 2]);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});
