// A person's agents: the approval of one, the key that all of them share, their list and their end.
import { Type } from "@sinclair/typebox";
import type { Changes } from "../../core/changes.ts";
import { Fault } from "../../core/faults/fault.ts";
import { type Account, findKeyState, type GatewayKey, KEY_DEFAULTS } from "../../core/keys/key.ts";
import type { Device, DeviceCode } from "../../core/people/device.ts";
import { digestSecret } from "../../keys/secret.ts";
import type { Access } from "../../people/access.ts";
import { formatInstant } from "../format.ts";
import { type KeyRights, startKey } from "../keys/key-rights.ts";
import { makeSecret } from "../keys/new-secret.ts";
import { planRotation } from "../keys/personal-keys.ts";
import { instant, text, type View } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import { type DecidingParts, type DeviceParts, decideCode, nameTarget } from "./device-codes.ts";

/** The most accounts among which the page lets a person choose. */
export const ACCOUNTS_SHOWN_MAX = 200;
/** The key's name. It says nothing of the person, who may be forgotten, and whom the key's member tells. */
const AGENTS = "Agents";
const ID_DIGITS = 21;

/** With the person's keys, whose making is put on record. */
interface ApprovingParts extends DecidingParts {
  readonly changes: Pick<Changes, "makeKey">;
}

/** A person who is signed in, with the rights that count for a key of theirs. */
interface Approver extends Omit<KeyRights, "personalKeysMax"> {
  readonly memberId: string;
}

/** Returns the accounts in which the person may have keys, the newest first, up to `ACCOUNTS_SHOWN_MAX`. */
export async function listKeyAccounts({ store }: AdminWorld, access: Access): Promise<readonly Account[]> {
  const { accountIds, personal } = access.scope("own.keys.write");
  const isEverywhere = accountIds === null || personal?.accountIds === null;
  const ids = isEverywhere ? null : [...new Set([...accountIds, ...(personal?.accountIds ?? [])])];
  const page = { limit: ACCOUNTS_SHOWN_MAX, after: null };
  return store.accounts(page, { scope: { accountIds: ids, personal: null } });
}

/** Approves a code with the person's key for agents in that account. Returns false if the code ended meanwhile. */
export async function approveCode(
  parts: ApprovingParts,
  approver: Approver,
  code: DeviceCode,
  account: Account,
): Promise<boolean> {
  const { memberId, access } = approver;
  access.require("own.keys.write", account.id);
  const key = await keepAgentKey(parts, approver, account);
  const owner = { memberId, accountId: account.id, keyId: key.id };
  const isDone = await decideCode(parts, code, { state: "approved", ...owner });
  const about = { member_id: memberId, account_id: account.id, key_id: key.id, agent: code.agent };
  if (!isDone) return false;
  parts.log({ event: "device.approved", ...about, address: code.address });
  const after = { agent: code.agent, address: code.address, key: key.id };
  await parts.note({ action: "device.approved", target: nameTarget(code), accountId: account.id, after });
  return true;
}

/**
 * Returns the person's key for all agents in an account, and makes it at first. Its id follows from both, so that two
 * approvals at once make one key. After it was revoked or moved, the next one has another id.
 */
async function keepAgentKey(
  parts: ApprovingParts,
  approver: Approver,
  account: Account,
): Promise<GatewayKey> {
  const { store, clock } = parts;
  for (let count = 0; ; count++) {
    const id = makeKeyId(parts.pepper, approver.memberId, account.id, count);
    const known = (await store.key(id)) ?? (await addAgentKey(parts, approver, account, id));
    const isLive = !["revoked", "expired"].includes(findKeyState(known, clock.nowMs()));
    if (isLive && known.accountId === account.id) return known;
  }
}

function makeKeyId(pepper: Uint8Array, memberId: string, accountId: string, count: number): string {
  const digest = digestSecret(`agents' key ${JSON.stringify([memberId, accountId, count])}`, pepper);
  return `key_${digest.slice(0, ID_DIGITS)}`;
}

/** Nobody learns its own secret: it is used by the secrets of devices alone. */
async function addAgentKey(
  { store, changes, clock, random, pepper }: ApprovingParts,
  approver: Approver,
  account: Account,
  id: string,
): Promise<GatewayKey> {
  const { digest, last4 } = makeSecret({ random, pepper });
  const { memberId } = approver;
  const own = { id, name: AGENTS, last4, memberId, accountId: account.id, createdAtMs: clock.nowMs() };
  // Its secrets end by themselves.
  const key = startKey(approver, { ...KEY_DEFAULTS, ...own }, { expires_at: null });
  // However many keys a person may have, their agents share one more.
  const making = planRotation(approver, { memberId, account, nowMs: key.createdAtMs });
  try {
    await changes.makeKey(key, digest, making);
    return key;
  } catch (error) {
    const known = await store.key(id);
    if (known === null) throw error;
    return known;
  }
}

export const deviceSchema = Type.Object({
  id: text,
  // The agent's name as it gives it, such as claude-code.
  agent: text,
  account_id: text,
  // The person's key for all agents in that account.
  key_id: text,
  address: text,
  created_at: instant,
  // The last time that it got a secret.
  used_at: instant,
  expires_at: instant,
});
export const devicesSchema = Type.Object({ data: Type.Array(deviceSchema) });
export type DeviceView = View<typeof deviceSchema>;

function viewDevice(device: Device): DeviceView {
  return {
    id: device.id,
    agent: device.agent,
    account_id: device.accountId,
    key_id: device.keyId,
    address: device.address,
    created_at: formatInstant(device.createdAtMs),
    used_at: formatInstant(device.usedAtMs),
    expires_at: formatInstant(device.expiresAtMs),
  };
}

/** Returns the person's agents that are signed in, those used last first. */
export async function listDevices(
  world: AdminWorld,
  access: Access,
  memberId: string,
): Promise<{ readonly data: DeviceView[] }> {
  return { data: (await findDevices(world, access, memberId)).map(viewDevice) };
}

/** Returns those that the viewer sees. Throws the Fault `not_found` if the viewer doesn't see the person. */
async function findDevices(
  { store, clock }: AdminWorld,
  access: Access,
  memberId: string,
): Promise<readonly Device[]> {
  const isOwn = memberId === access.memberId;
  const isSeen =
    access.may("members.read") && (await store.people.member(memberId, access.scope("members.read")));
  if (!isOwn && !isSeen) throw new Fault("not_found", "There is no person with that id.");
  const devices = await store.devices.devicesOf(memberId, clock.nowMs());
  return devices.filter(({ accountId }) => isOwn || access.may("members.read", accountId));
}

/** Ends an agent's sign-in, and returns it. Its secrets stop within half a second on every node. */
export async function endDevice(
  parts: DeviceParts,
  access: Access,
  memberId: string,
  id: string,
): Promise<DeviceView> {
  const { store, clock, log } = parts;
  const device = (await findDevices(parts, access, memberId)).find((one) => one.id === id);
  if (device !== undefined && memberId !== access.memberId) access.require("members.limit", device.accountId);
  const isEnded = device !== undefined && (await store.devices.endDevice(memberId, id, clock.nowMs()));
  if (!isEnded) throw new Fault("not_found", "The person has no such agent signed in.");
  log({
    event: "device.ended",
    member_id: memberId,
    device_id: id,
    agent: device.agent,
    by: access.actor.id,
  });
  return viewDevice(device);
}
