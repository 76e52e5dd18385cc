// Sign-in from an agent (RFC 8628): the codes, the tokens that an approved one becomes, and their refresh.

import { findKeyState } from "../core/keys/key.ts";
import {
  type AgentSecret,
  type CodeStep,
  type Device,
  type DeviceCode,
  type DeviceStep,
  LOGIN_CODE_PREFIX,
} from "../core/people/device.ts";
import type { SignInRules } from "../core/people/sign-in.ts";
import { cutAddress, cutToHost } from "../core/world/address.ts";
import type { Random } from "../core/world/world.ts";
import { digestSecret, mintAgentCode, mintId, mintSecret } from "../keys/secret.ts";
import { makeCodeRoom } from "./device-room.ts";
import { mayRefreshAgents } from "./member.ts";
import type { SignInParts } from "./sign-in.ts";

/** The time within which a person has to type the code. */
export const CODE_MS = 10 * 60_000;
/** Agents ask this often, in seconds. */
export const INTERVAL_SECONDS = 5;
/** A little less, since agents count from the answer and networks are uneven. */
const PACE_MS = 4500;
const DEVICES_OF_MEMBER = 10;
/** A refresh token that was used gives the same answer again for this long, to an agent that didn't receive it. */
const REPLAY_MS = 60_000;
const ANSWER_USE = "agent's tokens";

/** Consonants alone, so that no code is a word, and no two letters look alike (RFC 8628, 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LETTERS = 8;
const HALF = CODE_LETTERS / 2;
/** A random number this much larger than all codes makes each as likely as the others. */
const CODE_BYTES = 16;

type DeviceGrantParts = Pick<SignInParts, "store" | "pepper" | "random" | "clock" | "vault" | "log">;

/** Makes a code such as `PBFT-PNTT`. */
function mintUserCode(random: Random): string {
  let rest = BigInt(`0x${Buffer.from(random.bytes(CODE_BYTES)).toString("hex")}`);
  let code = "";
  while (code.length < CODE_LETTERS) {
    code += LETTERS.charAt(Number(rest % BigInt(LETTERS.length)));
    rest /= BigInt(LETTERS.length);
  }
  return formatUserCode(code);
}

function formatUserCode(letters: string): string {
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
}

const TYPED_CHARACTERS_MAX = 40;

/** Reads a code as people type it: in small letters, with spaces or without the hyphen. Null if it can't be one. */
export function readUserCode(typed: string): string | null {
  if (typed.length > TYPED_CHARACTERS_MAX) return null;
  const letters = typed.toUpperCase().replace(/[\s-]/g, "");
  const isCode = letters.length === CODE_LETTERS && [...letters].every((letter) => LETTERS.includes(letter));
  return isCode ? formatUserCode(letters) : null;
}

/** An agent's code becomes keys of the person; a login's one sign-in of the command line with the person's rights. */
export type CodeKind = "agent" | "login";

/** The digests of the two kinds differ, so that a code of one kind is never found as the other's, on a node of any version. */
export function digestUserCode(code: string, pepper: Uint8Array, kind: CodeKind = "agent"): string {
  return digestSecret(kind === "agent" ? `user code ${code}` : `login's user code ${code}`, pepper);
}

interface DeviceStart {
  readonly deviceCode: string;
  readonly userCode: string;
}

interface DeviceRequest {
  readonly agent: string;
  readonly address: string;
  readonly kind?: CodeKind;
}

