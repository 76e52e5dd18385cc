// The share of each payer in an account's parallel requests, of which the account's minute keeps count.
import { findOwnShare } from "../../core/keys/payer.ts";
import { type Minute, PARTS, type PayerCount } from "../../core/limits/limit.ts";
import type { LimitOwner } from "./limit-owners.ts";

/** Beyond this number of payers without a request in flight, the one that asked first is forgotten. */
const IDLE_MAX = 2;

/** True for a limit that payers share. */
export function isShared({ scope, parallel }: LimitOwner): boolean {
  return scope === "account" && parallel !== null;
}

/** Returns the payer's share with its use if that is used up while another payer has asked within the minute, else null. */
export function findUsedShare(limit: number, { payers = [], part }: Minute, payer: string) {
  const own = payers.find((one) => one.payer === payer)?.parallel ?? 0;
  const share = findOwnShare(limit);
  if (own < share || !payers.some((one) => one.payer !== payer && part - one.part < PARTS)) return null;
  return { limit: share, used: own };
}

/** Counts that a payer asked, and so many more or fewer requests of its own in flight. */
export function countPayer(minute: Minute, payer: string, added: number): Minute {
  const { payers = [], part, parallel } = minute;
  const own = payers.find((one) => one.payer === payer);
  const asked = added < 0 ? (own?.part ?? 0) : part;
  // A program from before settles without this count.
  const before = parallel === 0 ? 0 : (own?.parallel ?? 0);
  const counted: PayerCount = { payer, parallel: Math.max(0, before + added), part: asked };
  const others = payers.filter((one) => one.payer !== payer);
  const running = others.filter((one) => one.parallel > 0);
  const idle = others.filter((one) => one.parallel === 0 && part - one.part < PARTS).slice(-IDLE_MAX);
  return { ...minute, payers: [...running, ...idle, counted] };
}

/** Returns the payer whose share a request takes a place of, or null if it takes none. */
export function findSharer(owner: LimitOwner, isWithin: boolean, payer: string): string | null {
  return isWithin || !isShared(owner) ? null : payer;
}
