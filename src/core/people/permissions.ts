// A table of permissions, each with the roles that have it.
import { ROLES, type Role } from "./people.ts";

const READERS = ["viewer", "manager", "billing", "operator", "admin"] as const satisfies readonly Role[];
const KEY_HOLDERS = ["member", "manager", "operator", "admin"] as const satisfies readonly Role[];
const EVERYONE = ROLES;

export interface PermissionRow {
  readonly roles: readonly Role[];
  /** It concerns no single account, so only a grant for all accounts gives it. */
  readonly isGlobal?: boolean;
  /** Members have it for the whole account, not only for what belongs to their own keys. */
  readonly isWholeForMembers?: boolean;
  /** In the manual's words. */
  readonly words: string;
}

/** Every admin route needs one of these. A permission counts in the account of the grant that gives it. */
export const PERMISSIONS = {
  "accounts.read": {
    roles: EVERYONE,
    isWholeForMembers: true,
    words: "see accounts with their balance and limits",
  },
  "keys.read": { roles: EVERYONE, words: "see keys" },
  "requests.read": { roles: EVERYONE, words: "see the request log" },
  "batches.read": { roles: EVERYONE, words: "see batches" },
  "batches.cancel": { roles: ["manager", "operator", "admin"], words: "cancel batches" },
  "usage.read": { roles: EVERYONE, words: "see usage and savings" },
  "costs.read": {
    roles: ["billing", "operator", "admin"],
    words: "see costs without markup",
  },
  "models.read": { roles: EVERYONE, words: "see models and aliases" },
  "tools.read": { roles: EVERYONE, words: "see tools and servers" },
  "tools.addresses": {
    roles: ["manager", "billing", "operator", "admin"],
    words: "see tool servers' addresses",
  },
  "session.read": { roles: EVERYONE, words: "see one's own session, person and limits" },
  "journal.read": { roles: READERS, words: "see an account's journal" },
  "reconciliation.read": {
    roles: ["viewer", "billing", "operator", "admin"],
    isGlobal: true,
    words: "see calls to providers",
  },
  "audit.read": { roles: ["viewer", "manager", "operator", "admin"], words: "see the audit" },
  "settings.read": {
    roles: READERS,
    isGlobal: true,
    words: "see the configuration, providers and what selectors learned",
  },
  "settings.check": {
    roles: ["operator", "admin"],
    isGlobal: true,
    words: "check a change of the configuration, which isn't applied, and try the guard",
  },
  "providers.payers": {
    roles: ["operator", "admin"],
    isGlobal: true,
    words: "see for whom models pause",
  },
  "accounts.create": { roles: ["operator", "admin"], isGlobal: true, words: "create accounts" },
  "accounts.limit": {
    roles: ["operator", "admin"],
    words: "rename, limit and pause accounts, and reset their budgets",
  },
  "accounts.close": { roles: ["billing", "admin"], words: "close accounts" },
  "money.move": { roles: ["billing", "admin"], words: "top up and adjust balances" },
  "checkouts.make": { roles: ["member", "billing", "admin"], words: "top up an account by card" },
  "keys.write": {
    roles: ["manager", "operator", "admin"],
    words: "create, change, rotate and revoke any key, and reset its budgets",
  },
  "own.keys.write": {
    roles: KEY_HOLDERS,
    words: "create, change, rotate and revoke one's own personal keys",
  },
  "providers.write": {
    roles: ["operator", "admin"],
    isGlobal: true,
    words: "change credentials of providers",
  },
  "aliases.write": { roles: ["operator", "admin"], isGlobal: true, words: "create and change aliases" },
  "models.write": {
    roles: ["operator", "admin"],
    isGlobal: true,
    words: "say what models refuse, and take new prices",
  },
  // Samples quote prompts from the log, and cost the operator money.
  "learning.write": {
    roles: ["operator", "admin"],
    isGlobal: true,
    words: "have models sampled, and forget what was learned",
  },
  "webhooks.read": { roles: READERS, words: "see events not accepted" },
  "webhooks.write": { roles: ["operator", "admin"], words: "send events again or as a test" },
  "files.read": { roles: EVERYONE, words: "see files' names" },
  "files.write": { roles: ["manager", "operator", "admin"], words: "delete files" },
  "playground.use": {
    roles: ["admin"],
    isGlobal: true,
    words: "use the playground with the console's own key",
  },
  "playground.own": { roles: KEY_HOLDERS, words: "use own keys in the playground" },
  "tokens.write": { roles: ["admin"], words: "see, create and revoke named tokens" },
  "agents.read": { roles: EVERYONE, words: "see and end one's agents" },
  "limit_requests.read": {
    roles: [...KEY_HOLDERS, "viewer"],
    words: "see requests for more",
  },
  "limit_requests.make": { roles: KEY_HOLDERS, words: "ask for more" },
  "directory.read": {
    roles: ["viewer", "admin"],
    isGlobal: true,
    words: "see what the directory sent",
  },
  "members.read": { roles: ["viewer", "manager", "admin"], words: "see members" },
  "members.limit": {
    roles: ["manager", "admin"],
    words: "raise other members' limits, and reset their budgets",
  },
  "state.apply": {
    roles: ["admin"],
    isGlobal: true,
    words: "read and apply state files",
  },
  "nodes.stop": {
    roles: ["operator", "admin"],
    isGlobal: true,
    words: "stop older nodes by `?stop_older=true`",
  },
  "members.write": { roles: ["admin"], isGlobal: true, words: "change members" },
} as const satisfies Readonly<Record<string, PermissionRow>>;
export type Permission = keyof typeof PERMISSIONS;
