// `sign_in`: its fields, and the checks that keep strangers out.
import { type Static, Type } from "@sinclair/typebox";
import { LIMIT_MAX } from "../core/limits/limit.ts";
import { MINUTE_LIMITS, mapLimits } from "../core/limits/limit-table.ts";
import type { RuleLimits } from "../core/limits/member-limits.ts";
import { ROLES } from "../core/people/people.ts";
import type { SignInRule, SignInRules } from "../core/people/sign-in.ts";
import { parseDuration } from "../core/text/duration.ts";
import { isLoopbackHost } from "../core/world/address.ts";
import type { Issues } from "./errors.ts";
import { choice, duration, integer, options, record, section, text } from "./field-types.ts";
import type { Environment } from "./interpolate.ts";
import { type FileAliases, markAllowed } from "./models/alias-names.ts";
import { modelPattern } from "./models/model-schema.ts";
import { readPolicies } from "./models/policies.ts";
import { networkFields, readNetwork } from "./network.ts";
import { budgetList, buildBudgets } from "./owner-limits.ts";
import { secret } from "./providers/provider-schema.ts";
import { toolPatterns } from "./tools/tool-patterns.ts";

const RULES_MAX = 1000;
const ACCOUNTS_MAX = 1000;
const DOMAINS_MAX = 1000;
const SCOPES_MAX = 50;
const KEYS_MAX = 1000;
const MODELS_MAX = 100;

const name = (most: number) =>
  text(`a text of 1 to ${most} characters on one line`, new RegExp(`^[^\\p{Cc}]{1,${most}}$`, "u"));
// biome-ignore lint/suspicious/noControlCharactersInRegex: a pattern for schemas has no flag for classes.
const GROUP = /^[^\x00-\x1f\x7f]{1,256}$/;
const FILE = /^[^\p{Cc}]{1,1000}$/u;
const DOMAIN = /^(?!-)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+$/;

const rule = section(
  {
    group: name(256),
    role: choice(ROLES),
    accounts: Type.Optional(
      Type.Array(name(100), {
        minItems: 1,
        maxItems: ACCOUNTS_MAX,
        expected: "a list of names of accounts",
      }),
    ),
    content: Type.Optional(Type.Boolean()),
    allowed_models: Type.Optional(
      Type.Array(modelPattern, {
        minItems: 1,
        maxItems: MODELS_MAX,
        expected: "a list of model ids or patterns",
      }),
    ),
    allowed_tools: Type.Optional(toolPatterns),
    budgets: Type.Optional(budgetList),
    ...mapLimits(MINUTE_LIMITS, "name", () => Type.Optional(integer(0, LIMIT_MAX))),
  },
  "A role for the people of a group. Every rule that matches a person adds to what they may do.",
);

const members = options(
  {
    create_account: Type.Boolean(),
    keys: integer(0, KEYS_MAX),
    keys_per_hour: integer(1, KEYS_MAX),
    recheck: duration("1s", "7d"),
    key_expires: duration("1s", "3650d"),
    doubt: duration("0s", "7d"),
  },
  "People who sign in, and their personal keys.",
);

