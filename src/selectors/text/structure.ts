// The shape of a request as a short row of numbers, roughly −1…2, for the predictor.
import type { RequestFeatures } from "./features.ts";
import type { Shape } from "./shape.ts";

export const STRUCTURE_SIZE = 20;

/** Unaffected by letter case, and by spacing except through the length. */
export function readStructure(
  { turnChars, counts, options }: Pick<RequestFeatures, "turnChars" | "counts" | "options">,
  shape: Shape,
): Float32Array {
  const { words, letters, numbers, signs, foreign, ideographs, lines } = counts;
  const tokens = words + numbers + ideographs + 1;
  const written = Math.max(1, letters + ideographs);
  return Float32Array.of(
    Math.log1p(tokens) / 3 - 1.3,
    (Math.log1p(tokens) / 3 - 1.3) ** 2,
    Math.log1p(shape.chars - turnChars) / 8,
    Math.log1p(lines) / 3,
    share(numbers, tokens),
    Math.log1p(numbers) / 3,
    Math.log1p(counts.longestNumber) / 2,
    share(signs, tokens),
    Math.log1p(signs) / 4,
    share(foreign, written),
    share(ideographs, written),
    Math.min(options, 10) / 5,
    options > 0 ? 1 : 0,
    Math.min(counts.questions, 4) / 4,
    Math.log1p(Math.max(0, shape.turns - 1)) / 2,
    shape.hasSystem ? 1 : 0,
    shape.tools > 0 ? 1 : 0,
    shape.format === "text" ? 0 : 1,
    shape.images > 0 ? 1 : 0,
    Math.min(1.5, letters / (words + 1) / 4) - 1,
  );
}

/** Returns the logarithm of the last turn's tokens from the first number of its structure. */
export function readLogTokens(first: number): number {
  return 3 * (first + 1.3);
}

function share(part: number, whole: number): number {
  return Math.min(1, (2 * part) / whole);
}
