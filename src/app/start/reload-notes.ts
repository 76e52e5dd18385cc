// Puts reloads of the configuration on record, with digests of what was and what is.
import { makeEntry } from "../../admin/audit/audit-trail.ts";
import type { AdminWorld } from "../../admin/world.ts";
import { compareCards, listRewritten } from "../../catalogue/compare.ts";
import type { ConfigError } from "../../config/errors.ts";
import type { AuditEntry, AuditTarget } from "../../core/audit/audit-log.ts";
import { GATEWAY } from "../../core/people/people.ts";
import type { Settings } from "../../core/settings.ts";
import type { Log } from "../../core/world/world.ts";
import { digestSecret } from "../../keys/secret.ts";

const MINUTE_MS = 60_000;

interface Reporting {
  readonly world: AdminWorld;
  readonly log: Log;
}

export function noteReload({ world, log }: Reporting, before: Settings, after: Settings): void {
  const was = digestSettings(world, before);
  const is = digestSettings(world, after);
  const about = { action: "configuration.loaded", outcome: "success" } as const;
  add({ world, log }, { ...about, before: { digest: was }, after: { digest: is } });
  noteCatalogue({ world, log }, before, after);
}

/** The fields of a changed catalogue that an entry names. */
const FIELDS_MAX = 200;

/** Puts the prices and other facts on record that a changed catalogue file brings. */
function noteCatalogue({ world, log }: Reporting, before: Settings, after: Settings): void {
  const ids = listRewritten(before.newerModels, after.newerModels);
  if (ids.size === 0) return;
  const changes = compareCards(before, after, ids);
  const fields = changes.flatMap((change) => change.fields.map((field) => ({ id: change.id, ...field })));
  const pick = (side: "before" | "after") =>
    Object.fromEntries(
      fields.slice(0, FIELDS_MAX).map((field) => [`${field.id} ${field.field}`, field[side]]),
    );
  const as_of = after.catalogueAsOf ?? null;
  log({ event: "catalogue_updated", models: changes.length, fields: fields.length, as_of });
  const about = { action: "catalogue.updated", outcome: "success" } as const;
  add({ world, log }, { ...about, before: pick("before"), after: { as_of, ...pick("after") } }, CATALOGUE);
}

export function noteRefusedReload(reporting: Reporting, errors: readonly ConfigError[]): void {
  const fields = errors.map(({ file, line, field }) => `${file}:${line} ${field}`.trim());
  const about = { action: "configuration.refused", outcome: "refused", reason: "invalid" } as const;
  add(reporting, { ...about, after: { fields } });
}

/** The settings hold secrets, so the digest is keyed. */
function digestSettings({ pepper }: AdminWorld, settings: Settings): string {
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
