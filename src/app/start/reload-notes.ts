// Puts reloads of the configuration on record, with digests of what was and what is.
import { makeEntry } from "../../admin/audit/audit-trail.ts";
import type { AdminWorld } from "../../admin/world.ts";
import { type CardChange, compareKnown, isSameRow, listKnown } from "../../catalogue/compare.ts";
import type { ConfigError } from "../../config/errors.ts";
import type { AuditEntry, AuditTarget } from "../../core/audit/audit-log.ts";
import { GATEWAY } from "../../core/people/people.ts";
import type { Settings } from "../../core/settings.ts";
import type { Log } from "../../core/world/world.ts";
import { digestSecret } from "../../keys/secret.ts";
import { compareGuards } from "../guard/changes.ts";

const MINUTE_MS = 60_000;

interface Reporting {
  readonly world: AdminWorld;
  readonly log: Log;
}

export function noteReload({ world, log }: Reporting, before: Settings, after: Settings): void {
  const was = digestSettings(world, before);
  const is = digestSettings(world, after);
  const about = { action: "configuration.loaded", outcome: "success" } as const;
  const guard = compareGuards(before.guard, after.guard, world.pepper);
  add(
    { world, log },
    { ...about, before: { digest: was, ...guard.before }, after: { digest: is, ...guard.after } },
  );
  noteCatalogue({ world, log }, before, after).catch((error: unknown) => {
    log({ event: "audit_failed", level: "warn", cause: String(error) });
  });
}

/** The fields of a changed catalogue that an entry names. */
const FIELDS_MAX = 200;
/** Compared at once, in about a millisecond. */
const MODELS_AT_ONCE = 5;

/** Puts the prices and other facts on record that a changed catalogue file brings. Requests go on between its parts. */
async function noteCatalogue({ world, log }: Reporting, before: Settings, after: Settings): Promise<void> {
  if (before.catalogueDigest === after.catalogueDigest) return;
  const rows = [before, after].map(
    ({ newerModels = [] }) => new Map(newerModels.map((card) => [card.id, card])),
  );
  const [old, now] = rows;
  const ids = [...new Set(rows.flatMap((one) => [...one.keys()]))];
  await Bun.sleep(0);
  const known = listKnown(before);
  await Bun.sleep(0);
  const fresh = listKnown(after);
  const changes: CardChange[] = [];
  for (const part of chunk(ids, MODELS_AT_ONCE)) {
    await Bun.sleep(0);
    const rewritten = part.filter((id) => !isSameRow(old?.get(id), now?.get(id)));
    changes.push(...compareKnown(known, fresh, rewritten));
  }
  if (changes.length === 0) return;
  const fields = changes.flatMap((change) => change.fields.map((field) => ({ id: change.id, ...field })));
  const pick = (side: "before" | "after") =>
    Object.fromEntries(
      fields.slice(0, FIELDS_MAX).map((field) => [`${field.id} ${field.field}`, field[side]]),
    );
  const as_of = after.catalogueList?.asOf ?? after.catalogueAsOf ?? null;
  log({ event: "catalogue_updated", models: changes.length, fields: fields.length, as_of });
  const about = { action: "catalogue.updated", outcome: "success" } as const;
  add({ world, log }, { ...about, before: pick("before"), after: { as_of, ...pick("after") } }, CATALOGUE);
}

function* chunk<One>(list: readonly One[], size: number): Generator<readonly One[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}

export function noteRefusedReload(reporting: Reporting, errors: readonly ConfigError[]): void {
  const fields = errors.map(({ file, line, field }) => `${file}:${line} ${field}`.trim());
  const about = { action: "configuration.refused", outcome: "refused", reason: "invalid" } as const;
  add(reporting, { ...about, after: { fields } });
}

/** The settings hold secrets, so the digest is keyed. The catalogue file's own digest stands for its thousands of rows, and a line that moves changes nothing. */
function digestSettings(
  { pepper }: AdminWorld,
  { newerModels: _rows, origin: _lines, ...settings }: Settings,
): string {
  return digestSecret(JSON.stringify(settings), pepper);
}

const CONFIGURATION: AuditTarget = { type: "configuration", id: "", name: "" };
const CATALOGUE: AuditTarget = { type: "catalogue", id: "", name: "" };

type Reload = Pick<AuditEntry, "action" | "outcome"> &
  Partial<Pick<AuditEntry, "reason" | "before" | "after">>;

/** Workers reload the same file at the same moment, so their entries have the same id and only one is kept. */
function add({ world, log }: Reporting, reload: Reload, target: AuditTarget = CONFIGURATION): void {
  const entry = makeEntry(world, GATEWAY, { ...reload, target });
  const minute = Math.floor(entry.atMs / MINUTE_MS);
  const id = `aud_${digestSecret(`${minute} ${JSON.stringify(reload)}`, world.pepper).slice(0, 24)}`;
  world.store.auditLog.add([{ ...entry, id }]).catch((error: unknown) => {
    log({ event: "audit_failed", level: "warn", cause: String(error) });
  });
}
