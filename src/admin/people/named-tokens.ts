// The use-cases on named tokens of the admin routes: create, list, revoke, and who still has one.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import { TOKEN_FIELDS } from "../../core/fields/token.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { ACTOR_KINDS, type Grant, type NamedToken, ROLES } from "../../core/people/people.ts";
import { digestSecret, mintId, mintTokenSecret } from "../../keys/secret.ts";
import { type Access, adminAccess, COMMAND_LINE, tokenAccess } from "../../people/access.ts";
import { memberAccess } from "../../people/member.ts";
import { makeNewSchema, readNew } from "../fields.ts";
import { formatInstant, formatInstantOrNull } from "../format.ts";
import type { ListPage } from "../list.ts";
import { allowNull, allowWords, boolean, instant, text, type View } from "../schema.ts";
import type { ActingWorld, AdminWorld } from "../world.ts";
import { beyondSenderEnd, findSenderEnd } from "./sender-rights.ts";
import { findMakers, findStanding, isExpired, isUpheld } from "./token-makers.ts";

export const LAST_CHARACTERS_SHOWN = 4;
const YEAR_MS = 366 * 86_400_000;
/** The list isn't paginated. */
const LISTED_MAX = 1000;

export const newTokenSchema = makeNewSchema(TOKEN_FIELDS);
export const TOKEN_KINDS = ["admin", "scim"] as const;

export const grantSchema = Type.Object({
  role: allowWords(ROLES),
  account: allowNull(
    Type.String({ description: "The account's id. Null for all accounts, those made later included." }),
  ),
});

export const tokenSchema = Type.Object({
  id: text,
  name: text,
  // One of the company's directory is of the kind `scim`, and has no role.
  kind: allowWords(TOKEN_KINDS),
  role: allowNull(allowWords(ROLES)),
  accounts: allowNull(Type.Array(text)),
  grants: Type.Array(grantSchema),
  content: boolean,
  contact: allowNull(text),
  last4: text,
  created_by: Type.Object({ kind: allowWords(ACTOR_KINDS), id: text }),
  // The person who made it, along tokens that made tokens, and with whose rights it ends. Null for nobody.
  member_id: allowNull(text),
  created_at: instant,
  expires_at: allowNull(instant),
  revoked_at: allowNull(instant),
  state: allowWords(["active", "expired", "revoked", "ended"]),
});
export type TokenView = View<typeof tokenSchema>;

export const createdTokenSchema = Type.Object({
  ...tokenSchema.properties,
  secret: Type.String({ description: "Shown only once, because it isn't stored." }),
});
export type NewTokenView = View<typeof createdTokenSchema>;

type NamedTokenWorld = Pick<AdminWorld, "store" | "clock">;

/**
 * Creates a token within the maker's own grants. Its id and secret are made here unless they are given. Throws the Fault
 * `not_permitted`, and those of bad input.
 */
export async function createToken(
  world: ActingWorld,
  given: Static<typeof newTokenSchema>,
  access = adminAccess(COMMAND_LINE),
  { id, secret }: NewTokenParts = makeTokenParts(world),
): Promise<NewTokenView> {
  const { store, changes, clock, pepper } = world;
  const nowMs = clock.nowMs();
  const { accounts, role, ...fields } = readNewToken(given, nowMs);
  const grants = (await findAccounts(store, accounts, access)).map(
    (accountId): Grant => ({ role, accountId }),
  );
  checkMaker(access, grants, fields.readsContent);
  const expiresAtMs = limitByEnd(fields.expiresAtMs, given.expires_at, access, grants);
  const token: NamedToken = {
    ...fields,
    expiresAtMs,
    grants,
    id,
    last4: secret.slice(-LAST_CHARACTERS_SHOWN),
    makerKind: access.actor.kind,
    makerId: access.actor.id,
    createdAtMs: nowMs,
    revokedAtMs: null,
  };
  await changes.addToken(token, digestSecret(secret, pepper));
  return { ...tokenView(token, "active", access.personId), secret };
}

/** A token that is made by a role with an end doesn't outlast it. */
function limitByEnd(
  expiresAtMs: number,
  given: string | null | undefined,
  access: Access,
  grants: readonly Grant[],
): number {
  const endMs = findTokenEnd(access, "createToken", grants);
  if (endMs === null || expiresAtMs <= endMs) return expiresAtMs;
  if (given === undefined) return endMs;
  throw beyondSenderEnd("expires_at", endMs);
}

/** Returns the time beyond which no token may last that is given with these grants. Null if there is none. */
export function findTokenEnd(
  access: Access,
  way: "createToken" | "takeToken",
  grants: readonly Grant[],
): number | null {
  return findSenderEnd(
    access,
    way,
    grants.map(({ accountId }) => accountId),
  );
}

/** Returns what a new token has, but for its accounts' ids. Throws the Faults of bad input. */
export function readNewToken(given: Static<typeof newTokenSchema>, nowMs: number) {
  const fields = readNew(TOKEN_FIELDS, given, { nowMs });
  return { ...fields, expiresAtMs: readExpiry(fields.expiresAtMs, given.expires_at === null, nowMs) };
}

interface NewTokenParts {
  readonly id: string;
  readonly secret: string;
}

export function makeTokenParts({ random }: Pick<AdminWorld, "random">): NewTokenParts {
  return { id: mintId("tok", random), secret: mintTokenSecret(random) };
}