/** Begins a sign-in. Null if too many from this address wait already. */
export async function startDevice(
  { store, pepper, random, clock }: DeviceGrantParts,
  { agent, address, kind = "agent" }: DeviceRequest,
): Promise<DeviceStart | null> {
  const begun = {
    deviceCode: `${kind === "agent" ? "" : LOGIN_CODE_PREFIX}${mintAgentCode(random)}`,
    userCode: mintUserCode(random),
  };
  const nowMs = clock.nowMs();
  const network = cutAddress(address) ?? address;
  const code: DeviceCode = {
    deviceDigest: digestDeviceCode(begun.deviceCode, pepper),
    userDigest: digestUserCode(begun.userCode, pepper, kind),
    agent,
    address,
    block: cutToHost(address),
    network,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + CODE_MS,
    polledAtMs: null,
    state: "pending",
    memberId: null,
    accountId: null,
    keyId: null,
    deviceId: null,
  };
  return (await store.devices.addCode(code, makeCodeRoom(network))) ? begun : null;
}

export function digestDeviceCode(code: string, pepper: Uint8Array): string {
  return digestSecret(`device code ${code}`, pepper);
}

function digestRefresh(token: string, pepper: Uint8Array): string {
  return digestSecret(`agent's refresh token ${token}`, pepper);
}

/** The errors of RFC 8628 and RFC 6749. `gone`: the person, or the sign-in, has ended. */
export type GrantError =
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "invalid_grant"
  | "gone";

interface AgentTokens {
  readonly secret: string;
  readonly refresh: string;
  readonly untilMs: number;
}

type DeviceGrant = { readonly tokens: AgentTokens } | { readonly error: GrantError };

/** Tokens that are stored with the step that grants them, or not at all. */
interface MintedTokens {
  readonly tokens: AgentTokens;
  readonly secret: AgentSecret;
  readonly refreshDigest: string;
}

function mintTokens({ random, pepper }: DeviceGrantParts, deviceId: string, untilMs: number): MintedTokens {
  const tokens = { secret: mintSecret(random), refresh: mintAgentCode(random), untilMs };
  return {
    tokens,
    secret: { digest: digestSecret(tokens.secret, pepper), deviceId, untilMs },
    refreshDigest: digestRefresh(tokens.refresh, pepper),
  };
}

/** Answers an agent that asks whether its code was approved. */
export async function pollDevice(
  parts: DeviceGrantParts,
  { agents }: SignInRules,
  deviceCode: string,
): Promise<DeviceGrant> {
  const { store, clock, random, pepper } = parts;
  const nowMs = clock.nowMs();
  const deviceId = mintId("dev", random);
  const expiresAtMs = nowMs + agents.reauthenticateMs;
  const minted = mintTokens(parts, deviceId, Math.min(nowMs + agents.tokenMs, expiresAtMs));
  const makeDevice = (of: Pick<Device, "memberId" | "accountId" | "keyId" | "agent" | "address">) => ({
    id: deviceId,
    memberId: of.memberId,
    accountId: of.accountId,
    keyId: of.keyId,
    agent: of.agent,
    address: of.address,
    createdAtMs: nowMs,
    usedAtMs: nowMs,
    expiresAtMs,
    endedAtMs: null,
    refreshDigest: minted.refreshDigest,
    oldRefreshDigest: null,
    answerSealed: null,
  });
  const digest = digestDeviceCode(deviceCode, pepper);
  const { grant } = await store.devices.stepCode(
    "device",
    digest,
    (before) => stepPoll(before, nowMs, minted, makeDevice),
    DEVICES_OF_MEMBER,
  );
  return grant;
}

function stepPoll(
  before: DeviceCode | null,
  nowMs: number,
  { tokens, secret }: MintedTokens,
  makeDevice: (of: Pick<Device, "memberId" | "accountId" | "keyId" | "agent" | "address">) => Device,
): CodeStep & { readonly grant: DeviceGrant } {
  const refuse = (error: GrantError) => ({ code: null, grant: { error } });
  // The transaction may run again after it was committed.
  if (before?.deviceId === secret.deviceId) return { code: null, grant: { tokens } };
  if (before === null || before.expiresAtMs <= nowMs || before.state === "used")
    return refuse("expired_token");
  if (before.state === "denied") return refuse("access_denied");
  const { memberId, accountId, keyId, agent, address } = before;
  if (before.state === "approved" && memberId !== null && accountId !== null && keyId !== null) {
    const device = makeDevice({ memberId, accountId, keyId, agent, address });
    return {
      code: { ...before, state: "used", deviceId: device.id },
      added: { device, secret },
      grant: { tokens },
    };
  }
  const { code, error } = stepWait(before, nowMs);
  return { code, grant: { error } };
}

