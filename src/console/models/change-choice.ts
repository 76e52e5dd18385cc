// The choice among the changes of a list of prices: none of a model's, those that may be taken, or also those that wait.
import type { PriceReview } from "../../admin/models/price-review-schema.ts";

export type Change = PriceReview["changes"][number];

/** The models of which something is chosen. Those that are missing aren't. */
export type Choice = ReadonlyMap<string, "safe" | "all">;

/** Changes that wait are chosen by a person alone, and so are those of providers that aren't enabled. */
export function chooseSafe(changes: readonly Change[]): Choice {
  const safe = changes.filter(({ verdict, enabled }) => verdict === "taken" && enabled);
  return new Map(safe.map(({ id }) => [id, "safe"]));
}

export function canChoose({ verdict }: Change): boolean {
  return verdict === "taken" || verdict === "waits";
}

export function isChosen(chosen: Choice, { id, verdict }: Pick<Change, "id" | "verdict">): boolean {
  const level = chosen.get(id);
  return level === "all" || (level === "safe" && verdict === "taken");
}

/** A model's changes that wait are taken with its others: they were compared together. */
export function toggleChange(chosen: Choice, { id, verdict }: Change, hasSafe: boolean): Choice {
  const isOn = isChosen(chosen, { id, verdict });
  const next = new Map(chosen);
  next.delete(id);
  if (verdict === "taken" && !isOn) next.set(id, "safe");
  if (verdict === "waits" && !isOn) next.set(id, "all");
  if (verdict === "waits" && isOn && hasSafe) next.set(id, "safe");
  return next;
}

/** The bodies of the requests that take what is chosen. */
export function listAcceptances(
  chosen: Choice,
  { list }: Pick<PriceReview, "list">,
): readonly { readonly only: readonly string[]; readonly yes: boolean }[] {
  const seen = {
    ...(list.serial === null ? {} : { serial: list.serial }),
    ...(list.sha256 === null ? {} : { sha256: list.sha256 }),
  };
  return (
    [
      ["all", true],
      ["safe", false],
    ] as const
  ).flatMap(([level, yes]) => {
    const only = [...chosen].flatMap(([id, one]) => (one === level ? [id] : []));
    const parts = Array.from({ length: Math.ceil(only.length / ONLY_MAX) }, (_, at) =>
      only.slice(at * ONLY_MAX, (at + 1) * ONLY_MAX),
    );
    return parts.map((part) => ({ ...seen, only: part, yes }));
  });
}

/** A request names no more of them. */
const ONLY_MAX = 1000;

interface ChangeGroup {
  readonly title: string;
  readonly holds: (change: Change) => boolean;
}

/** A change stands in the first group that holds it. */
const GROUPS: readonly ChangeGroup[] = [
  { title: "New models", holds: (change) => change.new && canChoose(change) },
  { title: "May be taken", holds: ({ verdict }) => verdict === "taken" },
  { title: "Wait for you", holds: ({ verdict }) => verdict === "waits" },
  { title: "Older than the built-in prices", holds: ({ verdict }) => verdict === "older" },
  { title: "No last days: never taken", holds: ({ verdict }) => verdict === "not_an_end" },
  { title: "Refused", holds: ({ verdict }) => verdict === "refused" },
];

export function nameGroup(change: Change): string {
  return GROUPS.find(({ holds }) => holds(change))?.title ?? "";
}

export function sortByGroup(changes: readonly Change[]): readonly Change[] {
  const place = (change: Change) => GROUPS.findIndex(({ holds }) => holds(change));
  return changes.toSorted((one, other) => place(one) - place(other));
}
