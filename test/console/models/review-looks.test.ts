// The review of a list of prices in its states, on a wide screen and a phone, light and dark: what it says, whole.
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { BINARY } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  VISIT_MS,
} from "../visitor.ts";
import { HIDDEN, NEW_MODELS, type ReviewState, startReviewState } from "./review-states.ts";

setDefaultTimeout(VISIT_MS);

/** The widths of a phone and of a desk. */
const LOOKS: readonly (readonly [ReviewState, number, "light" | "dark"])[] = [
  ["hiding", 390, "dark"],
  ["many", 390, "light"],
  ["many", 1440, "dark"],
  ["hiding", 1440, "light"],
  ["nothing", 390, "dark"],
  ["nothing", 1440, "light"],
  ["refused", 390, "light"],
  ["refused", 1440, "dark"],
];
const SHORT = 1;

const SAYS: Readonly<Record<ReviewState, readonly (string | RegExp)[]>> = {
  nothing: ["No price, limit or end of a model differs from the list."],
  many: ["New models", "May be taken", /^Take the changes of 143 models$/, /service flex: input\s[\d.]+\s→/],
  refused: [
    "The list can't be used: no key that the configuration names has signed it. Nothing of it was taken.",
  ],
  hiding: [
    `${HIDDEN} rows of the catalogue file hide newer built-in prices`,
    "1 row of the catalogue file has fields for which newer built-in ones count",
  ],
};

let world: ConsoleWorld | null = null;
afterEach(() => world?.stop());

const EACH_HIDING = Array.from({ length: HIDDEN }, () => "catalogue_hiding");

function listTold({ events }: ConsoleWorld["gateway"]): readonly string[] {
  return events.flatMap(({ event }) => (/^catalogue_(hiding|overtaken)$/.test(event) ? [event] : []));
}

/** The log at the start, of a gateway in this process, and the bell tell of the catalogue file. */
async function checkTold({ gateway }: ConsoleWorld, page: Page): Promise<void> {
  if (BINARY === undefined) expect(listTold(gateway)).toEqual(["catalogue_overtaken", ...EACH_HIDING]);
  await page.getByRole("button", { name: /needs? you$/ }).click();
  await page.getByText(`${HIDDEN} rows of the catalogue file hide newer prices`).waitFor();
  await page.getByText("A model of the catalogue file has a newer built-in value").waitFor();
  await page.keyboard.press("Escape");
}

describe.skipIf(!HAS_BROWSER)("the review (skipped without Chromium)", () => {
  test.each(IS_LONG ? LOOKS : LOOKS.slice(0, SHORT))(
    "with %s, %p px, %s",
    async (state, width, colorScheme) => {
      world = await startReviewState(state);
      const { page, leave } = await openConsole(world, "/models", {
        viewport: { width, height: 900 },
        colorScheme,
      });
      await page.getByRole("button", { name: "review" }).waitFor();
      if (state === "hiding") await checkTold(world, page);
      await page.getByRole("button", { name: "review" }).click();
      const dialog = page.getByRole("dialog");
      for (const text of SAYS[state]) await dialog.getByText(text).first().waitFor();
      for (const model of state === "many" ? NEW_MODELS : []) await dialog.getByText(model).first().waitFor();
      expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
      await leave();
    },
  );
});
