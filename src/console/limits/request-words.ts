// A request for more, in words.
import type { LimitRequestView } from "../../admin/limits/limit-requests.ts";
import { formatCount, formatUsd } from "../frame/format.ts";
import { nameLimit } from "./limit-bars.tsx";

/** `$20.00 more for the budget per month`. */
export function describeRequest({ budget, limit, amount }: LimitRequestView): string {
  const kind = limit ?? "budget";
  const name = nameLimit({ kind, ...budget });
  const shown = kind === "budget" ? formatUsd(amount) : formatCount(amount);
  return `${shown} more: ${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}
