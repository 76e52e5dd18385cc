// The pieces of a batch's results: none is written over by another block, or by a node that has lost the block.
import { expect, test } from "bun:test";
import { PIECE_BYTES } from "../../src/files/port.ts";
import { nextPiece, writePieces } from "../../src/jobs/objects.ts";
import { makeBlock } from "../harness/batches.ts";
import { MemoryFiles } from "./job-world.ts";

test("each block and each lease has numbers of its own", () => {
  const pieces = [{ number: 0, kind: "o", bytes: 1 }] as const;
  const blocks = [0, 1].flatMap((block) => [0, 1, 2].map((lease) => makeBlock("batch_1", block, { lease })));
  const numbers = blocks.flatMap((block) => [nextPiece(block), nextPiece({ ...block, pieces })]);
  expect(new Set(numbers).size).toBe(12);
});

test("a stream becomes full pieces and a last one", async () => {
  const files = new MemoryFiles();
  const bytes = new Uint8Array(2.5 * PIECE_BYTES).map((_, at) => at % 251);
  const stream = async function* () {
    for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
  };
  expect(await writePieces(files, "default", "input", stream())).toBe(bytes.length);
  const pieces = [...(files.objects.get("input") ?? [])].map(([, piece]) => piece);
  expect(pieces.map(({ length }) => length)).toEqual([PIECE_BYTES, PIECE_BYTES, PIECE_BYTES / 2]);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});
