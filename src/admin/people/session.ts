// The console's sign-in: exchanges a token for a secret that ends on expiry, on sign-out, or with the token or person.
import { Type } from "@sinclair/typebox";
import type { Session } from "../../core/people/people.ts";
import { ACTOR_KINDS, ROLES } from "../../core/people/people.ts";
import {
  checkTokenSecret,
  digestLogin,
  digestSecret,
  digestSession,
  isSameDigest,
  mintSessionSecret,
} from "../../keys/secret.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { type Access, ADMIN_TOKEN_ACCESS } from "../../people/access.ts";
import { PERMISSION_NAMES } from "../../people/roles.ts";
import { formatInstantOrNull, formatTimeOfDay } from "../format.ts";
import { allowNull, allowWords, closeObject, instant, text, type View } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { findNamedToken, findTokenById, grantSchema, grantView } from "./named-tokens.ts";
import { adminTokenDigest } from "./token.ts";

export const SESSION_MS = 12 * 3_600_000;

/** One of both. */
export const signInSchema = closeObject({
  token: Type.Optional(Type.String({ description: "The admin token, or a named one." })),
  once: Type.Optional(
    Type.String({ description: "The secret of the link that a quick start prints, which signs in once." }),
  ),
});

/** The sender of a request, and the sender's rights. */
export const sessionSchema = Type.Object({
  expires_at: allowNull(instant),
  version: text,
  time_zone: Type.String({ description: "The time zone of the gateway's days, `quota.time_zone`." }),
  day_starts: Type.String({ description: "When they begin, `quota.day_starts`." }),
  actor: Type.Object({ kind: allowWords(ACTOR_KINDS), id: text, name: text }),
  role: allowNull(allowWords(ROLES)),
  accounts: allowNull(Type.Array(text)),
  grants: Type.Array(grantSchema),
  permissions: Type.Array(
    Type.Object({
      name: allowWords(PERMISSION_NAMES),
      accounts: allowNull(
        Type.Array(text, { description: "The accounts in which it is given. Null for all accounts." }),
      ),
    }),
    { description: "What the sender may do." },
  ),
});
export type SessionView = View<typeof sessionSchema>;

/** The rights that a secret gives, and until when. Null if it has no end. */
export interface Proven {
  readonly access: Access;
  readonly expiresAtMs: number | null;
}

/** A session that has not ended, with the rights of its owner, as they are now. */
interface LiveSession extends Proven {
  readonly session: Session;
}

/** Facts about the gateway for everybody who is signed in. */
export interface GatewayFacts {
  /** The program's version. */
  readonly version: string;
  readonly dayRules: () => DayRules;
}

/** Shows highest roles per account. `role` is the highest of all, and `accounts` are those with any role. */
export function sessionView({ access, expiresAtMs }: Proven, facts: GatewayFacts): SessionView {
  const { timeZone, dayStartsMinutes } = facts.dayRules();
  const { actor, grants, role } = access;
  const isEverywhere = grants.some(({ accountId }) => accountId === null);
  return {
    expires_at: formatInstantOrNull(expiresAtMs),
    version: facts.version,
    time_zone: timeZone,
    day_starts: formatTimeOfDay(dayStartsMinutes),
    actor,
    role,
    accounts: isEverywhere ? null : [...new Set(grants.flatMap(({ accountId }) => accountId ?? []))],
    grants: grants.map(grantView),
    permissions: PERMISSION_NAMES.flatMap((name) => {
      const accounts = access.accountsWith(name);
      return accounts?.length === 0 ? [] : [{ name, accounts: accounts && [...accounts] }];
    }),
  };
}

/** Returns what the admin token or a named token gives. Null for any other text. */
export async function proveToken(
  world: AdminWorld,
  configured: string | null,
  secret: string,
): Promise<(Proven & Pick<Session, "tokenDigest" | "tokenId">) | null> {
  const digest = digestSecret(secret, world.pepper);
  const kept = await adminTokenDigest(world, configured);
  if (kept !== null && isSameDigest(kept, digest)) {
    return { access: ADMIN_TOKEN_ACCESS, expiresAtMs: null, tokenDigest: kept, tokenId: null };
  }
  const proven = checkTokenSecret(secret) ? await findNamedToken(world, secret) : null;
  if (proven === null) return null;
  const { token, access } = proven;
  return {
    access,
    expiresAtMs: token.expiresAtMs,
    tokenDigest: digest,
    tokenId: token.id,
  };
}

const UNKNOWN = { address: null, agent: null };

/** Stores a session and returns its secret. */
export async function beginSession(
  { store, pepper, random, clock }: AdminWorld,
  owner: Omit<Session, "digest" | "expiresAtMs" | "address" | "agent">,
  { address, agent }: Pick<Session, "address" | "agent"> = UNKNOWN,
): Promise<string> {
  const secret = mintSessionSecret(random);
  const nowMs = clock.nowMs();
  const digest = digestSession(secret, pepper);
  const session = { ...owner, address, agent, digest, expiresAtMs: nowMs + SESSION_MS };
  await store.people.addSession(session, nowMs);
  return secret;
}

/** Returns what the person may do whose session it is. Null if they are let in no more. */
export type FindPerson = (session: Session) => Promise<Access | null>;

/** Returns the session of a cookie's secret. Null if it has ended, or the token or person that it began with. */
export function findSession(
  world: AdminWorld,
  configured: string | null,
  secret: string,
  findPerson?: FindPerson,
): Promise<LiveSession | null> {
  return findByDigest(world, configured, digestSession(secret, world.pepper), findPerson);
}

/** The same for a sign-in of the command line. */
export function findLogin(
  world: AdminWorld,
  configured: string | null,
  secret: string,
  findPerson: FindPerson,
): Promise<LiveSession | null> {
  return findByDigest(world, configured, digestLogin(secret, world.pepper), findPerson);
}

async function findByDigest(
  world: AdminWorld,
  configured: string | null,
  digest: string,
  findPerson: FindPerson = async () => null,
): Promise<LiveSession | null> {
  const { store, clock } = world;
  const session = await store.people.session(digest);
  if (session === null || session.expiresAtMs <= clock.nowMs()) return null;
  const access =
    session.memberId === null ? await findTokenAccess(world, configured, session) : await findPerson(session);
  return access && { session, access, expiresAtMs: session.expiresAtMs };
}

async function findTokenAccess(
  world: AdminWorld,
  configured: string | null,
  { tokenId, tokenDigest }: Session,
): Promise<Access | null> {
  if (tokenId !== null) {
    return (await findTokenById(world, tokenId))?.access ?? null;
  }
  const kept = await adminTokenDigest(world, configured);
  return kept !== null && isSameDigest(kept, tokenDigest) ? ADMIN_TOKEN_ACCESS : null;
}

/** Ends a session, on every node. */
export function signOut({ store, pepper }: AdminWorld, secret: string): Promise<void> {
  return store.people.endSession(digestSession(secret, pepper));
}

/** Ends a sign-in of the command line, on every node. */
export function endLogin({ store, pepper }: AdminWorld, secret: string): Promise<void> {
  return store.people.endSession(digestLogin(secret, pepper));
}
