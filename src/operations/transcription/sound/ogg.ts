// The length of an Ogg file: the granule position of its last page (RFC 3533; RFC 7845 for Opus).
import type { SoundBytes } from "./bytes.ts";
import { readFlacRate } from "./flac.ts";
import { divideSeconds, type ReadSound, type SoundCodec } from "./sound.ts";

const HEADER_BYTES = 27;
const FIRST_PAGE = 2;
const NO_GRANULE = 0xffffffff;
/** Files have one stream of sound, and at most a few others. */
const STREAMS_MAX = 8;
/** The longest page is 65,307 bytes, so the last one begins here or later. */
const TAIL_BYTES = 65_536;

interface Stream {
  readonly codec: SoundCodec;
  readonly serial: number;
  readonly samplesPerSecond: number;
  /** Samples at the start that aren't played. */
  readonly skipped: number;
}

export const readOgg: ReadSound = (bytes, at) => {
  if (bytes.text(at, 4) !== "OggS") return null;
  const stream = findStream(bytes, at);
  if (stream === null) return { codec: "unknown", seconds: null };
  const { codec, samplesPerSecond, skipped } = stream;
  return { codec, seconds: divideSeconds(readLastGranule(bytes, stream) - skipped, samplesPerSecond) };
};

/** Each stream's first page has the header of its codec. */
function findStream(bytes: SoundBytes, at: number): Stream | null {
  let page = at;
  for (let count = 0; count < STREAMS_MAX && bytes.has(page, HEADER_BYTES); count++) {
    if (bytes.text(page, 4) !== "OggS" || (bytes.u8(page + 5) & FIRST_PAGE) === 0) return null;
    const segments = bytes.u8(page + 26);
    const body = page + HEADER_BYTES + segments;
    const stream = readCodec(bytes, body, bytes.u32le(page + 14));
    if (stream !== null) return stream;
    page = body + bytes.sum(page + HEADER_BYTES, segments);
  }
  return null;
}

function readCodec(bytes: SoundBytes, at: number, serial: number): Stream | null {
  const mark = bytes.text(at, 8);
  if (mark === "OpusHead") {
    return { codec: "opus", serial, samplesPerSecond: 48_000, skipped: bytes.u16le(at + 10) };
  }
  if (mark.startsWith("\x01vorbis")) {
    return { codec: "vorbis", serial, samplesPerSecond: bytes.u32le(at + 12), skipped: 0 };
  }
  if (mark.startsWith("\x7fFLAC")) {
    return { codec: "flac", serial, samplesPerSecond: readFlacRate(bytes, at + 9), skipped: 0 };
  }
  if (mark === "Speex   ") {
    return { codec: "unknown", serial, samplesPerSecond: bytes.u32le(at + 36), skipped: 0 };
  }
  return null;
}

/** Pages on which no packet ends have no position. */
function readLastGranule(bytes: SoundBytes, { serial }: Stream): number {
  const from = Math.max(0, bytes.length - TAIL_BYTES);
  for (let before = bytes.length; ; ) {
    const page = bytes.findLast("OggS", from, before);
    if (page === -1) return 0;
    const isWhole = bytes.has(page, HEADER_BYTES);
    const isKnown = isWhole && bytes.u32le(page + 6) !== NO_GRANULE;
    if (isKnown && bytes.u32le(page + 14) === serial) return bytes.u64le(page + 6);
    before = page;
  }
}
