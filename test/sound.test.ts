// The length of sound files, from their containers or else from their size, and hostile files.
import { describe, expect, test } from "bun:test";
import { Attachment } from "../src/core/attachment.ts";
import { measureSeconds } from "../src/http/sound.ts";
import { makeWav } from "./media/world.ts";

const HOSTILE_BYTES = 8_000_000;
/** At 32 kbit/s. */
const SECONDS_BY_SIZE = HOSTILE_BYTES / 4000;

const attach = (bytes: Uint8Array, type = "audio/wav") => new Attachment("a", type, new Uint8Array(bytes));

test("the container gives the length, whatever type the client declares", async () => {
  const wav = new Uint8Array(await makeWav(7).arrayBuffer());
  for (const type of ["audio/wav", "", "audio/mpeg", "text/html"])
    expect(await measureSeconds(attach(wav, type))).toBe(7);
});

test("without a length, the size is used", async () => {
  expect(await measureSeconds(attach(new Uint8Array(40_000)))).toBe(10);
  expect(await measureSeconds(attach(new Uint8Array(1)))).toBe(1);
});

/** A file of many tiny boxes or pages. */
function repeat(head: string, at: number, box: readonly number[] | string): Uint8Array {
  const bytes = Buffer.alloc(HOSTILE_BYTES);
  const unit = Buffer.from(typeof box === "string" ? Buffer.from(box, "latin1") : box);
  bytes.fill(unit, at);
  bytes.write(head, 0, "latin1");
  return bytes;
}

describe("a file with millions of boxes is only read up to a bound", () => {
  const HOSTILE: readonly (readonly [string, Uint8Array])[] = [
    ["chunks of WAV", repeat("RIFF\xf8\xff\x79\0WAVE", 12, "junk\0\0\0\0")],
    ["boxes of MP4", repeat("\0\0\0\x08ftyp", 8, "\0\0\0\x08free")],
    ["pages of Ogg", repeat("", 0, `OggS${"\0".repeat(22)}\x01\0`)],
    ["chunks of AIFF", repeat("FORM\0\x79\xff\xf8AIFF", 12, "ANNO\0\0\0\0")],
    ["blocks of FLAC", repeat("fLaC", 4, [1, 0, 0, 0])],
    [
      "elements of Matroska",
      repeat("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\0\0\0\x7f\xff\xff\xff", 17, [0xec, 0x80]),
    ],
  ];
  for (const [name, bytes] of HOSTILE) {
    // Without the bound each blocks the loop for seconds, with it for some 10 ms.
    test(name, async () => {
      expect(await measureSeconds(attach(bytes))).toBe(SECONDS_BY_SIZE);
    });
  }
});
