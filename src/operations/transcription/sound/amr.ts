// The length of an AMR file, whose frames last 20 ms each (RFC 4867, section 5).
import type { SoundBytes } from "./bytes.ts";
import { divideSeconds, type ReadSound } from "./sound.ts";

/** The bytes of a frame by its type, the byte that has the type included. Other types have no sound. */
const FORMS: readonly (readonly [mark: string, bytes: readonly number[]])[] = [
  ["#!AMR\n", [13, 14, 16, 18, 20, 21, 27, 32, 6]],
  ["#!AMR-WB\n", [18, 24, 33, 37, 41, 47, 51, 59, 61, 6]],
];
const FRAMES_PER_SECOND = 50;
const FRAMES_READ = 128;

/** No header has the length, so the mean size of the first frames counts for all. */
export const readAmr: ReadSound = (bytes, at) => {
  const form = FORMS.find(([mark]) => bytes.has(at, mark.length) && bytes.text(at, mark.length) === mark);
  if (!form) return null;
  const [mark, sizes] = form;
  return { codec: "unknown", seconds: measureFrames(bytes, at + mark.length, sizes) };
};

function measureFrames(bytes: SoundBytes, from: number, sizes: readonly number[]): number | null {
  let next = from;
  let frames = 0;
  for (; frames < FRAMES_READ && bytes.has(next, 1); frames++)
    next += sizes[(bytes.u8(next) >>> 3) & 15] ?? 1;
  return divideSeconds(((bytes.length - from) / (next - from)) * frames, FRAMES_PER_SECOND);
}