const oidc = section(
  {
    issuer: text("the issuer's https URL, without query or fragment", /^https?:\/\/[^\s?#@]{1,1000}$/),
    client_id: name(512),
    client_secret: secret,
    ...Type.Partial(
      Type.Object({
        scopes: Type.Array(text("a scope without spaces", /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/), {
          maxItems: SCOPES_MAX,
          expected: "a list of scopes",
        }),
        email: choice(["verified", "trusted"]),
        groups_claim: name(256),
        allow: section(
          {
            domains: Type.Array(text("a domain like example.com", DOMAIN), {
              minItems: 1,
              maxItems: DOMAINS_MAX,
              expected: "a list of domains",
            }),
          },
          "The only people who get in, whatever the rules say.",
        ),
      }),
    ).properties,
    rules: Type.Array(rule, {
      minItems: 1,
      maxItems: RULES_MAX,
      expected: "a list of rules, each { group, role }; nobody gets in without one",
    }),
    members: Type.Optional(members),
    ...networkFields,
  },
  "The company's OpenID Connect provider.",
);

const agents = options(
  {
    token: duration("1s", "24h"),
    reauthenticate: duration("1s", "90d"),
    managed_settings: record(GROUP, "a group's name, or *", text("a file's path", FILE), "Files by group."),
  },
  "Agents such as Claude Code, in which people sign in.",
);

export const signIn = options({ oidc, agents }, "How people sign in to the console, and from their agents.");

type OidcConfig = Static<typeof oidc>;
type SignInRuleConfig = Static<typeof rule>;

const ISSUER = ["sign_in", "oidc", "issuer"] as const;
const RULES = ["sign_in", "oidc", "rules"] as const;
const SCOPES = ["openid", "email", "profile"] as const;
const MICROSOFT = /^login\.(microsoftonline\.(com|us)|partner\.microsoftonline\.cn)$/;
const MANY_TENANTS = /^\/(common|organizations|consumers)(\/|$)/i;

interface SignInSections {
  readonly sign_in?: Static<typeof signIn>;
  readonly server?: { readonly public_url?: string | null };
  readonly aliases?: FileAliases;
}

/** Returns nothing if people can't sign in. */
export function buildSignInRules(
  { sign_in: given, server, aliases }: SignInSections,
  readFile: Environment["readFile"],
  issues: Issues,
): { readonly signIn?: SignInRules } {
  const config = given?.oidc;
  if (config === undefined) {
    if (given?.agents !== undefined)
      issues.atKey(["sign_in", "agents"], "has no effect without sign_in.oidc, by which people sign in");
    return {};
  }
  const publicUrl = server?.public_url?.replace(/\/$/, "");
  checkIssuer(config.issuer, issues);
  checkRules(config, issues);
  if (publicUrl === undefined) {
    const message =
      "needs server.public_url, the address of this gateway to which the issuer sends people back";
    issues.atKey(["sign_in", "oidc"], message);
  }
  const { scopes = SCOPES, email = "verified", groups_claim: groupsClaim = "groups", allow } = config;
  if (!scopes.includes("openid")) {
    issues.atValue(
      ["sign_in", "oidc", "scopes"],
      'must contain "openid", without which no one is identified',
    );
  }
  const rules: SignInRules = {
    issuer: config.issuer,
    ...readNetwork(config, ["sign_in", "oidc"], issues),
    clientId: config.client_id,
    clientSecret: config.client_secret,
    scopes,
    trustsEmail: email === "trusted",
    groupsClaim,
    domains: (allow?.domains ?? []).map((domain) => domain.toLowerCase()),
    rules: config.rules.map((one, at) => buildRule(one, at, aliases, issues)),
    members: buildMemberRules(config.members ?? {}),
    agents: buildAgentRules(given?.agents ?? {}, readFile, issues),
    publicUrl: publicUrl ?? "",
  };
  return { signIn: rules };
}

function checkIssuer(issuer: string, issues: Issues): void {
  const url = URL.parse(issuer);
  if (url === null) {
    issues.atValue(ISSUER, "expected the issuer's https URL");
    return;
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    issues.atValue(ISSUER, "must be an https URL: over http, anyone on the way could sign in as anyone");
  }
  if (url.pathname.includes("/.well-known/")) {
    issues.atValue(ISSUER, "expected the issuer itself, without /.well-known/openid-configuration");
  }
  if (MICROSOFT.test(url.hostname) && MANY_TENANTS.test(url.pathname)) {
    const message =
      "names the accounts of all Microsoft tenants, so anyone with one would be let in by the issuer; write your tenant's id in its place: https://login.microsoftonline.com/<tenant-id>/v2.0";
    issues.atValue(ISSUER, message);
  }
}

function checkRules({ rules, allow }: OidcConfig, issues: Issues): void {
  for (const [at, { group }] of rules.entries()) {
    if (group !== "*" || allow !== undefined) continue;
    const message =
      'matches everyone whom the issuer knows, so "*" needs allow, such as { domains: [example.com] }';
    issues.atValue([...RULES, at, "group"], message);
  }
}

function buildRule(
  given: SignInRuleConfig,
  at: number,
  aliases: FileAliases | undefined,
  issues: Issues,
): SignInRule {
  const { group, role, accounts = null, content: readsContent = false } = given;
  return { group, role, accounts, readsContent, limits: buildLimits(given, at, aliases, issues) };
}

function buildLimits(
  given: SignInRuleConfig,
  at: number,
  aliases: FileAliases | undefined,
  issues: Issues,
): RuleLimits | null {
  const { allowed_models = null, allowed_tools: allowedTools = null, budgets } = given;
  const allowedModels = markAllowed(allowed_models, aliases);
  const minute = mapLimits(MINUTE_LIMITS, "property", ({ name }) => given[name] ?? null);
  const said = [allowedModels, allowedTools, budgets ?? null, ...Object.values(minute)];
  if (said.every((one) => one === null)) return null;
  return {
    allowedModels,
    allowedTools,
    budgets: budgets === undefined ? null : buildBudgets(budgets, [...RULES, at, "budgets"], issues),
    ...minute,
  };
}

function buildAgentRules(
  given: Static<typeof agents>,
  readFile: Environment["readFile"],
  issues: Issues,
): SignInRules["agents"] {
  return {
    tokenMs: parseDuration(given.token ?? "1h") ?? 0,
    reauthenticateMs: parseDuration(given.reauthenticate ?? "12h") ?? 0,
    policies: readPolicies(given.managed_settings ?? {}, readFile, issues),
  };
}

function buildMemberRules(given: Static<typeof members>): SignInRules["members"] {
  const {
    create_account: createsAccount = false,
    keys: keysMax = 10,
    keys_per_hour: keysPerHour = 60,
  } = given;
  return {
    createsAccount,
    keysMax,
    keysPerHour,
    recheckMs: parseDuration(given.recheck ?? "1h") ?? 0,
    keysExpireMs: parseDuration(given.key_expires ?? "30d") ?? 0,
    doubtMs: parseDuration(given.doubt ?? "24h") ?? 0,
  };
}
