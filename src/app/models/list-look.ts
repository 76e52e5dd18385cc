// One look at a watched list: what it is, whether it may be used, and what it would change.
import { collectCards } from "../../catalogue/catalogue.ts";
import { SHIPPED_DAY } from "../../catalogue/feeds/as-of.ts";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { checkOrder } from "../../catalogue/feeds/list-order.ts";
import type { NumberedList } from "../../catalogue/feeds/read-feed.ts";
import type { LastList } from "../../core/money/taken-mark.ts";
import type { CatalogueWatch, Settings } from "../../core/settings.ts";
import { compareApart } from "./catalogue-apart.ts";
import type { ComparedList } from "./catalogue-thread.ts";
import { readBasis } from "./catalogue-update.ts";
import type { ObtainedList } from "./feed-fetch.ts";

export type LookSettings = Parameters<typeof readBasis>[0] &
  Pick<
    Settings,
    "catalogueFile" | "isCatalogueFileDefault" | "catalogueList" | "catalogueDigest" | "providers"
  >;

/** A list that was compared. */
export interface SeenList extends ComparedList {
  readonly atMs: number;
  readonly format: CatalogueWatch["format"];
  /** The models that it was compared with. */
  readonly known: ReturnType<typeof collectCards>;
  readonly sha256: string;
  /** The digits of the key that has signed it. Null if signatures aren't looked at. */
  readonly key: string | null;
}

/** Compares a list with the models in use. Throws a FeedError if it can't be used. */
export async function compareObtained(
  { format }: CatalogueWatch,
  { text, sha256, key }: ObtainedList,
  settings: LookSettings,
  nowMs: number,
): Promise<SeenList> {
  const enabled = new Set(settings.providers.map(({ name }) => name));
  const compared = await compareApart({ text, format, basis: readBasis(settings), enabled, nowMs });
  return { ...compared, atMs: nowMs, format, known: collectCards([], settings.newerModels), sha256, key };
}

type OrderSettings = Pick<
  Settings,
  "catalogueFile" | "isCatalogueFileDefault" | "catalogueList" | "catalogueWatch"
>;

interface FollowedList {
  /** The last list since the start, which counts where no file remembers it. */
  readonly remembered?: LastList | undefined;
  /** True if a person takes it although it is older. */
  readonly mayBeOlder?: boolean;
}

/** Throws a FeedError if the list may not follow the last one. */
export function checkFollows(
  { list, sha256 }: Pick<SeenList, "list" | "sha256">,
  { catalogueFile, isCatalogueFileDefault, catalogueList, catalogueWatch }: OrderSettings,
  { remembered, mayBeOlder = false }: FollowedList,
): void {
  if (list === null) return;
  const isNamed = catalogueFile !== undefined && isCatalogueFileDefault !== true;
  const last = catalogueFile === undefined ? remembered : catalogueList;
  const builtInDay = isNamed ? null : SHIPPED_DAY;
  checkOrder({ ...list, sha256 }, { last, pin: catalogueWatch?.pin, builtInDay, mayBeOlder });
}

/** Throws a FeedError for a watched list without a number, if it needs one. */
export function checkNumbered({ list }: Pick<SeenList, "list">, { format, pin, take }: CatalogueWatch): void {
  if (list === null && format === "poundkey" && (pin !== undefined || take !== undefined))
    throw new FeedError("it has no poundkey_catalogue and no serial, which pin and take need");
}

/** Returns what is remembered of a list that was gone through. */
export function rememberList({ serial, asOf }: NumberedList, sha256: string): LastList {
  return { serial, sha256, asOf };
}
