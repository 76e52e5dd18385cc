// Agents that people signed in from their own page: the codes that wait for a person, and the devices that got a key.
import type { GatewayKey } from "../keys/key.ts";

/** A login's device code begins with it, which an agent's never does. */
export const LOGIN_CODE_PREFIX = "login-";

export const CODE_STATES = ["pending", "approved", "denied", "used"] as const;

/** A sign-in that an agent began. Both of its codes are stored as digests alone. */
export interface DeviceCode {
  readonly deviceDigest: string;
  readonly userDigest: string;
  /** The agent's name as it gives it, such as `claude-code`. */
  readonly agent: string;
  readonly address: string;
  /** The address, or the block of 64 bits that one IPv6 host has to itself. */
  readonly block: string;
  /** The network: /24, or /48 of IPv6. Empty if an older version wrote the code. */
  readonly network: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** The last time that the agent asked at the right pace. Null before the first. */
  readonly polledAtMs: number | null;
  readonly state: (typeof CODE_STATES)[number];
  /** The person who approved it, the account that they chose, and their agents' key there. Null before. */
  readonly memberId: string | null;
  readonly accountId: string | null;
  readonly keyId: string | null;
  /** The device that it became. Null before. */
  readonly deviceId: string | null;
}

/** An agent that a person signed in. It ends with the person's access, when it is revoked, or after a time. */
export interface Device {
  /** `dev_…` */
  readonly id: string;
  readonly memberId: string;
  readonly accountId: string;
  /** The person's key for all agents in that account: its counters outlast every secret. */
  readonly keyId: string;
  readonly agent: string;
  readonly address: string;
  readonly createdAtMs: number;
  /** The last time that it got a secret. */
  readonly usedAtMs: number;
  readonly expiresAtMs: number;
  readonly endedAtMs: number | null;
  readonly refreshDigest: string;
  /** The refresh token before the present one. Null before the first refresh. */
  readonly oldRefreshDigest: string | null;
  /** The answer of the last refresh, encrypted, for an agent that didn't receive it. Null before the first. */
  readonly answerSealed: string | null;
}

/** A secret of a device. It works until its time or the device's end. */
export interface AgentSecret {
  readonly digest: string;
  readonly deviceId: string;
  readonly untilMs: number;
}

/** The key that a device's secret proves, and the time until which it does. */
export interface ProvenAgent {
  readonly key: GatewayKey;
  readonly untilMs: number;
}

/** A code after a step of its life, and the device that it became in this step. Null writes nothing. */
export interface CodeStep {
  readonly code: DeviceCode | null;
  readonly added?: { readonly device: Device; readonly secret: AgentSecret };
}

export interface DeviceStep {
  /** Null writes nothing. */
  readonly device: Device | null;
  readonly secret?: AgentSecret;
}

/** The codes that nobody has decided about and that haven't expired. */
export interface CodeCounts {
  /** Those of the added one's block, and of its network. */
  readonly ofBlock: number;
  readonly ofNetwork: number;
  readonly inAll: number;
  /** The network with most of them. Null without any. */
  readonly largest: string | null;
}

export interface CodeRoom {
  readonly isAdded: boolean;
  /** The network whose oldest code ends for it. Null for none. */
  readonly losing: string | null;
}

/** The store's methods on devices. Each is one transaction. Functions must be pure: they may run more than once. */
export interface DeviceStore {
  /** Deletes expired codes. Returns false if `makeRoom` has no place for it, or if the user's code is taken. */
  addCode(code: DeviceCode, makeRoom: (counts: CodeCounts) => CodeRoom): Promise<boolean>;
  codeByUser(userDigest: string): Promise<DeviceCode | null>;
  /**
   * Writes what the function makes of the code with this digest (null if there is none). If a device is added, the ones of
   * the person beyond `devicesMax` end, those longest unused first.
   */
  stepCode<Step extends CodeStep>(
    by: "device" | "user",
    digest: string,
    step: (before: DeviceCode | null) => Step,
    devicesMax: number,
  ): Promise<Step>;
  /** The same for the device that has, or had before, the refresh token with this digest. */
  stepDevice<Step extends DeviceStep>(
    refreshDigest: string,
    step: (before: Device | null) => Step,
  ): Promise<Step>;
  deviceByRefresh(refreshDigest: string): Promise<Device | null>;
  /** Finds a secret, also after its end. */
  agentByDigest(digest: string): Promise<ProvenAgent | null>;
  /** A person's devices that haven't ended, those used last first. */
  devicesOf(memberId: string, nowMs: number): Promise<readonly Device[]>;
  /** Returns false if the person has no such device. */
  endDevice(memberId: string, id: string, atMs: number): Promise<boolean>;
  /** Counts a code that a person types as a wrong one until its time. Returns false if `most` count at `nowMs`. */
  addMistake(
    mistake: { readonly id: string; readonly memberId: string; readonly untilMs: number },
    most: number,
    nowMs: number,
  ): Promise<boolean>;
  /** The code was right. */
  removeMistake(id: string): Promise<void>;
}
