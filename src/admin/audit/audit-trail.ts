// Puts operators' actions on record: the sender, the action, its target, and the changed fields as they were and are.
import {
  type AuditAction,
  type AuditEntry,
  type AuditFacts,
  type AuditFields,
  type AuditTarget,
  makeAuditEvent,
} from "../../core/audit/audit-log.ts";
import type { Checkout } from "../../core/books/checkout.ts";
import type { Changes, OperatorSetting, RowChange, Trail } from "../../core/changes.ts";
import type { OutboxEvent } from "../../core/events/events.ts";
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { CREDENTIAL_FIELDS } from "../../core/fields/credential.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { type GatewayKey, showPausers } from "../../core/keys/key.ts";
import { toUsd } from "../../core/money/money.ts";
import type { LimitRequest } from "../../core/people/limit-request.ts";
import { type Act, GATEWAY, type Grant, type Member, type NamedToken } from "../../core/people/people.ts";
import type { StoredCredential } from "../../core/rows.ts";
import { mintOrderedId } from "../../core/world/ordered-id.ts";
import { parseKeyRing, readFingerprint } from "../../keys/data-keys.ts";
import { viewFields } from "../fields.ts";
import { formatInstantOrNull } from "../format.ts";
import { describeAsked } from "../limits/limit-requests.ts";
import { viewTarget } from "../models/alias-target.ts";
import { readStoredAliases } from "../models/aliases.ts";
import { describeLesson, readStoredRules } from "../models/model-rules.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";
import { describeSwitchedOff } from "./credential-entries.ts";
import { describeGroup, describeUser, listDirectoryEvents } from "./directory-entries.ts";
import { describeFile, describeSessions } from "./removed-entries.ts";

type EntryParts = Pick<AdminWorld, "clock" | "random">;

export function makeEntry(
  { clock, random }: EntryParts,
  { claim, stopsOlder, ...act }: Act,
  action: AuditFacts,
): AuditEntry {
  const usual = { outcome: "success", accountId: null, reason: null, before: null, after: null } as const;
  const atMs = clock.nowMs();
  // Entries of one millisecond are chained in the order of their ids.
  return { id: `aud_${mintOrderedId(random, atMs)}`, atMs, act, ...usual, ...action };
}

/** Returns the world with changes that are put on record as the sender's, each with these events, and with what `add` says. */
export function actAs<World extends AdminWorld>(
  world: World,
  act: Act,
  events: readonly OutboxEvent[] = [],
  add: (facts: AuditFacts) => AuditFacts = (facts) => facts,
): World & Omit<ActingWorld, "store"> {
  const trail: Trail = (change) => [
    ...listFacts(change).map((facts) => makeAuditEvent(makeEntry(world, act, add(facts)))),
    ...listDirectoryEvents(change, world.clock.nowMs()),
    ...events,
  ];
  return { ...world, act, changes: world.store.changes(trail, act) };
}

/** Returns changes that are put on record as the sender's, without the values before, which are to be forgotten. */
export function changeForgetting(world: AdminWorld, act: Act): Changes {
  return world.store.changes((change) =>
    listFacts(change).map((facts) => makeAuditEvent(makeEntry(world, act, { ...facts, before: null }))),
  );
}

/** Puts an action on record that has no transaction of its own. */
export function recordAct(world: AdminWorld, act: Act, action: AuditFacts): Promise<void> {
  return world.store.auditLog.add([makeEntry(world, act, action)]);
}

/** Returns a function that puts on record what is done by an act's sender, or by the gateway itself, with its events. */
export function makeRecordAs(world: AdminWorld) {
  return (act = GATEWAY, events: readonly OutboxEvent[] = []) => ({
    changes: actAs(world, act, events).changes,
    note: (facts: AuditFacts) => recordAct(world, act, facts),
  });
}

/** A moved key is on record in both accounts, so that those who see one of them alone know of it. */
function listFacts(change: RowChange): readonly AuditFacts[] {
  const facts = describeChange(change);
  if (facts === null) return [];
  const from = change.kind === "key" ? change.before?.accountId : undefined;
  return from === undefined || from === facts.accountId ? [facts] : [facts, { ...facts, accountId: from }];
}

/** Returns what a change is on record as. Null if no field of it shows. */
function describeChange(change: RowChange): AuditFacts | null {
  switch (change.kind) {
    case "account":
      return describe(
        change,
        "account",
        (row) => ({ ...viewFields(ACCOUNT_FIELDS, row), paused_by: showPausers(row) }),
        ({ id }) => id,
      );
    case "key":
      return describeKey(change);
    case "limit_request":
      return describeLimitRequest(change);
    case "checkout":
      return describeCheckout(change);
    case "file":
      return describeFile(change);
    case "credential":
      return describeCredential(change);
    case "token":
      return describeToken(change);
    case "member":
      return describeMember(change);
    case "sessions":
      return describeSessions(change);
    case "directory_user":
      return describeUser(change);
    case "directory_group":
      return describeGroup(change);
    case "people_left":
      return null;
    case "thing":
      return describeThing(change);
    case "setting":
      return describeSetting(change);
    case "refusal_lesson":
      return describeLesson(change.lesson);
    case "lessons":
      return { action: "learning.forgotten", target: { type: "model", id: change.model ?? "", name: "" } };
  }
}

