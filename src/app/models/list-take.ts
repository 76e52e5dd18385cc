// Takes what is safe of a watched list into the catalogue file, as `poundkey catalogue update --apply` does.
import { createHash } from "node:crypto";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { checkOrder } from "../../catalogue/feeds/list-order.ts";
import type { Proposal } from "../../catalogue/feeds/verdict.ts";
import { readCatalogueContent } from "../../config/models/catalogue-file.ts";
import type { CatalogueWatch } from "../../core/settings.ts";
import { writeApart } from "./catalogue-apart.ts";
import { changeCatalogueFile } from "./catalogue-file.ts";
import type { LookSettings, SeenList } from "./list-look.ts";

/** Returns the changes that are taken without a person. */
export function listTaken(proposals: readonly Proposal[], take: CatalogueWatch["take"]): readonly Proposal[] {
  if (take === undefined) return [];
  return proposals.filter(({ verdict, isNew }) => verdict === "taken" && (isNew || take === "safe"));
}

/**
 * Writes what is taken, and that the list was gone through. Returns the changes that were taken: none if the file isn't the one
 * that the list was compared with, since its reload leads to another look. Throws a FeedError if another process has gone
 * through a newer list meanwhile.
 */
export async function takeList(
  { take, pin }: CatalogueWatch,
  seen: SeenList,
  { catalogueFile, catalogueDigest }: LookSettings,
): Promise<readonly Proposal[]> {
  if (take === undefined || catalogueFile === undefined) return [];
  const { list, sha256, format, asOf, atMs } = seen;
  const accepted = listTaken(seen.proposals, take);
  const written = await changeCatalogueFile(catalogueFile, async (before) => {
    if (before !== null && digest(before) !== catalogueDigest) return null;
    const content = before === null ? { rows: [] } : readCatalogueContent(before);
    if (typeof content === "string") throw new FeedError(content);
    const { list: last } = content;
    if (list !== null) checkOrder({ ...list, sha256 }, { last, pin, builtInDay: null });
    const isPassed = last !== undefined && last.serial === list?.serial && last.asOf === asOf;
    if (accepted.length === 0 && isPassed) return null;
    const taken = { format, serial: list?.serial ?? null, sha256, asOf };
    return await writeApart({ before, accepted, list: taken, nowMs: atMs });
  });
  return written === "written" ? accepted : [];
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
