// Takes what is safe of a watched list into the catalogue file, as `poundkey catalogue update --apply` does.
import { createHash } from "node:crypto";
import type { Proposal } from "../../catalogue/feeds/verdict.ts";
import { formatDay } from "../../catalogue/later-prices.ts";
import { readProvider } from "../../core/models/card.ts";
import type { CatalogueWatch } from "../../core/settings.ts";
import { writeApart } from "./catalogue-apart.ts";
import { changeCatalogueFile } from "./catalogue-file.ts";
import type { LookSettings, SeenList } from "./list-look.ts";

/** Returns the changes of enabled providers' models that are taken without a person. */
export function listTaken(
  proposals: readonly Proposal[],
  take: CatalogueWatch["take"],
  enabled: ReadonlySet<string>,
): readonly Proposal[] {
  if (take === undefined) return [];
  return proposals.filter(
    ({ id, verdict, isNew }) =>
      verdict === "taken" && (isNew || take === "safe") && enabled.has(readProvider(id)),
  );
}

/**
 * Writes what is taken, and that the list was gone through. Returns the changes that were taken: none if the file isn't the one
 * that the list was compared with, since its reload leads to another look. Throws a FeedError if the file has gone through a
 * newer list meanwhile.
 */
export async function takeList(
  { take }: CatalogueWatch,
  seen: SeenList,
  { catalogueFile, catalogueDigest, catalogueList, providers }: LookSettings,
): Promise<readonly Proposal[]> {
  if (take === undefined || catalogueFile === undefined) return [];
  const { list, sha256, format, asOf, atMs } = seen;
  const enabled = new Set(providers.map(({ name }) => name));
  const accepted = listTaken(seen.proposals, take, enabled);
  if (accepted.length === 0 && isPassed(seen, catalogueList)) return [];
  const taken = { format, serial: list?.serial ?? null, sha256, asOf };
  const written = await changeCatalogueFile(catalogueFile, (before) => {
    const isCompared = (before === null ? undefined : digest(before)) === catalogueDigest;
    return isCompared ? writeApart({ before, accepted, list: taken, nowMs: atMs }) : null;
  });
  return written === "written" ? accepted : [];
}

function isPassed({ list, sha256, asOf, atMs }: SeenList, last: LookSettings["catalogueList"]): boolean {
  if (list !== null) return last?.serial === list.serial && last.sha256 === sha256;
  return last?.asOf === (asOf ?? formatDay(atMs));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
