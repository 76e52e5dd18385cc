// The table of budgets in src/README.md, which is changed by hand.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../tidy/sources.ts";

/** The guide's text, in one line. */
export const GUIDE = readFileSync(join(ROOT, "src/README.md"), "utf8").replaceAll(/\s+/g, " ");

/** Returns the numbers of a row. */
export function readBudget(name: string): readonly number[] {
  const [, cell = ""] = new RegExp(`\\| ${RegExp.escape(name)} \\| ([^|]+) \\|`).exec(GUIDE) ?? [];
  return cell.split("/").map((number) => Number(number.replaceAll(",", "").trim() || Number.NaN));
}