/** Returns the answer to an agent that asks before anybody has approved its code. */
export function stepWait(
  before: DeviceCode,
  nowMs: number,
): { readonly code: DeviceCode | null; readonly error: GrantError } {
  if (isTooSoon(before, nowMs)) return { code: null, error: "slow_down" };
  return { code: { ...before, polledAtMs: nowMs }, error: "authorization_pending" };
}

function isTooSoon({ polledAtMs }: DeviceCode, nowMs: number): boolean {
  return polledAtMs !== null && nowMs >= polledAtMs && nowMs - polledAtMs < PACE_MS;
}

/** Returns an agent's next tokens, as long as the person is let in. */
export async function refreshDevice(
  parts: DeviceGrantParts,
  rules: SignInRules,
  token: string,
): Promise<DeviceGrant> {
  const { store, clock, pepper, vault, log } = parts;
  const digest = digestRefresh(token, pepper);
  const device = await store.devices.deviceByRefresh(digest);
  if (device === null) return { error: "invalid_grant" };
  const nowMs = clock.nowMs();
  if (device.endedAtMs !== null || device.expiresAtMs <= nowMs) return { error: "gone" };
  if (!(await isStillIn(parts, rules, device, nowMs))) {
    await store.devices.endDevice(device.memberId, device.id, nowMs);
    log({ event: "device.ended", member_id: device.memberId, device_id: device.id, agent: device.agent });
    return { error: "gone" };
  }
  const untilMs = Math.min(nowMs + rules.agents.tokenMs, device.expiresAtMs);
  const minted = mintTokens(parts, device.id, untilMs);
  const { secret: next, refresh: nextRefresh } = minted.tokens;
  const answerSealed = vault.seal([next, nextRefresh, untilMs].join(" "), ANSWER_USE);
  const { device: written, replayed } = await store.devices.stepDevice(digest, (before) =>
    stepRefresh(before, { digest, nowMs, minted, answerSealed }),
  );
  if (written !== null) return { tokens: minted.tokens };
  if (replayed === null) return { error: "invalid_grant" };
  const [secret = "", refresh = "", end] = vault.open(replayed, ANSWER_USE).split(" ");
  return { tokens: { secret, refresh, untilMs: Number(end) } };
}

interface Refresh {
  readonly digest: string;
  readonly nowMs: number;
  readonly minted: MintedTokens;
  readonly answerSealed: string;
}

function stepRefresh(
  before: Device | null,
  { digest, nowMs, minted, answerSealed }: Refresh,
): DeviceStep & { readonly replayed: string | null } {
  if (before === null || before.endedAtMs !== null) return { device: null, replayed: null };
  if (before.refreshDigest === digest) {
    const { refreshDigest, secret } = minted;
    const device = { ...before, refreshDigest, oldRefreshDigest: digest, usedAtMs: nowMs, answerSealed };
    return { device, secret, replayed: null };
  }
  const isRecent = nowMs - before.usedAtMs <= REPLAY_MS;
  return { device: null, replayed: isRecent ? before.answerSealed : null };
}

/** True if the person may still use keys in that account, and the agents' key works. */
async function isStillIn(
  { store }: DeviceGrantParts,
  { issuer }: SignInRules,
  { memberId, accountId, keyId }: Device,
  nowMs: number,
): Promise<boolean> {
  const member = await store.people.member(memberId);
  if (member === null || member.issuer !== issuer) return false;
  if (!mayRefreshAgents(member, accountId, nowMs)) return false;
  const key = await store.key(keyId);
  return key !== null && !["revoked", "expired"].includes(findKeyState(key, nowMs));
}
