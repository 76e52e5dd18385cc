// The page that shows the cause of a problem.
import type { ProblemView } from "../../admin/events/problems.ts";
import { makeHref } from "./route.ts";

const PAGES: Readonly<Record<ProblemView["kind"], string>> = {
  provider: "/settings/providers",
  configuration: "/settings/limits",
  payment: "/settings/accounts",
  store: "/settings/limits",
};

/** A provider's own page, since others may be listed above it. */
export function findCause({ kind, provider }: Pick<ProblemView, "kind" | "provider">): string {
  const page = PAGES[kind];
  return makeHref(provider === null ? page : `${page}/${encodeURIComponent(provider)}`);
}
