// The length of MP3 (and MP1, MP2) and of AAC in ADTS: from the first frames' headers, and a VBR header if there is one
// (ISO/IEC 11172-3, 13818-3 and 13818-7).
import type { SoundBytes } from "./bytes.ts";
import { divideSeconds, type ReadSound } from "./sound.ts";

/** Some files have padding before their first frame. */
const SEARCHED_BYTES = 1024;
const MPEG_RATES = [44_100, 48_000, 32_000];
const MPEG1 = { bitRates: "full", divisor: 1, monoBytes: 17, stereoBytes: 32 } as const;
const MPEG2 = { bitRates: "low", divisor: 2, monoBytes: 9, stereoBytes: 17 } as const;
/** By the header's two bits: MPEG-2.5, none, MPEG-2, MPEG-1. `monoBytes` and `stereoBytes` follow a frame's header. */
const VERSIONS = [{ ...MPEG2, divisor: 4 }, null, MPEG2, MPEG1] as const;

/** MPEG-2's bit rates in kbit/s, but for layer I. */
const LOW_RATES = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** By the header's two bits. Bit rates are in kbit/s. */
const LAYERS = [
  null,
  {
    full: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    low: LOW_RATES,
    samples: { full: 1152, low: 576 },
    slotBytes: 1,
  },
  {
    full: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    low: LOW_RATES,
    samples: { full: 1152, low: 1152 },
    slotBytes: 1,
  },
  {
    full: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    low: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    samples: { full: 384, low: 384 },
    slotBytes: 4,
  },
] as const;
const AAC_RATES = [96, 88.2, 64, 48, 44.1, 32, 24, 22.05, 16, 12, 11.025, 8, 7.35].map((one) => one * 1000);
const AAC_FRAMES_READ = 64;

interface MpegFrame {
  readonly bytes: number;
  readonly samples: number;
  readonly samplesPerSecond: number;
  readonly bitsPerSecond: number;
  /** Where the VBR header of Xing and LAME begins, counted from the frame. */
  readonly xingAt: number;
}

export const readMp3: ReadSound = (bytes, at) => {
  const last = Math.min(at + SEARCHED_BYTES, bytes.length - 4);
  for (let next = at; next <= last; next++) {
    const frame = readFrame(bytes, next);
    const isFollowed =
      frame !== null && (isEnd(bytes, next + frame.bytes) || readFrame(bytes, next + frame.bytes));
    if (frame !== null && isFollowed) return { codec: "mp3", seconds: measureFrames(bytes, next, frame) };
  }
  return null;
};

function isEnd(bytes: SoundBytes, at: number): boolean {
  return !bytes.has(at, 4);
}

function measureFrames(bytes: SoundBytes, at: number, frame: MpegFrame): number | null {
  const count = readFrameCount(bytes, at, frame);
  if (count > 0) return divideSeconds(count * frame.samples, frame.samplesPerSecond);
  return divideSeconds((bytes.length - at) * 8, frame.bitsPerSecond);
}

/** Returns the number of frames according to the header of Xing, LAME or Fraunhofer in the first one, or 0. */
function readFrameCount(bytes: SoundBytes, at: number, { xingAt }: MpegFrame): number {
  const xing = at + xingAt;
  if (!bytes.has(at, 36 + 18)) return 0;
  if (/^(Xing|Info)$/.test(bytes.text(xing, 4)))
    return bytes.u32(xing + 4) % 2 === 1 ? bytes.u32(xing + 8) : 0;
  return bytes.text(at + 36, 4) === "VBRI" ? bytes.u32(at + 36 + 14) : 0;
}

function readFrame(bytes: SoundBytes, at: number): MpegFrame | null {
  const head = bytes.u32(at);
  const version = VERSIONS[(head >>> 19) & 3];
  const layer = LAYERS[(head >>> 17) & 3];
  if (head >>> 21 !== 0x7ff || !version || !layer) return null;
  const fullRate = MPEG_RATES[(head >>> 10) & 3];
  const kbits = layer[version.bitRates][((head >>> 12) & 15) - 1];
  if (fullRate === undefined || kbits === undefined) return null;
  const samplesPerSecond = fullRate / version.divisor;
  const bitsPerSecond = kbits * 1000;
  const samples = layer.samples[version.bitRates];
  const slots = Math.floor((samples * bitsPerSecond) / (8 * layer.slotBytes * samplesPerSecond));
  const isPadded = ((head >>> 9) & 1) === 1;
  const isMono = ((head >>> 6) & 3) === 3;
  return {
    bytes: (slots + (isPadded ? 1 : 0)) * layer.slotBytes,
    samples,
    samplesPerSecond,
    bitsPerSecond,
    xingAt: 4 + (isMono ? version.monoBytes : version.stereoBytes),
  };
}

/** No header has the length, so the mean size of the first frames counts for all. */
export const readAdts: ReadSound = (bytes, at) => {
  let next = at;
  let samples = 0;
  let rate = 0;
  let frames = 0;
  for (; frames < AAC_FRAMES_READ && bytes.has(next, 7); frames++) {
    if ((bytes.u16(next) & 0xfff6) !== 0xfff0) break;
    const tail = bytes.u32(next + 2);
    const frameBytes = (tail >>> 5) & 0x1fff;
    rate = AAC_RATES[(tail >>> 26) & 15] ?? 0;
    if (frameBytes < 7 || rate === 0) break;
    samples += 1024 * (1 + (bytes.u8(next + 6) & 3));
    next += frameBytes;
  }
  if (frames === 0 || samples === 0) return null;
  return { codec: "aac", seconds: divideSeconds(((bytes.length - at) / (next - at)) * samples, rate) };
};
