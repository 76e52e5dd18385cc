// The README's picture and film are of the console as it is. In the long form the picture is taken again, of the same month.
import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { IS_LONG } from "../../harness/long.ts";
import { startShowcase } from "../showcase.ts";
import { HAS_BROWSER } from "../visitor.ts";
import { LOOK_FILE, PICTURED, showOverview } from "./overview.ts";
import { compareGreys, readLook, shrinkToGreys } from "./page-look.ts";

const PICTURES = join(import.meta.dir, "..", "..", "..", "src", "console", "pictures");
const GREY_DIFFERENCE_MAX = 8;
const MAKING_MS = 600_000;
const FILM_BYTES_MAX = 3 * 1024 * 1024;
const SECONDS = { least: 18, most: 24 };

test.skipIf(!IS_LONG || !HAS_BROWSER)(
  "the overview of the same month has the picture's outline, its colours and nearly its greys",
  async () => {
    const world = await startShowcase();
    try {
      const { page, leave } = await world.openAs("admin", PICTURED);
      await showOverview(page);
      // The chart is drawn in parts once these are known.
      await page
        .getByText(/^\d+ others$/)
        .first()
        .waitFor();
      expect(JSON.parse(readFileSync(LOOK_FILE, "utf8"))).toEqual(await readLook(page));
      const picture = readFileSync(join(PICTURES, "overview.webp"));
      const greys = await Promise.all(
        [picture, await page.screenshot()].map((one) => shrinkToGreys(page, one)),
      );
      expect(compareGreys(greys[0] ?? [], greys[1] ?? [])).toBeLessThanOrEqual(GREY_DIFFERENCE_MAX);
      await leave();
    } finally {
      await world.stop();
    }
  },
  MAKING_MS,
);

test("the film lasts some twenty seconds and stays small", () => {
  const path = join(PICTURES, "film.webp");
  expect(statSync(path).size).toBeLessThanOrEqual(FILM_BYTES_MAX);
  const film = readFileSync(path);
  let filmMs = 0;
  // Each chunk has a name, a length and its content; a frame's says in three bytes how long it is shown.
  for (let at = 12; at < film.length; ) {
    const length = film.readUInt32LE(at + 4);
    if (film.toString("latin1", at, at + 4) === "ANMF") filmMs += film.readUIntLE(at + 8 + 12, 3);
    at += 8 + length + (length % 2);
  }
  expect([filmMs >= SECONDS.least * 1000, filmMs <= SECONDS.most * 1000]).toEqual([true, true]);
});
