// A node's use-cases of the directory on a store, without a gateway.
import { actAs } from "../../../src/admin/audit/audit-trail.ts";
import type { DirectoryParts } from "../../../src/admin/people/directory.ts";
import { random } from "../../../src/app/world.ts";
import type { SignInRule, SignInRules } from "../../../src/core/people/sign-in.ts";
import type { Store } from "../../../src/core/store.ts";

export function makeRule(group: string, fields: Partial<SignInRule> = {}): SignInRule {
  return { group, role: "member", accounts: ["default"], readsContent: false, limits: null, ...fields };
}

export function makeRules(rules: readonly SignInRule[], fields: Partial<SignInRules> = {}): SignInRules {
  return {
    issuer: "https://issuer.example",
    clientId: "gateway",
    clientSecret: "secret",
    scopes: ["openid"],
    trustsEmail: false,
    groupsClaim: "groups",
    domains: [],
    rules,
    members: {
      createsAccount: false,
      keysMax: 10,
      keysPerHour: 60,
      recheckMs: 3_600_000,
      keysExpireMs: 86_400_000,
      doubtMs: 86_400_000,
    },
    agents: { tokenMs: 1000, reauthenticateMs: 1000, policies: [] },
    publicUrl: "https://gateway.example",
    directory: { linksByEmail: false, from: [] },
    ...fields,
  };
}

const ACT = {
  actor: { kind: "scim", id: "tok_1", name: "directory" },
  address: "",
  agent: "",
  route: "PATCH /scim/v2/*",
  requestId: "",
} as const;

export function makeNode(
  store: Store,
  rules: () => SignInRules,
  nowMs = () => Date.now(),
  fields: Partial<DirectoryParts> = {},
) {
  const parts: DirectoryParts = {
    store,
    clock: { nowMs },
    random,
    pepper: new Uint8Array(32),
    log: () => {},
    rules,
    ...fields,
  };
  return actAs(parts, ACT);
}
