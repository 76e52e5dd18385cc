// Codecs with their lowest plausible rates, and the port that every container's reader implements.
import type { SoundBytes } from "./bytes.ts";

/** The lowest plausible rate of each codec in bits per second: a file can't be longer than its bytes at this rate. */
export const BITS_PER_SECOND_MIN = {
  opus: 6000,
  vorbis: 6000,
  aac: 8000,
  mp3: 8000,
  adpcm: 32_000,
  pcm: 64_000,
  flac: 64_000,
  unknown: 6000,
} as const;

export type SoundCodec = keyof typeof BITS_PER_SECOND_MIN;

export interface Sound {
  readonly codec: SoundCodec;
  /** Null if the container doesn't say. */
  readonly seconds: number | null;
}

/**
 * Reads a container that begins at `at`. Returns null if the file is of another kind. Throws `UnreadableSound` if it is
 * cut off or has too many parts.
 */
export type ReadSound = (bytes: SoundBytes, at: number) => Sound | null;

/** Returns null unless the length is a positive number. */
export function divideSeconds(count: number, perSecond: number): number | null {
  const seconds = count / perSecond;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

/** Returns the longer of two lengths. */
export function findLonger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
