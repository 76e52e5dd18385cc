// The sender's session: signing in and out, who it is, and what that person or token may do.
import { signal } from "@preact/signals";
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import type { SessionView } from "../../admin/people/session.ts";
import type { SignInView } from "../../admin/people/sign-in.ts";
import { TOKEN_FIELDS } from "../../core/fields/token.ts";
import { readStored, writeStored } from "../browser.ts";
import { ApiError, callAdmin, PROVIDER, signedIn } from "./api.ts";
import { type DayRules, UTC_DAYS } from "./period.ts";

/** Null until it is known. It stays after the end of a session, until the next one. */
export const session = signal<SessionView | null>(null);

export type SessionPermission = SessionView["permissions"][number]["name"];
export type SessionRole = NonNullable<SessionView["role"]>;

/** From the lowest. */
export const ROLES: readonly SessionRole[] = TOKEN_FIELDS.role.options;

/** The account that is there from the beginning. */
export const DEFAULT_ACCOUNT = "default";

/** True in this account, or in any if none is given. The gateway decides by itself: here it decides what is shown. */
export function may(permission: SessionPermission, accountId?: string): boolean {
  const given = session.value?.permissions.find(({ name }) => name === permission);
  if (!given) return false;
  return accountId === undefined || given.accounts === null || given.accounts.includes(accountId);
}

/** True for the key of any account in which one may write keys, and for one's own personal keys. */
export function mayWriteKey(key: Pick<KeyInUseView, "account_id" | "member_id">): boolean {
  const isOwn = key.member_id !== null && key.member_id === session.value?.actor.id;
  return may("keys.write", key.account_id) || (isOwn && may("own.keys.write", key.account_id));
}

/** The role in which one writes keys of this account: people without a higher one write their own as members. */
export function findKeyRole(accountId: string): SessionRole {
  if (!may("keys.write", accountId)) return "member";
  const grants = session.value?.grants ?? [];
  const here = grants.filter(({ account }) => account === null || account === accountId);
  return ROLES.findLast((role) => here.some((grant) => grant.role === role)) ?? "member";
}

/** The accounts in which one may make keys. Null for all. */
export function findPayers(): readonly string[] | null {
  const given = session.value?.permissions.find(({ name }) => name === "own.keys.write");
  return given ? given.accounts : [];
}

/** The account that pays for a new key, unless another is chosen. */
export function findFirstPayer(): string {
  const payers = findPayers();
  return payers === null || payers.includes(DEFAULT_ACCOUNT)
    ? DEFAULT_ACCOUNT
    : (payers[0] ?? DEFAULT_ACCOUNT);
}

/** True for people who have nothing here but keys of their own. */
export function isMemberOnly(): boolean {
  return session.value?.role === "member";
}

/** The gateway's days, by which its figures are summed. */
export function readDayRules(): DayRules {
  if (session.value === null) return UTC_DAYS;
  const { time_zone: timeZone, day_starts } = session.value;
  const [hours = 0, minutes = 0] = day_starts.split(":").map(Number);
  return { timeZone, startsMinutes: hours * 60 + minutes };
}

/** Remembers a sign-in. A browser that never signed in has no session to check. */
const WAS_SIGNED_IN = "signed-in";

export async function checkSession(): Promise<void> {
  // Back from the provider's pages, the browser has a session that it doesn't remember.
  if (readStored(WAS_SIGNED_IN) !== "yes" && !(await findProvider()).signed_in) {
    signedIn.value = false;
    return;
  }
  try {
    await readSession();
  } catch (error) {
    signedIn.value = false;
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
}

async function readSession(): Promise<void> {
  session.value = await (await callAdmin("GET", "/session")).json();
  writeStored(WAS_SIGNED_IN, "yes");
  refusedLink.value = null;
  signedIn.value = true;
}

export async function findProvider(): Promise<SignInView> {
  return (await callAdmin("GET", PROVIDER)).json();
}

export async function signIn(token: string): Promise<void> {
  await callAdmin("POST", "/session", { token });
  await readSession();
}

/** The people as whom visitors of a demo look around. */
export type DemoPerson = "admin" | "manager" | "billing" | "member";

export async function signInToDemo(person: DemoPerson): Promise<void> {
  await callAdmin("POST", "/session", { person });
  await readSession();
}

/** The reason why a link didn't sign in. Null if there was none, or it did. */
export const refusedLink = signal<string | null>(null);

/** Signs in by a link that does so once. Throws only if the gateway can't be reached. */
export async function signInByLink(secret: string): Promise<void> {
  try {
    await callAdmin("POST", "/session", { once: secret });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error;
    refusedLink.value = error.message;
    signedIn.value = false;
    return;
  }
  await readSession();
}

export async function signOut(): Promise<void> {
  await callAdmin("DELETE", "/session").catch(() => undefined);
  writeStored(WAS_SIGNED_IN, "no");
  signedIn.value = false;
}
