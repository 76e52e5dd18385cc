// The length of an MP4, M4A or QuickTime file, from the headers of the movie and its sound (ISO/IEC 14496-12).
import type { SoundBytes } from "./bytes.ts";
import {
  BITS_PER_SECOND_MIN,
  divideSeconds,
  findLonger,
  type ReadSound,
  type Sound,
  type SoundCodec,
} from "./sound.ts";

const FIRST_BOXES = new Set(["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"]);
const CODECS: ReadonlyMap<string, SoundCodec> = new Map([
  ["mp4a", "aac"],
  [".mp3", "mp3"],
  ["ms\0U", "mp3"],
  ["Opus", "opus"],
  ["fLaC", "flac"],
  ...["ima4", "ms\0\x02", "ms\0\x11"].map((name): [string, SoundCodec] => [name, "adpcm"]),
  ...[
    "sowt",
    "twos",
    "lpcm",
    "ipcm",
    "fpcm",
    "raw ",
    "NONE",
    "in24",
    "in32",
    "fl32",
    "fl64",
    "ulaw",
    "alaw",
  ].map((name): [string, SoundCodec] => [name, "pcm"]),
]);

interface Mp4Box {
  readonly type: string;
  /** The bounds of its content. */
  readonly from: number;
  readonly to: number;
}

export const readMp4: ReadSound = (bytes, at) => {
  if (!FIRST_BOXES.has(bytes.text(at + 4, 4))) return null;
  const movie = findBox(bytes, { type: "", from: at, to: bytes.length }, "moov");
  return movie === null ? { codec: "unknown", seconds: null } : readMovie(bytes, movie);
};

function readMovie(bytes: SoundBytes, movie: Mp4Box): Sound {
  let sound: Sound = { codec: "unknown", seconds: null };
  let seconds: number | null = null;
  let timescale = 0;
  for (const box of eachBox(bytes, movie)) {
    if (box.type === "mvhd") {
      timescale = readTimescale(bytes, box);
      seconds = findLonger(seconds, readDuration(bytes, box, timescale));
    }
    if (box.type === "trak") sound = pickLonger(sound, readTrack(bytes, box));
    const fragments = box.type === "mvex" ? findBox(bytes, box, "mehd") : null;
    if (fragments !== null) seconds = findLonger(seconds, readFragments(bytes, fragments, timescale));
  }
  return { codec: sound.codec, seconds: findLonger(seconds, sound.seconds) };
}

/** Returns the longest length and the lowest rate, because the provider may read any of several tracks. */
function pickLonger(one: Sound, other: Sound | null): Sound {
  if (other === null) return one;
  const isFirst = one.codec === "unknown" && one.seconds === null;
  const isLower = BITS_PER_SECOND_MIN[other.codec] < BITS_PER_SECOND_MIN[one.codec];
  const codec = isFirst || isLower ? other.codec : one.codec;
  return { codec, seconds: findLonger(one.seconds, other.seconds) };
}

/** Returns null if the track isn't sound. */
function readTrack(bytes: SoundBytes, track: Mp4Box): Sound | null {
  const media = findBox(bytes, track, "mdia");
  if (media === null) return null;
  const handler = findBox(bytes, media, "hdlr");
  if (handler === null || bytes.text(handler.from + 8, 4) !== "soun") return null;
  const header = findBox(bytes, media, "mdhd");
  const seconds = header && readDuration(bytes, header, readTimescale(bytes, header));
  const description = ["minf", "stbl", "stsd"].reduce(
    (box: Mp4Box | null, type) => box && findBox(bytes, box, type),
    media,
  );
  const codec = description && CODECS.get(bytes.text(description.from + 12, 4));
  return { codec: codec ?? "unknown", seconds };
}

/** `mvhd` and `mdhd` begin alike: a version, flags, two times, the units of a second, and the duration in them. */
function readTimescale(bytes: SoundBytes, { from }: Mp4Box): number {
  return bytes.u32(from + (bytes.u8(from) === 1 ? 20 : 12));
}

function readDuration(bytes: SoundBytes, { from }: Mp4Box, timescale: number): number | null {
  const isLong = bytes.u8(from) === 1;
  return divideUnits(isLong ? bytes.u64(from + 24) : bytes.u32(from + 16), timescale, isLong);
}

function readFragments(bytes: SoundBytes, { from }: Mp4Box, timescale: number): number | null {
  const isLong = bytes.u8(from) === 1;
  return divideUnits(isLong ? bytes.u64(from + 4) : bytes.u32(from + 4), timescale, isLong);
}

/** All bits set mean an unknown duration. */
function divideUnits(units: number, timescale: number, isLong: boolean): number | null {
  return units >= (isLong ? 2 ** 64 : 2 ** 32 - 1) ? null : divideSeconds(units, timescale);
}

function findBox(bytes: SoundBytes, within: Mp4Box, type: string): Mp4Box | null {
  for (const box of eachBox(bytes, within)) if (box.type === type) return box;
  return null;
}

function* eachBox(bytes: SoundBytes, { from, to }: Pick<Mp4Box, "from" | "to">): Generator<Mp4Box> {
  for (let at = from; at + 8 <= to; ) {
    const size = bytes.u32(at);
    const isLong = size === 1;
    const whole = isLong ? bytes.u64(at + 8) : size === 0 ? to - at : size;
    const head = isLong ? 16 : 8;
    if (whole < head) return;
    const end = Math.min(at + whole, to);
    yield { type: bytes.text(at + 4, 4), from: at + head, to: end };
    at = end;
  }
}
