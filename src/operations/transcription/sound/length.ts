// The length of a sound file: the greater of its container's word and its bytes at the codec's lowest rate.
import { readAiff } from "./aiff.ts";
import { readAmr } from "./amr.ts";
import { SoundBytes, UnreadableSound } from "./bytes.ts";
import { readFlac } from "./flac.ts";
import { readMatroska } from "./matroska.ts";
import { readMp4 } from "./mp4.ts";
import { readAdts, readMp3 } from "./mpeg.ts";
import { readOgg } from "./ogg.ts";
import { BITS_PER_SECOND_MIN, type ReadSound, type Sound } from "./sound.ts";
import { readWav } from "./wav.ts";

/** MP3 comes last, since its frames are searched for. */
const CONTAINERS: readonly ReadSound[] = [
  readWav,
  readAiff,
  readFlac,
  readOgg,
  readMp4,
  readMatroska,
  readAmr,
  readAdts,
  readMp3,
];
const UNKNOWN: Sound = { codec: "unknown", seconds: null };
/** Some programs add a tag before another's. */
const TAGS_MAX = 4;
const TAG_HEADER_BYTES = 10;
const HAS_FOOTER = 0x10;

/**
 * Returns the seconds to hold for, and to charge if the provider reports none: at least one. A header that names a
 * second on ten minutes of sound changes nothing, because no codec needs fewer bytes.
 */
export function measureSeconds(bytes: Uint8Array<ArrayBuffer>): number {
  const { codec, seconds } = readSound(new SoundBytes(bytes));
  const longest = Math.floor((bytes.length * 8) / BITS_PER_SECOND_MIN[codec]);
  return Math.max(1, Math.ceil(seconds ?? 0), longest);
}

/**
 * Returns the codec, and what the container says of the length. The first bytes decide, since the client's content type
 * may be wrong. Reads a bounded part of the file's two ends.
 */
export function readSound(bytes: SoundBytes): Sound {
  try {
    const at = skipTags(bytes);
    for (const read of CONTAINERS) {
      const sound = bytes.has(at, 12) ? read(bytes, at) : null;
      if (sound !== null) return sound;
    }
    return UNKNOWN;
  } catch (thrown) {
    if (thrown instanceof UnreadableSound) return UNKNOWN;
    throw thrown;
  }
}

/** Returns where the sound begins after ID3v2 tags, which are skipped by their length (ID3 2.4.0, section 3.1). */
function skipTags(bytes: SoundBytes): number {
  let at = 0;
  for (let count = 0; count < TAGS_MAX; count++) {
    if (!bytes.has(at, TAG_HEADER_BYTES) || bytes.text(at, 3) !== "ID3") return at;
    const footer = (bytes.u8(at + 5) & HAS_FOOTER) === 0 ? 0 : TAG_HEADER_BYTES;
    at += TAG_HEADER_BYTES + readSyncSafe(bytes.u32(at + 6)) + footer;
  }
  return at;
}

/** Each byte has seven bits. */
function readSyncSafe(given: number): number {
  return ((given >>> 3) & 0xfe00000) | ((given >>> 2) & 0x1fc000) | ((given >>> 1) & 0x3f80) | (given & 0x7f);
}
