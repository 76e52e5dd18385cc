// The most output tokens of a picture, by the model's own arithmetic.
import {
  countPixels,
  findLargest,
  LARGEST_SQUARE,
  PIXELS_CHOSEN,
  readPixels,
  readSize,
  type Size,
  SQUARE,
} from "./pixels.ts";

/** Output tokens of a square picture (OpenAI, "Image generation", cost and latency). Others take them by their area. */
const SQUARE_TOKENS: ReadonlyMap<string, number> = new Map([
  ["low", 272],
  ["medium", 1056],
  ["high", 4160],
]);
/** Newer models have qualities above `high`. */
const SQUARE_TOKENS_HIGHEST = 8320;
/** The best quality of these is `high` (OpenAI API reference, "Create image"). */
const BY_AREA_UP_TO_HIGH = /(^|\/)(gpt-image-1|chatgpt-image)/;
const BY_AREA = /(^|\/)gemini/;

/**
 * gpt-image-2 divides the longer side into this many steps (OpenAI's calculator of image costs, as its developer forum
 * worked it out in thread 1382699, November 2026).
 */
const STEPS: ReadonlyMap<string, number> = new Map([
  ["low", 16],
  ["medium", 48],
  ["high", 96],
]);
const BY_STEPS_UP_TO_HIGH = /(^|\/)gpt-image-2(?![.\d])/;
const BY_STEPS = /(^|\/)gpt-image-\d/;
const PIXELS_ADDED = 2_000_000;
const PIXELS_PER_STEP = 4_000_000;
/** Measured: 2.6 takes three to four times the tokens of 2.5 at low, which is above the steps of gpt-image-2. */
const LOW_FACTOR = 5;
/** Nobody has published what qualities above `high` take. */
const ABOVE_HIGH_FACTOR = 2;

/** Returns the most tokens of one picture. A quality that the model chooses may be its highest. */
export function countWorstTokens(
  { size, quality }: { readonly size?: string | undefined; readonly quality?: string | undefined },
  name: string,
): number {
  if (BY_AREA_UP_TO_HIGH.test(name)) return countByArea(size, isChosen(quality) ? quality : "high", name);
  if (BY_AREA.test(name)) return countByArea(size, quality, name);
  const shape = readSize(size) ?? LARGEST_SQUARE;
  if (BY_STEPS_UP_TO_HIGH.test(name)) return countBySteps(shape, isChosen(quality) ? quality : "high");
  const bySteps = countBySteps(shape, quality);
  const other = BY_STEPS.test(name)
    ? LOW_FACTOR * countBySteps(shape, "low")
    : countByArea(size, quality, name);
  return Math.max(bySteps, other);
}

/** Returns the usual tokens of one picture of a model that isn't known. */
export function countLikelyTokens(size: string | undefined, quality: string | undefined): number {
  const square = SQUARE_TOKENS.get(isChosen(quality) ? quality : "medium") ?? SQUARE_TOKENS_HIGHEST;
  return scaleTokens(square, readPixels(size) ?? PIXELS_CHOSEN);
}

function isChosen(quality: string | undefined): quality is string {
  return quality !== undefined && quality !== "auto";
}

function countByArea(size: string | undefined, quality: string | undefined, name: string): number {
  const square = SQUARE_TOKENS.get(quality ?? "") ?? SQUARE_TOKENS_HIGHEST;
  return scaleTokens(square, Math.max(SQUARE, readPixels(size) ?? findLargest(name)));
}

function scaleTokens(squareTokens: number, pixels: number): number {
  return Math.ceil((squareTokens * pixels) / SQUARE);
}

function countBySteps(size: Size, quality: string | undefined): number {
  const long = STEPS.get(quality ?? "");
  if (long === undefined) return ABOVE_HIGH_FACTOR * countBySteps(size, "high");
  const { width, height } = size;
  const short = Math.max(1, Math.round((long * Math.min(width, height)) / Math.max(width, height)));
  return Math.ceil((long * short * (PIXELS_ADDED + countPixels(size))) / PIXELS_PER_STEP);
}
