// The length of a FLAC file, from its STREAMINFO block (RFC 9639, section 8.2).
import type { SoundBytes } from "./bytes.ts";
import { divideSeconds, type ReadSound } from "./sound.ts";

const TWO_TO_32 = 2 ** 32;

export const readFlac: ReadSound = (bytes, at) => {
  if (bytes.text(at, 4) !== "fLaC") return null;
  const info = at + 8;
  const samples = (bytes.u8(info + 13) % 16) * TWO_TO_32 + bytes.u32(info + 14);
  return { codec: "flac", seconds: divideSeconds(samples, readFlacRate(bytes, at)) };
};

/** Returns the samples per second of the stream whose `fLaC` mark is at `at`. */
export function readFlacRate(bytes: SoundBytes, at: number): number {
  return bytes.u32(at + 18) >>> 12;
}
