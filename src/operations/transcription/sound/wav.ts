// The length of a WAV file: the `fmt` chunk's rate and the size of all `data` chunks (Microsoft, "Multiple Channel Audio
// Data and WAVE Files"; EBU Tech 3306 for RF64).
import type { SoundBytes } from "./bytes.ts";
import { divideSeconds, findLonger, type ReadSound, type SoundCodec } from "./sound.ts";

const FORMS = new Set(["RIFF", "RF64", "BW64"]);
const EXTENSIBLE = 0xfffe;
/** In an extensible format, the real one begins here. */
const SUBFORMAT_AT = 24;
/** Formats that pack samples into blocks have the number of samples in a block here. */
const BLOCK_SAMPLES_AT = 18;
/** Written by programs that stream the file and can't know its size. */
const UNKNOWN_SIZES = new Set([0, 0xffffffff]);

const CODECS: ReadonlyMap<number, SoundCodec> = new Map([
  ...[0x0001, 0x0003, 0x0006, 0x0007].map((tag): [number, SoundCodec] => [tag, "pcm"]),
  ...[0x0002, 0x0010, 0x0011, 0x0017, 0x0020, 0x0045, 0x0064].map((tag): [number, SoundCodec] => [
    tag,
    "adpcm",
  ]),
  ...[0x0050, 0x0055].map((tag): [number, SoundCodec] => [tag, "mp3"]),
  ...[0x00ff, 0x1600, 0x1602, 0x1610].map((tag): [number, SoundCodec] => [tag, "aac"]),
  [0xf1ac, "flac"],
]);

interface Format {
  readonly codec: SoundCodec;
  readonly samplesPerSecond: number;
  readonly bytesPerSecond: number;
}

export const readWav: ReadSound = (bytes, at) => {
  if (!FORMS.has(bytes.text(at, 4)) || bytes.text(at + 8, 4) !== "WAVE") return null;
  let format: Format | null = null;
  let dataBytes = 0;
  let samples = 0;
  for (let next = at + 12; bytes.has(next, 8); ) {
    const name = bytes.text(next, 4);
    const size = bytes.u32le(next + 4);
    const body = next + 8;
    if (name === "fmt ") format ??= readFormat(bytes, body, size);
    if (name === "fact") samples = bytes.u32le(body);
    const isEndless = name === "data" && UNKNOWN_SIZES.has(size);
    const end = isEndless ? bytes.length : Math.min(body + size, bytes.length);
    if (name === "data") dataBytes += end - body;
    next = end + (size % 2);
  }
  if (format === null) return { codec: "unknown", seconds: null };
  const { codec, bytesPerSecond, samplesPerSecond } = format;
  const seconds = divideSeconds(dataBytes, bytesPerSecond);
  const said = codec === "pcm" ? null : divideSeconds(samples, samplesPerSecond);
  return { codec, seconds: findLonger(seconds, said) };
};

function readFormat(bytes: SoundBytes, at: number, size: number): Format {
  const given = bytes.u16le(at);
  const tag = given === EXTENSIBLE && size >= SUBFORMAT_AT + 2 ? bytes.u16le(at + SUBFORMAT_AT) : given;
  const codec = CODECS.get(tag) ?? "unknown";
  const samplesPerSecond = bytes.u32le(at + 4);
  const bytesPerSecond = readByteRate(bytes, at, { size, codec, samplesPerSecond });
  return { codec, samplesPerSecond, bytesPerSecond };
}

/** Decoders compute it from what they decode by where they can, and many writers of ADPCM give a wrong one. */
function readByteRate(
  bytes: SoundBytes,
  at: number,
  { size, codec, samplesPerSecond }: Pick<Format, "codec" | "samplesPerSecond"> & { readonly size: number },
): number {
  if (codec === "pcm") return samplesPerSecond * bytes.u16le(at + 2) * Math.ceil(bytes.u16le(at + 14) / 8);
  const blockSamples =
    codec === "adpcm" && size >= BLOCK_SAMPLES_AT + 2 ? bytes.u16le(at + BLOCK_SAMPLES_AT) : 0;
  return blockSamples > 0 ? (samplesPerSecond * bytes.u16le(at + 12)) / blockSamples : bytes.u32le(at + 8);
}
