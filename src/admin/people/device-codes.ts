// The codes that wait for a person: finding the one that the person types, and the decision on it.
import type { AuditFacts, AuditTarget } from "../../core/audit/audit-log.ts";
import type { DeviceCode } from "../../core/people/device.ts";
import type { Log } from "../../core/world/world.ts";
import { mintId } from "../../keys/secret.ts";
import { CODE_MS, type CodeKind, digestUserCode, readUserCode } from "../../people/devices.ts";
import type { AdminWorld } from "../world.ts";

/** A person may mistype this many codes in ten minutes. */
const MISTAKES_MAX = 20;
const KINDS: readonly CodeKind[] = ["agent", "login"];

export interface DeviceParts extends AdminWorld {
  readonly log: Log;
}

/** With the person's decisions, which are put on record. */
export interface DecidingParts extends DeviceParts {
  note(facts: AuditFacts): Promise<void>;
}

type CodeLookup =
  | { readonly kind: "pending"; readonly code: DeviceCode; readonly asks: CodeKind }
  | { readonly kind: "wrong" | "too_many" };

/**
 * Finds the sign-in that shows this code. A wrong one is counted, and beyond a bound even the right one is not found. Each
 * counts as wrong until it is known to be right, so that no more than the bound are looked up at once.
 */
export async function findCode(
  { store, clock, random, pepper }: DeviceParts,
  memberId: string,
  typed: string,
): Promise<CodeLookup> {
  const { devices } = store;
  const nowMs = clock.nowMs();
  const mistake = { id: mintId("dev", random), memberId, untilMs: nowMs + CODE_MS };
  if (!(await devices.addMistake(mistake, MISTAKES_MAX, nowMs))) return { kind: "too_many" };
  const userCode = readUserCode(typed);
  if (userCode === null) return { kind: "wrong" };
  for (const asks of KINDS) {
    const code = await devices.codeByUser(digestUserCode(userCode, pepper, asks));
    if (code?.state !== "pending" || code.expiresAtMs <= nowMs) continue;
    await devices.removeMistake(mistake.id);
    return { kind: "pending", code, asks };
  }
  return { kind: "wrong" };
}

/** Lets a command line act with the person's rights. Returns false if the code ended meanwhile. */
export async function approveLogin(
  parts: DecidingParts,
  memberId: string,
  code: DeviceCode,
): Promise<boolean> {
  if (!(await decideCode(parts, code, { state: "approved", memberId }))) return false;
  const { agent, address } = code;
  parts.log({ event: "device.approved", member_id: memberId, agent, address, rights: "admin_api" });
  const after = { agent, address, rights: "admin_api" };
  await parts.note({ action: "device.approved", target: nameTarget(code), after });
  return true;
}

/** Returns false if the code ended meanwhile. */
export async function denyCode(parts: DecidingParts, memberId: string, code: DeviceCode): Promise<boolean> {
  const isDone = await decideCode(parts, code, { state: "denied", memberId });
  const { agent, address } = code;
  if (!isDone) return false;
  parts.log({ event: "device.denied", member_id: memberId, agent, address });
  await parts.note({ action: "device.denied", target: nameTarget(code), after: { agent, address } });
  return true;
}

export function nameTarget({ agent }: DeviceCode): AuditTarget {
  return { type: "device", id: "", name: agent };
}

export async function decideCode(
  { store, clock }: DeviceParts,
  { userDigest, deviceDigest }: DeviceCode,
  decision: Pick<DeviceCode, "state" | "memberId"> & Partial<DeviceCode>,
): Promise<boolean> {
  const nowMs = clock.nowMs();
  const step = (before: DeviceCode | null) => {
    const isOurs = before?.deviceDigest === deviceDigest && before.expiresAtMs > nowMs;
    // The transaction may run again after it was committed.
    const isDone = isOurs && before.state === decision.state && before.memberId === decision.memberId;
    if (!isOurs || before.state !== "pending") return { code: null, isDone };
    return { code: { ...before, ...decision }, isDone: true };
  };
  return (await store.devices.stepCode("user", userDigest, step, 1)).isDone;
}
