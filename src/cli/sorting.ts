// The flags with which commands sort their lists, by the columns that the admin API sorts by.

import { suggest } from "../core/text/nearest.ts";
import { isUpwards, type ListName, SORTS, type SortOf } from "../core/things/sorts.ts";
import { type Arguments, type FlagKinds, UsageError } from "./arguments.ts";

export const SORT = { sort: "value", order: "value" } as const satisfies FlagKinds;

const ORDERS = ["asc", "desc"] as const;

interface ListOrder<List extends ListName> {
  readonly sort?: SortOf<List>;
  readonly order?: (typeof ORDERS)[number];
}

/** Returns the lines of help. `otherwise` says what the order is without the flags. */
export function describeSorts(list: ListName, otherwise = "newest first"): string {
  const words: readonly string[] = SORTS[list];
  const upwards = words.filter(isUpwards).join(", ");
  return `  --sort COLUMN             by ${words.join(", ")}; ${otherwise} if missing
  --order asc|desc          desc if missing, but asc by ${upwards}`;
}

/** Returns the fields of the list's query. Throws a UsageError for a column that it can't be sorted by. */
export function readSort<List extends ListName>(
  list: List,
  { values }: Pick<Arguments, "values">,
): ListOrder<List> {
  const words: readonly SortOf<List>[] = SORTS[list];
  const sort = choose("--sort", words, values.get("sort"));
  const order = choose("--order", ORDERS, values.get("order"));
  return { ...(sort && { sort }), ...(order && { order }) };
}

function choose<Word extends string>(
  flag: string,
  words: readonly Word[],
  given: string | undefined,
): Word | undefined {
  const found = words.find((word) => word === given?.toLowerCase());
  if (given === undefined || found !== undefined) return found;
  const near = suggest(given, words) || `; expected ${words.join(", ")}`;
  throw new UsageError(`unknown ${flag} ${given}${near}`);
}
