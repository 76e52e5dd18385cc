// The length of a WebM or Matroska file, from its segment's information (RFC 9559).
import type { SoundBytes } from "./bytes.ts";
import { BITS_PER_SECOND_MIN, divideSeconds, type ReadSound, type Sound, type SoundCodec } from "./sound.ts";

const ID = {
  ebml: 0x1a45dfa3,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackType: 0x83,
  codecId: 0x86,
} as const;
const SOUND_TRACK = 2;
const CODEC_CHARACTERS_MAX = 32;
const NANOSECONDS = 1e9;
/** A millisecond, unless the file says otherwise. */
const TIMESTAMP_SCALE = 1_000_000;

const CODECS: readonly (readonly [string, SoundCodec])[] = [
  ["A_OPUS", "opus"],
  ["A_VORBIS", "vorbis"],
  ["A_AAC", "aac"],
  ["A_MPEG", "mp3"],
  ["A_FLAC", "flac"],
  ["A_PCM", "pcm"],
];

interface MatroskaElement {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

export const readMatroska: ReadSound = (bytes, at) => {
  if (bytes.u32(at) !== ID.ebml) return null;
  for (const element of eachElement(bytes, at, bytes.length)) {
    if (element.id === ID.segment) return readSegment(bytes, element);
  }
  return { codec: "unknown", seconds: null };
};

/** Stops at what it looks for: the clusters that follow are thousands in a long file. */
function readSegment(bytes: SoundBytes, segment: MatroskaElement): Sound {
  let info: MatroskaElement | null = null;
  let tracks: MatroskaElement | null = null;
  for (const element of eachElement(bytes, segment.from, segment.to)) {
    if (element.id === ID.info) info = element;
    if (element.id === ID.tracks) tracks = element;
    if (info !== null && tracks !== null) break;
  }
  const codec = tracks && readTracks(bytes, tracks);
  return { codec: codec ?? "unknown", seconds: info && readInfo(bytes, info) };
}

function readInfo(bytes: SoundBytes, info: MatroskaElement): number | null {
  let scale = TIMESTAMP_SCALE;
  let duration = 0;
  for (const { id, from, to } of eachElement(bytes, info.from, info.to)) {
    if (id === ID.timestampScale) scale = readNumber(bytes, from, to);
    if (id === ID.duration) duration = bytes.float(from, to - from);
  }
  return divideSeconds(duration * scale, NANOSECONDS);
}

/** Returns the codec with the lowest rate, because the provider may read any of several tracks. */
function readTracks(bytes: SoundBytes, tracks: MatroskaElement): SoundCodec | null {
  let lowest: SoundCodec | null = null;
  for (const entry of eachElement(bytes, tracks.from, tracks.to)) {
    const codec = entry.id === ID.trackEntry ? readTrack(bytes, entry) : null;
    if (codec === null) continue;
    if (lowest === null || BITS_PER_SECOND_MIN[codec] < BITS_PER_SECOND_MIN[lowest]) lowest = codec;
  }
  return lowest;
}

/** Returns null if the track isn't sound. */
function readTrack(bytes: SoundBytes, entry: MatroskaElement): SoundCodec | null {
  let type = 0;
  let name = "";
  for (const { id, from, to } of eachElement(bytes, entry.from, entry.to)) {
    if (id === ID.trackType) type = readNumber(bytes, from, to);
    if (id === ID.codecId) name = bytes.text(from, Math.min(to - from, CODEC_CHARACTERS_MAX));
  }
  if (type !== SOUND_TRACK) return null;
  return CODECS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? "unknown";
}

function* eachElement(bytes: SoundBytes, from: number, to: number): Generator<MatroskaElement> {
  for (let at = from; at < to; ) {
    const sizeAt = at + countBytes(bytes.u8(at));
    const first = bytes.u8(sizeAt);
    const sizeBytes = countBytes(first);
    const body = sizeAt + sizeBytes;
    // The first bit that is set only marks the number of bytes.
    const size = readNumber(bytes, sizeAt + 1, body, first % 2 ** (8 - sizeBytes));
    // All bits set mean an unknown size, as live recordings have. Eight bytes of them are more than any file.
    const isUnknown = size === 2 ** (7 * sizeBytes) - 1;
    const end = isUnknown ? to : Math.min(body + size, to);
    yield { id: readNumber(bytes, at, sizeAt), from: body, to: end };
    at = end;
  }
}

/** The number of leading zeros of the first byte is the number of bytes that follow. */
function countBytes(first: number): number {
  return Math.clz32(first) - 23;
}

/** Reads up to eight bytes below those of `high`. Exact up to 2^53. */
function readNumber(bytes: SoundBytes, from: number, to: number, high = 0): number {
  let value = high;
  for (let at = from; at < Math.min(to, from + 8); at++) value = value * 256 + bytes.u8(at);
  return value;
}
