// LiteLLM's limits of customers and tags, which bind requests and not keys: the keys that such requests came with are paused.
import { type ForeignRow, readFlag, readList, readText } from "../columns.ts";
import type { Report } from "../report.ts";
import type { Tables } from "./tables.ts";

const SHOWN_MAX = 3;

/** Returns the reasons to pause a key: its digest, and the tags that it has itself, which bind it in another way. */
type FindReasons = (digest: string, ownTags: readonly string[]) => readonly string[];

interface LimitedKind {
  /** For people: `customers`. */
  readonly word: string;
  readonly limited: readonly string[];
  /** The names by digest. Null if there is no record. */
  readonly uses: ReadonlyMap<string, ReadonlySet<string>> | null;
}

export function findUses({ customers, tags, customerUses, tagUses }: Tables, report: Report): FindReasons {
  const kinds = [
    describe("customers", listLimited(customers, "user_id"), customerUses),
    describe("tags", listLimited(tags, "tag_name"), tagUses),
  ];
  for (const { word, limited } of kinds)
    if (limited.length > 0)
      report.leave(
        null,
        `${word} with limits (${limited.length})`,
        "only keys and accounts have limits here, so keys that these were used with are paused",
      );
  return (digest, ownTags) => kinds.flatMap((kind) => explain(kind, digest, ownTags) ?? []);
}

function listLimited(rows: readonly ForeignRow[], column: string): readonly string[] {
  const isLimited = (row: ForeignRow) =>
    readText(row, "budget_id") !== null ||
    readText(row, "allowed_model_region") !== null ||
    readText(row, "object_permission_id") !== null ||
    readFlag(row, "blocked") ||
    readList(row, "models").length > 0;
  return rows.filter(isLimited).flatMap((row) => readText(row, column) ?? []);
}

function describe(word: string, limited: readonly string[], uses: Tables["customerUses"]): LimitedKind {
  if (uses === null) return { word, limited, uses };
  const wanted = new Set(limited);
  const byDigest = new Map<string, Set<string>>();
  for (const { name, digest } of uses)
    if (wanted.has(name)) byDigest.getOrInsertComputed(digest, () => new Set()).add(name);
  return { word, limited, uses: byDigest };
}

function explain(
  { word, limited, uses }: LimitedKind,
  digest: string,
  own: readonly string[],
): string | null {
  if (limited.length === 0) return null;
  if (uses === null) return `${word} with limits of their own may come with it: there is no record of that`;
  const names = [...(uses.get(digest) ?? [])].filter((name) => !own.includes(name));
  if (names.length === 0) return null;
  const more = names.length > SHOWN_MAX ? ` and ${names.length - SHOWN_MAX} more` : "";
  return `${word} with limits of their own came with it: ${names.slice(0, SHOWN_MAX).join(", ")}${more}`;
}
