// The plan that an import makes of another gateway's files and tables, before anything is written.
import type { ForeignSecret } from "../core/keys/foreign-secret.ts";
import type { Account, GatewayKey } from "../core/keys/key.ts";
import type { NanoUsd } from "../core/money/money.ts";

/** The configuration's sections, as they are written to its file. */
export interface PlannedConfig {
  readonly providers: Readonly<Record<string, object>>;
  readonly models: Readonly<Record<string, object>>;
  readonly aliases: Readonly<Record<string, string | readonly object[]>>;
  /** Tool servers, by name. */
  readonly mcp?: { readonly servers: Readonly<Record<string, object>> } | undefined;
  /** Every request is paid. */
  readonly billing?: { readonly charge: "always" };
}

/** The use of a budget at the other gateway, by the budget's name. */
export type Spending = ReadonlyMap<string, NanoUsd>;

interface PlannedOwner {
  readonly spent: Spending;
  /** The reasons for which it is paused here and wasn't there. Empty if nothing it had is lost. */
  readonly pausedFor: readonly string[];
  /** True if it is refused there too. */
  readonly isBlocked: boolean;
}

export interface PlannedAccount extends PlannedOwner {
  readonly account: Account;
  /** Its id at the other gateway, which tells it from others of the same name. */
  readonly foreignId: string;
  /** An opening balance, added once. */
  readonly topUpNanoUsd: NanoUsd;
}

export interface PlannedKey extends PlannedOwner {
  readonly key: GatewayKey;
  /** The plain secret, which is digested at once. Null if only the other gateway's digests are known. */
  readonly secret: string | null;
  readonly foreign: readonly ForeignSecret[];
}

export interface PlannedOwners {
  /** The database, if the owners are all that it has: those that an earlier import found are gone there. Null for a part. */
  readonly wholeOf: string | null;
  readonly accounts: readonly PlannedAccount[];
  readonly keys: readonly PlannedKey[];
}