function describeThing(change: Extract<RowChange, { kind: "thing" }>): AuditFacts | null {
  const { thing, before, after } = change;
  const { fields, actions, name: type } = thing;
  if (after === null) return null;
  const [title = ""] = Object.values(fields).map(({ property }) => after.values[property]);
  const about = { target: { type, id: after.id, name: String(title) }, accountId: after.accountId };
  if (before !== null && before.endedAtMs !== after.endedAtMs) return { action: actions.end.audit, ...about };
  const shown = compare(mapPair(change, ({ values }) => viewFields(fields, values)));
  const { audit: action } = before === null ? actions.make : actions.change;
  return shown && { action, ...about, ...shown };
}

const describeSetting = (change: Extract<RowChange, { kind: "setting" }>) => SETTINGS[change.name](change);

/** Only fingerprints of the master keys are on record. */
function describeMasterKeys(change: Pair<string>): AuditFacts | null {
  const { before, after } = mapPair(change, (text) => parseKeyRing(text).wrapped.map(readFingerprint));
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  const isEnded = before !== null && after !== null && after.length < before.length;
  return {
    action: isEnded ? "store.master_key_ended" : "store.master_key_added",
    target: { type: "store", id: "", name: "" },
    before: { master_keys: before ?? [] },
    after: { master_keys: after ?? [] },
  };
}

const RESET: AuditFacts = { action: "admin_token.reset", target: { type: "admin_token", id: "", name: "" } };

const SETTINGS: Readonly<Record<OperatorSetting, (change: Pair<string>) => AuditFacts | null>> = {
  aliases: describeAliases,
  model_rules: describeModelRules,
  credentials_off: describeSwitchedOff,
  data_keys: describeMasterKeys,
  admin_token_digest: () => RESET,
  // The configuration that it comes from is on record.
  guard_acts: () => null,
};

interface Pair<Row> {
  readonly before: Row | null;
  readonly after: Row | null;
}

/** Returns the fields that differ, as they were and as they are. Null if none does. */
function compare({ before, after }: Pair<AuditFields>): Pair<AuditFields> | null {
  if (before === null || after === null) return before === after ? null : { before, after };
  const names = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pick = (fields: AuditFields) => Object.fromEntries(names.map((name) => [name, fields[name]]));
  return names.length === 0 ? null : { before: pick(before), after: pick(after) };
}

function mapPair<Row, Shown>({ before, after }: Pair<Row>, show: (row: Row) => Shown): Pair<Shown> {
  return { before: before && show(before), after: after && show(after) };
}

interface AuditedRow {
  readonly id: string;
  readonly name: string;
}

/** Describes a row that was created or changed. */
function describe<Row extends AuditedRow>(
  change: Pair<Row>,
  type: "account" | "key" | "member",
  show: (row: Row) => AuditFields,
  findAccount: (row: Row) => string | null,
): AuditFacts | null {
  const row = change.after ?? change.before;
  const shown = compare(mapPair(change, show));
  if (row === null || shown === null) return null;
  const action = `${type}.${change.before === null ? "created" : "changed"}` as const;
  return { action, target: { type, id: row.id, name: row.name }, accountId: findAccount(row), ...shown };
}

function describeKey(change: Pair<GatewayKey>): AuditFacts | null {
  const { before, after } = change;
  const changed = describe(
    change,
    "key",
    (row) => ({ ...viewFields(KEY_FIELDS, row), member_id: row.memberId, paused_by: showPausers(row) }),
    (row) => row.accountId,
  );
  if (before === null || after === null) return changed;
  const target: AuditTarget = { type: "key", id: after.id, name: after.name };
  const about = { target, accountId: after.accountId };
  if (before.revokedAtMs !== after.revokedAtMs) return { action: "key.revoked", ...about };
  if (before.rotations === after.rotations) return changed;
  const show = (row: GatewayKey) => ({ last4: row.last4 });
  const until = { old_secret_expires_at: formatInstantOrNull(after.oldSecretUntilMs) };
  return { action: "key.rotated", ...about, before: show(before), after: { ...show(after), ...until } };
}

