// The order of lists of our own: none follows that is older, or that has another's number.
import type { LastList } from "../../core/money/taken-mark.ts";
import { FeedError } from "./feed.ts";
import type { ListHead } from "./poundkey-list.ts";

interface OrderRules {
  /** Undefined if none was gone through. */
  readonly last: LastList | undefined;
  /** The only number that counts. Undefined for any. */
  readonly pin: number | undefined;
  /** The day of the built-in rows, where no file remembers lists. Null where one does. */
  readonly builtInDay: string | null;
  /** True if an older list may follow. */
  readonly mayBeOlder?: boolean;
}

/** Throws a FeedError if the list may not follow the last one. */
export function checkOrder(
  { serial, asOf, sha256 }: Pick<ListHead, "serial" | "asOf"> & { readonly sha256: string },
  { last, pin, builtInDay, mayBeOlder = false }: OrderRules,
): void {
  if (pin !== undefined && serial !== pin)
    throw new FeedError(`its serial is ${serial}, and catalogue.watch.pin is ${pin}`, "pinned");
  if (builtInDay !== null && asOf < builtInDay && !mayBeOlder)
    throw new FeedError(`it is of ${asOf}, before the built-in prices of ${builtInDay}`, "older");
  if (last?.serial === undefined) return;
  if (serial < last.serial && !mayBeOlder)
    throw new FeedError(`its serial is ${serial}, and the last one taken was ${last.serial}`, "older");
  if (serial === last.serial && last.sha256 !== undefined && sha256 !== last.sha256)
    throw new FeedError(`its serial ${serial} was that of another list`, "reused");
}
