// The operator's rules for signing in with the company's identity provider, as the rooms receive them.
import type { RuleLimits } from "../limits/member-limits.ts";
import type { NetworkRules } from "../world/network.ts";
import type { Role } from "./people.ts";

export interface SignInRule {
  /** The exact name of a group, or `*` for everyone. */
  readonly group: string;
  readonly role: Role;
  /** Names or ids of accounts. Null for all. */
  readonly accounts: readonly string[] | null;
  /** True if prompts and answers of others may be read. */
  readonly readsContent: boolean;
  /** Null if the rule sets none. */
  readonly limits: RuleLimits | null;
}

interface SignInMemberRules {
  /** True if a person to whom no rule gives an account gets one of their own. */
  readonly createsAccount: boolean;
  /** The most personal keys of a person. */
  readonly keysMax: number;
  /** The most makings and rotations of a person's keys in any hour. */
  readonly keysPerHour: number;
  /** The time between two looks at the issuer for somebody who is signed in or has keys. */
  readonly recheckMs: number;
  /** Where the issuer can't be asked, personal keys end this long after it last confirmed the person. */
  readonly keysExpireMs: number;
  /** Personal keys end this long after the issuer gave no definite word about somebody, but never before `recheckMs`. */
  readonly doubtMs: number;
}

/** Settings that agents get, from a file of the operator's. */
export interface AgentPolicy {
  /** The exact name of a group, or `*` for everyone. */
  readonly group: string;
  readonly file: string;
  readonly uuid: string;
  /** `sha256:` and hex. */
  readonly checksum: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The times of agents that people sign in. */
interface AgentRules {
  /** The time that a secret works before the agent has to get another one. */
  readonly tokenMs: number;
  /** The time after which the person has to sign the agent in again. */
  readonly reauthenticateMs: number;
  /** The first that matches a person counts. */
  readonly policies: readonly AgentPolicy[];
}

/** The rules for the company's directory. */
interface DirectoryRules {
  /** True if a user may be linked once to the person with the same verified e-mail address. */
  readonly linksByEmail: boolean;
  /** The addresses and blocks that the directory may come from. Empty for any. */
  readonly from: readonly string[];
}

export interface SignInRules {
  /** As the issuer names itself: `https://login.example.com/tenant`. */
  readonly issuer: string;
  readonly network?: NetworkRules;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** True if an e-mail address counts although the issuer doesn't say whether it is verified. */
  readonly trustsEmail: boolean;
  readonly groupsClaim: string;
  /** Domains in lower case. If there are any, nobody else gets in. */
  readonly domains: readonly string[];
  readonly rules: readonly SignInRule[];
  readonly members: SignInMemberRules;
  readonly agents: AgentRules;
  /** The address at which browsers reach the gateway, such as `https://gateway.example.com`. */
  readonly publicUrl: string;
  /** Missing if no directory tells who is here. */
  readonly directory?: DirectoryRules | undefined;
}