export function checkMaker(access: Access, grants: readonly Grant[], readsContent: boolean): void {
  for (const { accountId } of grants) {
    if (accountId === null) access.require("tokens.write");
    else access.require("tokens.write", accountId);
  }
  if (!access.covers(grants)) {
    const message =
      "A token can't have more than your own role in your own accounts. Name 'accounts' that are yours.";
    throw new Fault("not_permitted", message);
  }
  if (readsContent && !access.coversContent(grants)) {
    throw new Fault("not_permitted", "A token may read prompts and answers only if you may.");
  }
}

/** Returns the accounts' ids. Null stands for all accounts. */
async function findAccounts(
  store: AdminWorld["store"],
  names: readonly string[] | null,
  access: Access,
): Promise<readonly (string | null)[]> {
  if (names === null) return [null];
  // An account that the maker doesn't see is like one that doesn't exist.
  const named = await store.people.accountsNamed(names);
  const found = named.filter(({ id }) => access.may("accounts.read", id));
  return names.map((name) => {
    const byId = found.find(({ id }) => id === name);
    const byName = found.filter((one) => one.name === name);
    if (byId) return byId.id;
    if (byName.length > 1)
      throw invalidValue("accounts", "several accounts have one of these names; give its id");
    const [only] = byName;
    if (only) return only.id;
    throw invalidValue("accounts", "there is no account with one of these names or ids");
  });
}

function readExpiry(expiresAtMs: number | null, isNever: boolean, nowMs: number): number {
  const latestMs = nowMs + YEAR_MS;
  if (!isNever && expiresAtMs === null) return latestMs;
  if (expiresAtMs !== null && expiresAtMs <= latestMs) return expiresAtMs;
  throw invalidValue("expires_at", "a token lasts a year at most");
}

/** Returns the tokens whose grants are within one's own, newest first, including those that have ended. */
export async function listTokens(
  { store, clock }: NamedTokenWorld,
  access = adminAccess(COMMAND_LINE),
): Promise<ListPage<TokenView>> {
  const nowMs = clock.nowMs();
  const tokens = await store.people.tokens(LISTED_MAX);
  const seen = tokens.filter((token) => coversToken(access, token));
  const data = await Promise.all(seen.map((one) => viewToken(store, one, nowMs)));
  return { data, next: null };
}

/** Revokes a token for good, on every node at once. Throws the Fault `not_found`. */
export async function revokeToken(
  { store, changes, clock }: Pick<ActingWorld, "store" | "changes" | "clock">,
  id: string,
  access = adminAccess(COMMAND_LINE),
): Promise<TokenView> {
  const known = await store.people.token(id);
  const revoked =
    known !== null && coversToken(access, known) ? await changes.revokeToken(id, clock.nowMs()) : null;
  if (revoked !== null) return viewToken(store, revoked, clock.nowMs());
  throw noToken();
}

export function noToken(): Fault {
  return new Fault("not_found", "There is no token with that id.");
}

/** True if a token is within one's own rights. The directory's tokens are the admins'. */
export function coversToken(access: Access, { kind, grants }: NamedToken): boolean {
  return access.covers(kind === "scim" ? [{ role: "admin", accountId: null }] : grants);
}

/** A token that works, and its rights. */
interface ProvenToken {
  readonly token: NamedToken;
  readonly access: Access;
}

/** Returns the token with this secret, if it still works. */
export async function findNamedToken(
  world: Pick<AdminWorld, "store" | "clock" | "pepper">,
  secret: string,
): Promise<ProvenToken | null> {
  return prove(world, await world.store.people.tokenByDigest(digestSecret(secret, world.pepper)));
}

/** Returns the token with this id, if it still works. */
export async function findTokenById(world: NamedTokenWorld, id: string): Promise<ProvenToken | null> {
  return prove(world, await world.store.people.token(id));
}

async function prove(
  { store, clock }: NamedTokenWorld,
  token: NamedToken | null,
): Promise<ProvenToken | null> {
  const nowMs = clock.nowMs();
  if (token === null || token.kind === "scim" || token.revokedAtMs !== null || isExpired(token, nowMs))
    return null;
  const standing = await findStanding(store, token, nowMs);
  if (standing === null) return null;
  const { person } = standing;
  return { token, access: tokenAccess(token, person === null ? undefined : memberAccess(person, nowMs)) };
}

export async function viewToken(
  store: AdminWorld["store"],
  token: NamedToken,
  nowMs: number,
): Promise<TokenView> {
  const { person } = await findMakers(store, token);
  return tokenView(token, await findState(store, token, nowMs), person?.id ?? null);
}

async function findState(
  store: AdminWorld["store"],
  token: NamedToken,
  nowMs: number,
): Promise<TokenView["state"]> {
  if (token.revokedAtMs !== null) return "revoked";
  if (isExpired(token, nowMs)) return "expired";
  return (await isUpheld(store, token, nowMs)) ? "active" : "ended";
}

function tokenView(token: NamedToken, state: TokenView["state"], memberId: string | null): TokenView {
  const accounts = token.grants.flatMap(({ accountId }) => accountId ?? []);
  return {
    id: token.id,
    name: token.name,
    kind: token.kind ?? "admin",
    role: token.grants[0]?.role ?? null,
    accounts: token.grants.some(({ accountId }) => accountId === null) ? null : accounts,
    grants: token.grants.map(grantView),
    content: token.readsContent,
    contact: token.contact,
    last4: token.last4,
    created_by: { kind: token.makerKind, id: token.makerId },
    member_id: memberId,
    created_at: formatInstant(token.createdAtMs),
    expires_at: formatInstantOrNull(token.expiresAtMs),
    revoked_at: formatInstantOrNull(token.revokedAtMs),
    state,
  };
}

export function grantView({ role, accountId }: Grant): View<typeof grantSchema> {
  return { role, account: accountId };
}
