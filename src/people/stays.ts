// Lists what outlasts the access of a person: things whose secret they were shown, or that they look after, and their account.
import type { AuditAction, AuditRow } from "../core/audit/audit-log.ts";
import type { GatewayKey } from "../core/keys/key.ts";
import type { Member, NamedToken } from "../core/people/people.ts";
import type { Store } from "../core/store.ts";
import { makePersonalAccountId } from "./personal-account.ts";
import { eachKey } from "./personal-keys.ts";

const CHAINED_AT_ONCE = 100;
const ROWS_AT_ONCE = 500;
const TOKENS_MAX = 1000;
/** Events name this many, and count the others. */
const TOLD_MAX = 100;

export const STAY_TYPES = ["account", "key", "token"] as const;
export const STAY_REASONS = ["made", "rotated", "contact", "own"] as const;

/** Something that still works, and the person's part in it. */
export interface Stay {
  readonly type: (typeof STAY_TYPES)[number];
  readonly id: string;
  readonly name: string;
  /** Null if it concerns no account, or several. */
  readonly accountId: string | null;
  readonly why: (typeof STAY_REASONS)[number];
}

interface StayParts {
  readonly store: Store;
  readonly pepper: Uint8Array;
  readonly nowMs: number;
}

type Person = Pick<Member, "id" | "email">;

/**
 * Returns the person's own account, service keys and tokens that others uphold: those whose secret the person was the last
 * to be shown, as far as the audit is kept, and those of which the person is the contact.
 */
export async function listStays(parts: StayParts, person: Person): Promise<readonly Stay[]> {
  while ((await parts.store.auditLog.chain(CHAINED_AT_ONCE)) !== null);
  const tokens = await parts.store.people.tokens(TOKENS_MAX);
  const senders = listSenders(tokens, person.id);
  return [
    ...(await listPersonalAccount(parts, person)),
    ...(await listServiceKeys(parts, person, senders)),
    ...listTokens(parts, person, tokens, senders),
  ];
}

/** Returns what an event says of them. */
export async function describeStays(parts: StayParts, person: Person) {
  const stays = await listStays(parts, person);
  return {
    stays: stays
      .slice(0, TOLD_MAX)
      .map(({ type, id, name, accountId: account_id, why }) => ({ type, id, name, account_id, why })),
    stays_more: Math.max(0, stays.length - TOLD_MAX),
  };
}

/** Returns the ids under which the person acted: their own, and those of the tokens that stand on them. */
function listSenders(tokens: readonly NamedToken[], memberId: string): ReadonlySet<string> {
  const senders = new Set([memberId]);
  for (let known = 0; known < senders.size; ) {
    known = senders.size;
    for (const { id, makerId } of tokens) if (senders.has(makerId)) senders.add(id);
  }
  return senders;
}

async function listPersonalAccount({ store, pepper }: StayParts, { id: memberId }: Person): Promise<Stay[]> {
  const account = await store.account(makePersonalAccountId(memberId, pepper));
  if (account === null || account.closedAtMs !== null) return [];
  const { id, name } = account;
  return [{ type: "account", id, name, accountId: id, why: "own" }];
}

async function listServiceKeys(
  { store, nowMs }: StayParts,
  { email }: Person,
  senders: ReadonlySet<string>,
): Promise<readonly Stay[]> {
  const stays = new Map<string, Stay>();
  const add = (key: GatewayKey, why: Stay["why"]) => {
    const { id, name, accountId, memberId, expiresAtMs } = key;
    if (memberId !== null || (expiresAtMs !== null && expiresAtMs <= nowMs) || stays.has(id)) return;
    stays.set(id, { type: "key", id, name, accountId, why });
  };
  for (const [id, why] of await listShownKeys(store, senders)) {
    const key = await store.key(id);
    if (key !== null && key.revokedAtMs === null) add(key, why);
  }
  if (email !== null)
    await eachKey(store, { contact: email.toLowerCase() }, async (key) => add(key, "contact"));
  return [...stays.values()];
}

/** Returns the keys whose latest secret was shown to one of these senders, by their ids. */
async function listShownKeys(
  { auditLog }: Pick<Store, "auditLog">,
  senders: ReadonlySet<string>,
): Promise<ReadonlyMap<string, "made" | "rotated">> {
  const shown = new Map<string, "made" | "rotated">();
  for (const actor of senders) {
    for await (const id of findTargets(auditLog, actor, "key.created")) shown.set(id, "made");
  }
  for (const actor of senders) {
    for await (const id of findTargets(auditLog, actor, "key.rotated")) shown.set(id, "rotated");
  }
  for (const id of shown.keys()) {
    const filter = { action: "key.rotated", target: id, outcome: "success", accountIds: null } as const;
    const [latest] = await auditLog.rows(filter, { limit: 1, before: null });
    if (latest !== undefined && !senders.has(latest.actorId)) shown.delete(id);
  }
  return shown;
}

/** Yields the targets of an actor's acts, the newest first. */
async function* findTargets(
  auditLog: Store["auditLog"],
  actor: string,
  action: AuditAction,
): AsyncGenerator<string> {
  const filter = { actor, action, outcome: "success", accountIds: null } as const;
  let before: number | null = null;
  for (;;) {
    const rows: readonly AuditRow[] = await auditLog.rows(filter, { limit: ROWS_AT_ONCE, before });
    for (const { targetId } of rows) yield targetId;
    before = rows.at(-1)?.seq ?? null;
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

function listTokens(
  { nowMs }: StayParts,
  { email }: Person,
  tokens: readonly NamedToken[],
  senders: ReadonlySet<string>,
): readonly Stay[] {
  const address = email?.toLowerCase();
  const isContact = ({ contact }: NamedToken) =>
    address !== undefined && contact?.trim().toLowerCase() === address;
  return tokens
    .filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs)
    .filter(({ id, revokedAtMs }) => revokedAtMs === null && !senders.has(id))
    .filter(isContact)
    .map(({ id, name, grants }) => {
      const [first] = grants;
      const accountId = grants.length === 1 && first !== undefined ? first.accountId : null;
      return { type: "token", id, name, accountId, why: "contact" };
    });
}
