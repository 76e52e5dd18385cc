// Crafted sound files: however large or odd, only a bounded part of them is read.
import { describe, expect, test } from "bun:test";
import { BYTES_READ_MAX, SoundBytes } from "../../../src/operations/transcription/sound/bytes.ts";
import { measureSeconds, readSound } from "../../../src/operations/transcription/sound/length.ts";
import { concat, makeBox, makeMp4, makeTag, text, u32 } from "./files.ts";

const SMALL = 2_000_000;
const LARGE = 24_000_000;
/** The longest single read: of the end of an Ogg file. */
const TAIL_BYTES = 65_536;

/** Fills that many bytes with copies of a unit. */
function fill(size: number, unit: string, head = ""): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(size);
  bytes.fill(text(unit));
  bytes.write(head, 0, "latin1");
  return new Uint8Array(bytes);
}

const FRAMES = concat(u32(0xfffb9000), new Uint8Array(413), u32(0xfffb9000), new Uint8Array(413));
/** An ID3 text frame that fills the tag. */
const makeText = (size: number) =>
  concat(text("TXXX"), makeTag(size).subarray(6, 10), text("\0\0\0"), fill(size - 11, "a\0b/;"));

type MakeFile = (size: number) => Uint8Array<ArrayBuffer>;

/** Files whose headers say their length. */
const TAGGED: readonly (readonly [string, MakeFile])[] = [
  ["an MP3 with one long text in its tag", (size) => concat(makeTag(size, makeText(size)), FRAMES)],
  [
    "an MP3 with a tag of tiny frames",
    (size) => concat(makeTag(size, fill(size, "TXXX\0\0\0\x01\0\0\0")), FRAMES),
  ],
  [
    "a FLAC with millions of comments",
    (size) =>
      concat(
        text("fLaC"),
        u32(34),
        new Uint8Array(10),
        u32(0x01f400f0),
        u32(8000),
        new Uint8Array(16),
        u32(0x84000000 + Math.min(size, 0xffffff)),
        fill(size, "\x03\0\0\0a=b"),
      ),
  ],
  [
    "an MP4 with millions of samples in its tables",
    (size) => {
      const tables = makeBox(
        "stbl",
        makeBox("stts", fill(size / 2, "\0\0\0\x01")),
        makeBox("stsz", fill(size / 2, "\x01")),
      );
      const head = makeMp4({ seconds: 1 });
      return concat(head, makeBox("free", makeBox("trak", makeBox("mdia", makeBox("minf", tables)))));
    },
  ],
];

const ENDLESS: readonly (readonly [string, MakeFile])[] = [
  ["chunks of WAV", (size) => fill(size, "junk\0\0\0\0", "RIFF\xf8\xff\x79\0WAVEdata\x04\0\0\0")],
  [
    "data chunks of WAV",
    (size) => concat(text("RIFF\xf8\xff\x79\0WAVE"), fill(size - 12, "data\x01\0\0\0ab")),
  ],
  ["boxes of MP4", (size) => fill(size, "\0\0\0\x08free", "\0\0\0\x08ftyp")],
  ["boxes within boxes of MP4", (size) => fill(size, "\x7f\xff\xff\xffmoov", "\0\0\0\x08ftyp")],
  [
    "tracks of MP4",
    (size) => concat(makeBox("ftyp"), makeBox("moov", fill(size, "\0\0\0\x10trak\0\0\0\x08mdia"))),
  ],
  ["pages of Ogg", (size) => fill(size, `OggS\0\x02${"\0".repeat(20)}\x01\0`)],
  [
    "marks of Ogg pages",
    (size) => fill(size, "OggS", `OggS\0\x02${"\0".repeat(20)}\x01\x13OpusHead${"\0".repeat(8)}`),
  ],
  ["chunks of AIFF", (size) => fill(size, "ANNO\0\0\0\0", "FORM\0\x79\xff\xf8AIFF")],
  ["blocks of FLAC", (size) => fill(size, "\x01\0\0\0", "fLaC")],
  [
    "elements of Matroska",
    (size) => {
      const head = text("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff");
      return concat(head, fill(size, "\xec\x80"));
    },
  ],
  [
    "tracks of Matroska",
    (size) =>
      concat(
        text("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff\x16\x54\xae\x6b\xff"),
        fill(size, "\xae\x82\xec\x80"),
      ),
  ],
  ["frames of ADTS", (size) => fill(size, "\xff\xf1\x50\x80\x01\x1f\xfc\0")],
  ["beginnings of MP3 frames", (size) => fill(size, "\xff")],
  ["frames of AMR", (size) => fill(size, "\x7c", "#!AMR\n")],
  ["tags", (size) => fill(size, "ID3\x04\0\0\0\0\0\0")],
];

function countRead(file: Uint8Array<ArrayBuffer>): number {
  const bytes = new SoundBytes(file);
  readSound(bytes);
  return bytes.read;
}

describe("as much is read of 24 MB as of 2, and a bounded part of either", () => {
  for (const [name, make] of [...TAGGED, ...ENDLESS]) {
    test(name, () => {
      const small = countRead(make(SMALL));
      const large = countRead(make(LARGE));
      expect(small).toBeGreaterThan(0);
      expect(large).toBe(small);
      // Plus the last read, which is refused afterwards.
      expect(large).toBeLessThanOrEqual(BYTES_READ_MAX + TAIL_BYTES);
    });
  }
});

describe("the size counts all the same", () => {
  for (const [name, make] of TAGGED) {
    test(name, () => {
      const file = make(SMALL);
      // PCM and FLAC have the highest of the lowest rates.
      expect(measureSeconds(file)).toBeGreaterThanOrEqual(SMALL / 8000);
    });
  }
  for (const [name, make] of ENDLESS) {
    test(name, () => {
      expect(measureSeconds(make(SMALL))).toBeGreaterThanOrEqual(SMALL / 8000);
    });
  }
});

test("a file that is cut off anywhere has a length by its size", () => {
  for (const file of [makeMp4({ seconds: 1000 }), concat(makeTag(40), FRAMES)]) {
    for (let end = 1; end < file.length; end++) {
      expect(measureSeconds(new Uint8Array(file.subarray(0, end)))).toBeGreaterThanOrEqual(1);
    }
  }
});