/** The member's words stand in the request alone, where they are erased with the person. */
function describeLimitRequest({ before, after }: Pair<LimitRequest>): AuditFacts | null {
  if (after === null || before?.state === after.state) return null;
  const target = { type: "limit_request", id: after.id, name: "" } as const;
  const about = { target, accountId: after.accountId };
  const asked = { member_id: after.memberId, ...describeAsked(after) };
  const { state, note } = after;
  if (before === null) return { action: "limit_request.made", ...about, after: { ...asked, state } };
  return { action: "limit_request.decided", ...about, before: asked, after: { state, note } };
}

function describeCheckout({ after }: Pair<Checkout>): AuditFacts | null {
  if (after === null) return null;
  const { id, accountId, nanoUsd } = after;
  const target = { type: "checkout", id, name: "" } as const;
  return { action: "checkout.created", target, accountId, after: { amount_usd: toUsd(nanoUsd) } };
}

function describeCredential(change: Pair<StoredCredential>): AuditFacts | null {
  const { before, after } = change;
  const row = after ?? before;
  if (row === null) return null;
  const target: AuditTarget = { type: "credential", id: row.id, name: row.provider };
  const pair = mapPair(change, (one) => viewFields(CREDENTIAL_FIELDS, one));
  if (before === null || after === null) {
    return { action: before === null ? "provider.added" : "provider.removed", target, ...pair };
  }
  const shown = compare(pair);
  if (before.sealed === after.sealed) return shown && { action: "provider.changed", target, ...shown };
  return {
    action: "provider.changed",
    target,
    before: shown?.before ?? {},
    after: { ...shown?.after, key: "replaced" },
  };
}

function viewToken({ name, grants, readsContent, contact, expiresAtMs }: NamedToken): AuditFields {
  const shown = grants.map(({ role, accountId }) => ({ role, account: accountId }));
  return {
    name,
    grants: shown,
    content: readsContent,
    contact,
    expires_at: formatInstantOrNull(expiresAtMs),
  };
}

/** Returns the account that all of the grants are in. Null if there are several, or none. */
export function findOnlyAccount(grants: readonly Grant[]): string | null {
  const [first, ...others] = new Set(grants.map(({ accountId }) => accountId));
  return others.length === 0 ? (first ?? null) : null;
}

function describeToken({ before, after }: Pair<NamedToken>): AuditFacts | null {
  if (after === null) return null;
  const target: AuditTarget = { type: "token", id: after.id, name: after.name };
  const about = { target, accountId: findOnlyAccount(after.grants) };
  if (before === null) return { action: "token.created", ...about, before: null, after: viewToken(after) };
  if (before.revokedAtMs !== after.revokedAtMs) return { action: "token.revoked", ...about };
  const show = ({ makerKind: kind, makerId: id, last4 }: NamedToken) => ({ created_by: { kind, id }, last4 });
  return { action: "token.taken", ...about, before: show(before), after: show(after) };
}

function viewMember({ name, email, ruleGrants, ownGrants, ownUntilMs, isDisabled }: Member): AuditFields {
  const show = ({ role, accountId }: Member["ownGrants"][number]) => ({ role, account: accountId });
  return {
    name,
    email,
    by_rules: ruleGrants.map(show),
    by_admins: ownGrants.map(show),
    until: formatInstantOrNull(ownUntilMs),
    disabled: isDisabled,
  };
}

/** The name that is erased isn't written again. */
function describeMember(change: Pair<Member>): AuditFacts | null {
  const { before, after } = change;
  if (after !== null && after.anonymisedAtMs !== null) {
    if (before?.anonymisedAtMs === after.anonymisedAtMs) return null;
    return { action: "member.anonymised", target: { type: "member", id: after.id, name: "" } };
  }
  return describe(change, "member", viewMember, () => null);
}

/** A change adds, changes or deletes one alias. */
function describeAliases({ before, after }: Pair<string>): AuditFacts | null {
  const show = (value: string | null) =>
    new Map(readStoredAliases(value).map(({ name, target }) => [name, { target: viewTarget(target) }]));
  const were = show(before);
  const are = show(after);
  for (const name of new Set([...were.keys(), ...are.keys()])) {
    const pair = compare({ before: were.get(name) ?? null, after: are.get(name) ?? null });
    if (pair === null) continue;
    return { action: nameAliasAction(pair), target: { type: "alias", id: name, name }, ...pair };
  }
  return null;
}

/** A change is about one model. */
function describeModelRules({ before, after }: Pair<string>): AuditFacts | null {
  const were = readStoredRules(before);
  const are = readStoredRules(after);
  for (const id of new Set([...were.keys(), ...are.keys()])) {
    const show = (words: readonly string[] | undefined) => ({ refuses: words ?? [] });
    const pair = compare({ before: show(were.get(id)), after: show(are.get(id)) });
    if (pair !== null) return { action: "model.changed", target: { type: "model", id, name: id }, ...pair };
  }
  return null;
}

function nameAliasAction({ before, after }: Pair<unknown>): AuditAction {
  if (before === null) return "alias.created";
  return after === null ? "alias.deleted" : "alias.changed";
}
