// The length of an AIFF or AIFF-C file, from its `COMM` chunk (Apple, "Audio Interchange File Format AIFF-C").
import type { SoundBytes } from "./bytes.ts";
import { divideSeconds, type ReadSound, type Sound, type SoundCodec } from "./sound.ts";

const PCM = new Set(["NONE", "sowt", "twos", "raw ", "in24", "in32", "fl32", "fl64", "FL32", "FL64"]);
const COMPANDED = new Set(["ulaw", "ULAW", "alaw", "ALAW"]);
const ADPCM = new Set(["ima4", "ADP4"]);
/** A rate has an exponent of 15 bits with this bias, and a mantissa of 64, of which the first 32 are enough. */
const EXPONENT_BIAS = 16_383 + 31;

export const readAiff: ReadSound = (bytes, at) => {
  if (bytes.text(at, 4) !== "FORM") return null;
  const form = bytes.text(at + 8, 4);
  if (form !== "AIFF" && form !== "AIFC") return null;
  for (let next = at + 12; bytes.has(next, 8); ) {
    const size = bytes.u32(next + 4);
    if (bytes.text(next, 4) === "COMM") return readCommon(bytes, next + 8, form === "AIFC");
    next += 8 + size + (size % 2);
  }
  return { codec: "unknown", seconds: null };
};

function readCommon(bytes: SoundBytes, at: number, isCompressed: boolean): Sound {
  const codec = isCompressed ? findCodec(bytes.text(at + 18, 4)) : "pcm";
  const exponent = bytes.u16(at + 8) % 0x8000;
  const rate = bytes.u32(at + 10) * 2 ** (exponent - EXPONENT_BIAS);
  // A frame of IMA ADPCM has 64 samples.
  const samples = bytes.u32(at + 2) * (codec === "adpcm" ? 64 : 1);
  return { codec, seconds: divideSeconds(samples, rate) };
}

function findCodec(compression: string): SoundCodec {
  if (PCM.has(compression) || COMPANDED.has(compression)) return "pcm";
  return ADPCM.has(compression) ? "adpcm" : "unknown";
}
