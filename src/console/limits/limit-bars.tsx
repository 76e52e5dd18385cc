// The limits of a key or an account, and how much of each is used.
import type { LimitView } from "../../admin/limits/limits.ts";
import { MINUTE_LIMITS, mapLimits } from "../../core/limits/limit-table.ts";
import { formatCount, formatRelativeTime, makeUsdFormat } from "../frame/format.ts";
import { Meter } from "../parts/states.tsx";

const KIND_WORDS = mapLimits(MINUTE_LIMITS, "name", ({ label }) => label);

interface LimitBarsProps {
  readonly limits: readonly LimitView[];
  /** The kind of owner that needn't be named. */
  readonly of: LimitView["scope"];
}

/** Returns the share that is used or reserved. A limit of 0 counts as used up. */
export function measureShare({
  used,
  reserved,
  limit,
}: Pick<LimitView, "used" | "reserved" | "limit">): number {
  return limit === 0 ? 1 : (used + reserved) / limit;
}

/** The one that refuses first stands first, and a budget before what only slows down. */
export function sortFullest(limits: readonly LimitView[]): readonly LimitView[] {
  const isBudget = ({ kind }: LimitView) => Number(kind === "budget");
  return limits.toSorted((a, b) => measureShare(b) - measureShare(a) || isBudget(b) - isBudget(a));
}

export function LimitBars({ limits, of }: LimitBarsProps) {
  return (
    <div class="limit-bars">
      {limits.map((limit, at) => (
        <LimitBar key={at} limit={limit} of={of} />
      ))}
    </div>
  );
}

function LimitBar({ limit, of }: { readonly limit: LimitView; readonly of: LimitView["scope"] }) {
  const { kind, scope, used, reserved, limit: most, resets_at } = limit;
  // A budget of dollars has cents: more decimals of what is used would only make the two hard to compare.
  const format = kind === "budget" ? makeUsdFormat(most >= 1 ? [most] : [used, most]) : formatCount;
  const name = nameLimit(limit);
  const words = `${format(used)} of ${format(most)}`;
  const remarks = [
    scope === of ? null : `of the ${scope}`,
    reserved > 0 ? `${format(reserved)} reserved` : null,
    resets_at && kind === "budget" ? `starts over ${formatRelativeTime(resets_at)}` : null,
  ].filter((remark) => remark !== null);
  return (
    <div class="limit-bar">
      <span class="small faint">{name}</span>
      <span>{words}</span>
      <Meter share={measureShare(limit)} label={`${name}: ${words}`} />
      {remarks.length > 0 && <span class="small faint">{remarks.join(" · ")}</span>}
    </div>
  );
}

export function nameLimit({ kind, per, models }: Pick<LimitView, "kind" | "per" | "models">): string {
  if (kind !== "budget") return KIND_WORDS[kind];
  const window = per === "total" ? "Budget in total" : `Budget per ${per}`;
  return models ? `${window} for ${models.join(", ")}` : window;
}
