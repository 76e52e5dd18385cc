// The payers of requests, and those who count as one. A payer is a member within an account with all their keys, agents and batches, or a service key by itself.

/** The sender of a request that a hook judges. */
export interface JudgedSender {
  readonly accountId: string;
  readonly memberId: string | null;
  readonly keyId: string;
  /** True if an open breaker doesn't stop the call, because its text would pass unjudged. */
  readonly insists: boolean;
}

/** The payer of what is asked in nobody's name, such as a report. */
export const NOBODY = "";

/** The parts of a key by which its payer is found. */
export interface KeyPayer {
  readonly id: string;
  readonly accountId: string;
  /** Null for a service key. */
  readonly memberId: string | null;
  /** The sender in whose name it asks. */
  readonly asksFor?: JudgedSender;
}

/** The payer of a key's requests, as `account member` or `account service:key`. */
export function namePayer({ id, accountId, memberId, asksFor }: KeyPayer): string {
  return asksFor === undefined ? nameSender(accountId, memberId, id) : nameAsker(asksFor);
}

/** The payer of a request that is in the log. */
export function nameAsker({ accountId, memberId, keyId }: Omit<JudgedSender, "insists">): string {
  return nameSender(accountId, memberId, keyId);
}

const SERVICE = "service:";
/** The last names by the key's or the member's id. A request asks for its own several times, and finds much by it. */
const names = new Map<string, { readonly accountId: string; readonly payer: string }>();
const NAMES_MAX = 4096;

function nameSender(accountId: string, memberId: string | null, keyId: string): string {
  const id = memberId ?? keyId;
  const known = names.get(id);
  if (known?.accountId === accountId) return known.payer;
  const payer = memberId === null ? `${accountId} ${SERVICE}${keyId}` : `${accountId} ${memberId}`;
  if (names.size >= NAMES_MAX) names.clear();
  names.set(id, { accountId, payer });
  return payer;
}

/** Returns the account of a payer. */
export function readAccount(payer: string): string {
  const end = payer.indexOf(" ");
  return end < 0 ? payer : payer.slice(0, end);
}

/** Reads the payer that `namePayer` named. Null for nobody. */
export function readPayer(
  payer: string,
): (Omit<JudgedSender, "insists" | "keyId"> & { keyId: string | null }) | null {
  const accountId = readAccount(payer);
  if (accountId === NOBODY) return null;
  const own = payer.slice(accountId.length + 1);
  if (own.startsWith(SERVICE)) return { accountId, memberId: null, keyId: own.slice(SERVICE.length) };
  return { accountId, memberId: own === "" ? null : own, keyId: null };
}

/** Those whose failures are left out together where one payer's must not decide: a member, or an account's service keys. */
export function nameSide(payer: string): string {
  const account = readAccount(payer);
  return payer.startsWith(SERVICE, account.length + 1) ? account : payer;
}

/** Returns who each payer counts as where voices are weighed: its account if there are several, else the payer itself. */
export function nameVoices(payers: readonly string[]): readonly string[] {
  const accounts = payers.map(readAccount);
  return new Set(accounts).size > 1 ? accounts : payers;
}

/** A payer that has called within this time is one of those in use. */
export const IN_USE_MS = 3_600_000;

/** The voices of those who call. Times are on the monotonic clock. */
export class Voices {
  #last = NOBODY;
  #lastAccount = NOBODY;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** The last call of another payer than that. */
  #otherMs = Number.NEGATIVE_INFINITY;
  /** The last call of a payer of another account. */
  #strangerMs = Number.NEGATIVE_INFINITY;

  recordCall(nowMs: number, payer: string): void {
    if (payer !== this.#last) this.#follow(payer);
    this.#lastMs = nowMs;
  }

  #follow(payer: string): void {
    const account = readAccount(payer);
    this.#otherMs = this.#lastMs;
    if (account !== this.#lastAccount) this.#strangerMs = this.#lastMs;
    this.#last = payer;
    this.#lastAccount = account;
  }

  /** True if no other payer has called within the time, usually an hour. */
  isAlone(nowMs: number, payer: string, withinMs = IN_USE_MS): boolean {
    return nowMs - (payer === this.#last ? this.#otherMs : this.#lastMs) >= withinMs;
  }

  /** Names those who count as one where two must agree: the account if several have called within the hour, else the payer. */
  nameVoice(nowMs: number, payer: string): string {
    const account = readAccount(payer);
    const strangerMs = account === this.#lastAccount ? this.#strangerMs : this.#lastMs;
    return nowMs - strangerMs < IN_USE_MS ? account : payer;
  }
}

/** Payers of an account share its places while more than one has asked within this time. */
const SHARING_MS = 60_000;
/** The most accounts of which is known who asked. */
const ACCOUNTS_MAX = 20_000;

/** The most of an account's places that one payer holds while another asks for some, too. */
export function findOwnShare(limit: number): number {
  return Math.max(1, Math.floor((limit * 3) / 4));
}

/** Those who ask for an account's places of one kind. Times are on the monotonic clock. */
export class PlaceAskers {
  readonly #accounts = new Map<string, Voices>();

  /** A payer asks. Returns the most of the account's places that it may hold. */
  ask(nowMs: number, payer: string, limit: number): number {
    const account = readAccount(payer);
    const voices = this.#accounts.get(account) ?? new Voices();
    const isAlone = voices.isAlone(nowMs, payer, SHARING_MS);
    voices.recordCall(nowMs, payer);
    this.#accounts.delete(account);
    this.#accounts.set(account, voices);
    const [oldest] = this.#accounts.keys();
    if (this.#accounts.size > ACCOUNTS_MAX && oldest !== undefined) this.#accounts.delete(oldest);
    return isAlone ? limit : findOwnShare(limit);
  }
}
