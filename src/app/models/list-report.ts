// The report of a look at a watched list: the log's lines, the event for people, and the entry of the audit log.
import { makeEntry } from "../../admin/audit/audit-trail.ts";
import { countWaiting } from "../../catalogue/feeds/count-changes.ts";
import type { FeedError } from "../../catalogue/feeds/feed.ts";
import type { Proposal } from "../../catalogue/feeds/verdict.ts";
import type { AuditEntry } from "../../core/audit/audit-log.ts";
import type { OutboxEvent } from "../../core/events/events.ts";
import { GATEWAY } from "../../core/people/people.ts";
import type { CatalogueWatch } from "../../core/settings.ts";
import type { Clock, LogEvent, Random } from "../../core/world/world.ts";
import type { SeenList } from "./list-look.ts";
import { listTaken } from "./list-take.ts";

/** The new models that a line of the log names. */
const NAMED_MAX = 20;
/** The changes that an entry of the audit log names. */
const NOTED_MAX = 200;

export function describeLook({ counts, format, list }: SeenList): LogEvent {
  const { added, prices, ends, waits } = counts;
  const about = { format, serial: list?.serial ?? null, new: added.slice(0, NAMED_MAX) };
  return { event: "catalogue_compared", ...about, prices, ends, waits, left_out: list?.leftOut ?? 0 };
}

export function describeRefusal({ format }: Pick<CatalogueWatch, "format">, error: FeedError): LogEvent {
  return { event: "catalogue_refused", level: "warn", format, cause: error.why, detail: error.message };
}

/** Returns the event of a list that has something for a person. Its id is the same on every node. Null if it has nothing. */
export function makeWaitingEvent(
  { proposals, list, sha256, atMs }: SeenList,
  enabled: ReadonlySet<string>,
  take: CatalogueWatch["take"],
): OutboxEvent | null {
  const taken = new Set(listTaken(proposals, take, enabled));
  const left = proposals.filter((proposal) => !taken.has(proposal));
  const { added, prices, ends, changes } = countWaiting(left, enabled);
  if (changes === 0) return null;
  const data = { serial: list?.serial ?? null, new: added.length, prices, ends };
  const type = "catalogue.waiting";
  return { accountId: "", id: `${type} ${sha256}`, atMs, type, data };
}

/** Returns the entry of what was taken without a person. */
export function makeTakenEntry(
  world: { readonly clock: Pick<Clock, "nowMs">; readonly random: Random },
  { format, list, key }: SeenList,
  accepted: readonly Proposal[],
): AuditEntry {
  const changes = accepted.slice(0, NOTED_MAX).map(({ id, field, before, after }) => {
    return `${id} ${field}: ${before === null ? after : `${before} → ${after}`}`;
  });
  const after = { format, serial: list?.serial ?? null, key, accepted: accepted.length, changes };
  const target = { type: "catalogue", id: "", name: "" } as const;
  return makeEntry(world, GATEWAY, { action: "catalogue.updated", target, after });
}
