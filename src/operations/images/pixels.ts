// The size of a picture, by which models count and bill its tokens.

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The area of the square picture that providers' tables begin with. */
export const SQUARE = 1024 * 1024;
/** The area that a model usually draws if it chooses the size. */
export const PIXELS_CHOSEN = 1536 * 1024;
/** OpenAI API reference, "Create image": gpt-image-2 and later draw any size up to this one. */
const PIXELS_LARGEST = 3840 * 2160;
/** The same area as a square, which takes more tokens than any other shape of it. */
export const LARGEST_SQUARE: Size = { width: 2880, height: 2880 };
/** Four times what any model draws. A provider refuses more, and the sums stay sane. */
const PIXELS_MAX = 4 * PIXELS_LARGEST;
/** These draw only the three standard sizes, or about a megapixel (ai.google.dev, "Image generation"). */
const DRAWS_STANDARD_SIZES = /(^|\/)(gpt-image-1|chatgpt-image|gemini)/;
const SIZE = /^(\d+)x(\d+)$/;

/** Returns the sides of a size such as `1536x1024`, or null if the model chooses it or it names none. */
export function readSize(size = "auto"): Size | null {
  const [, width, height] = SIZE.exec(size) ?? [];
  const sides = { width: Number(width), height: Number(height) };
  return sides.width > 0 && sides.height > 0 ? sides : null;
}

/** Returns the area of a size, or null if the model chooses it or it names none. */
export function readPixels(size: string | undefined): number | null {
  const sides = readSize(size);
  return sides && countPixels(sides);
}

export function countPixels({ width, height }: Size): number {
  return Math.min(width * height, PIXELS_MAX);
}

/** Returns the largest area that a model may choose. */
export function findLargest(name: string): number {
  return DRAWS_STANDARD_SIZES.test(name) ? PIXELS_CHOSEN : PIXELS_LARGEST;
}
