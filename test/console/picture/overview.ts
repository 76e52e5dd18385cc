// The overview of a demo, of which the README has a picture.
import { join } from "node:path";
import type { Page } from "playwright-core";

/** The page's outline and colours when the picture was taken. */
export const LOOK_FILE = join(import.meta.dir, "overview.data.json");
export const PICTURED = { viewport: { width: 1280, height: 860 }, colorScheme: "light" } as const;

/** Brings the page to the state in which the picture was taken. */
export async function showOverview(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Hide" }).click();
  await page.mouse.move(0, 0);
  await page.locator(".tile-value").first().waitFor();
  await page.locator(".card canvas").first().waitFor();
}
