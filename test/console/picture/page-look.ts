// The look of a page of the console, as data: its outline with its colours, and a small grey copy of a picture of it.
import type { Page } from "playwright-core";

/** The outline of a page, in the order of the page. */
export interface PageLook {
  readonly navigation: readonly string[];
  readonly headings: readonly string[];
  readonly tiles: readonly string[];
  /** The colours of each kind of element: of its text, its background and its line. */
  readonly colours: Readonly<Record<string, readonly string[]>>;
}

/** The parts of a page whose colours are compared. The chosen tile and the current page stand out, so they are apart. */
const COLOURED = {
  page: "body",
  side: "aside",
  link: "aside nav a:not([aria-current])",
  current: "aside nav a[aria-current]",
  heading: "main h1, main h2",
  tile: ".tile:not(:has([aria-pressed='true']))",
  chosen: ".tile:has([aria-pressed='true'])",
  label: ".tile-label",
  value: ".tile-value",
} as const;

export function readLook(page: Page): Promise<PageLook> {
  return page.evaluate((coloured) => {
    const list = (selector: string) => [...document.querySelectorAll(selector)];
    const read = (selector: string) => list(selector).map((one) => one.textContent?.trim() ?? "");
    const paint = (one: Element) => {
      const { color, backgroundColor, borderTopColor } = getComputedStyle(one);
      return `${color} / ${backgroundColor} / ${borderTopColor}`;
    };
    return {
      // Without the number of what waits.
      navigation: read("aside nav a").map((text) => text.replace(/\d.*/, "")),
      headings: list("main h1, main h2, main h3").map((one) => `${one.tagName} ${one.textContent?.trim()}`),
      tiles: read(".tile-label"),
      colours: Object.fromEntries(
        Object.entries(coloured).map(([name, selector]) => [name, [...new Set(list(selector).map(paint))]]),
      ),
    };
  }, COLOURED);
}

const GREY_WIDTH = 64;
const GREY_HEIGHT = 40;

/** Returns a picture's grey copy of 64 × 40, each from 0 to 255. The page only lends its canvas. */
export function shrinkToGreys(page: Page, picture: Uint8Array): Promise<readonly number[]> {
  return page.evaluate(
    async ([text, width, height]) => {
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const canvas = new OffscreenCanvas(width, height).getContext("2d");
      if (canvas === null) throw new Error("There is no canvas.");
      canvas.imageSmoothingQuality = "high";
      canvas.drawImage(bitmap, 0, 0, width, height);
      const { data } = canvas.getImageData(0, 0, width, height);
      const grey = (at: number) =>
        0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
      return Array.from({ length: width * height }, (_, at) => Math.round(grey(4 * at)));
    },
    [Buffer.from(picture).toString("base64"), GREY_WIDTH, GREY_HEIGHT] as const,
  );
}

/** Returns the mean difference of two grey copies, from 0 to 255. */
export function compareGreys(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, grey, at) => sum + Math.abs(grey - (other[at] ?? 0)), 0) / one.length;
}
