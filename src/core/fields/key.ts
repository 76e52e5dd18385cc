// The fields of a key that can be set, each with the lowest role that sets it.

import { MODEL_LIMITS_MAX } from "../limits/model-limit.ts";
import { formatCount } from "../text/count.ts";
import type { Fields } from "./field.ts";
import { KEY_LIMIT_FIELDS } from "./limit-fields.ts";
import { TAGS_MAX } from "./tags-text.ts";
import { TOOL_PATTERNS_MAX } from "./tool-list.ts";

const ADDRESSES_MAX = 100;
const BUDGETS_MAX = 20;
const HOOKS_MAX = 20;
const RULES_MAX = 20;
const NAME_CHARACTERS_MAX = 100;
const CONTACT_CHARACTERS_MAX = 200;
const NOTES_CHARACTERS_MAX = 2000;

/** In the order of the console's form, the command's flags and the manual. */
export const KEY_FIELDS = {
  name: {
    kind: "name",
    property: "name",
    role: "member",
    charactersMax: NAME_CHARACTERS_MAX,
    manual: `1 to ${NAME_CHARACTERS_MAX} characters`,
    flag: { name: "name", value: "NAME", help: "the key's name" },
    control: { label: "Name", placeholder: "my-app" },
  },
  account_id: {
    kind: "account",
    property: "accountId",
    role: "member",
    initial: "default",
    manual: "the account that pays (`default`); a change [moves the key](budgets.md#moving-a-key)",
    flag: {
      name: "account",
      value: "ACCOUNT",
      help: "the account that pays, by id or name (default: default)",
    },
    control: { label: "Account", hint: "Pays for requests beyond the allowance" },
  },
  expires_at: {
    kind: "expiry",
    property: "expiresAtMs",
    role: "member",
    initial: null,
    manual: "ISO 8601, or null",
    flag: {
      name: "expires",
      value: "TIME",
      help: "when it expires: 2027-01-31, 2027-01-31T12:00:00Z, tomorrow (in 24 hours) or 30d (12h, 2w)",
    },
    control: { label: "Expires" },
  },
  allowed_models: {
    kind: "patterns",
    property: "allowedModels",
    role: "member",
    initial: null,
    elementsMax: 1000,
    manual:
      "ids of models and selectors, patterns such as `OpenAI#*`, or [names of aliases](groups.md#rights-by-alias); null or `[]` for all. Selectors choose among the listed models, or all if none is",
    flag: {
      name: "models",
      value: "A,B",
      help: "the only models it may use, such as OpenAI#gpt-*,Router#fair",
    },
    control: {
      label: "Allowed models",
      placeholder: "All models. Limit the key to some: gpt, OpenAI#*",
    },
  },
  allowed_tools: {
    kind: "tool_patterns",
    property: "allowedTools",
    role: "member",
    initial: null,
    elementsMax: TOOL_PATTERNS_MAX,
    defaultLabel: "Those of the account",
    manual: `up to ${TOOL_PATTERNS_MAX} tools, or patterns such as \`github_*\`, with \`!\` before those taken away; \`[]\` for none, null for \`key_defaults.allowed_tools\` or else all that its account and member may call`,
    flag: {
      name: "tools",
      value: "A,B",
      help: 'the only tools it may call, such as github_*,!github_delete_*; "none" or "default"',
    },
    control: { label: "Allowed tools" },
  },
  requests_per_day: {
    kind: "count_or_default",
    property: "requestsPerDay",
    role: "manager",
    initial: "default",
    max: 1_000_000_000,
    countLabel: "Free requests per day",
    manual: 'a number, null for no limit, or `"default"`',
    flag: {
      name: "requests-per-day",
      value: "N",
      help: 'its daily allowance: a number, "unlimited" or "default"',
    },
    control: { label: "Daily allowance" },
  },
  ...KEY_LIMIT_FIELDS,
  model_limits: {
    kind: "model_limits",
    property: "modelLimits",
    role: "member",
    initial: "default",
    elementsMax: MODEL_LIMITS_MAX,
    manual: `up to ${MODEL_LIMITS_MAX} [limits of a minute on some models](budgets.md#limits-on-some-models): \`{ models, requests_per_minute?, tokens_per_minute? }\`; null or \`[]\` for none, or \`"default"\``,
    flag: {
      name: "model-limits",
      value: "LIMITS",
      help: 'its limits on some models, such as "60 requests 100000 tokens: OpenAI#gpt-5*"; "none" or "default"',
    },
    control: {
      label: "Limits on some models",
      hint: 'One a line: 60 requests: OpenAI#gpt-5*, or 10 requests 100000 tokens: *opus*. Empty means none, "default" the configured ones',
      placeholder: "60 requests: *opus*",
    },
  },
  budgets: {
    kind: "budgets",
    property: "budgets",
    role: "member",
    initial: "default",
    elementsMax: BUDGETS_MAX,
    hasDefault: true,
    manual: `up to ${BUDGETS_MAX} [budgets](budgets.md#budgets): \`{ usd, per, models?, warn?, hard?, extra_usd?, extra_until? }\`; null or \`[]\` for none, or \`"default"\``,
    flag: {
      name: "budget",
      value: "USD/PER",
      help: 'its budgets, such as 50 (a month), 50/month or "5/day:OpenAI#*, 100/total"; "none" or "default"',
    },
    control: {
      label: "Budgets in USD",
      hint: 'One a line: 50/month, or 5/day: OpenAI#* for some models. Empty means none, "default" the configured ones',
      placeholder: "50/month",
    },
  },
  spend_limit_usd: {
    kind: "usd",
    property: "spendLimitNanoUsd",
    role: "member",
    initial: null,
    manual: "what its requests may cost in its lifetime, whoever pays; or null",
    flag: { name: "spend-limit", value: "USD", help: "the most that its requests may ever cost" },
    control: { label: "Spend limit in USD", hint: "For the key's whole lifetime; empty means none" },
  },
  keep_responses: {
    kind: "flag",
    property: "keepsResponses",
    role: "member",
    column: "keep_responses",
    initial: true,
    options: { yes: "May be stored", no: "Never stored" },
    manual:
      "if false, no conversations are stored, whatever [`responses.keep`](configuration-kept.md#responses) says, and existing ones are deleted (`true`)",
    flag: {
      name: "keep-responses",
      value: "no",
      help: "store none of its conversations, regardless of responses.keep",
    },
    control: {
      label: "Conversations of /v1/responses",
      hint: "Only has an effect if responses.keep is set",
    },
  },
  cache: {
    kind: "cache",
    property: "cache",
    role: "member",
    initial: null,
    manual:
      "`{ ttl, namespace? }`: how long [answers are kept](caching.md) for the same request, in seconds or like `1h`, 0 for not at all; null for `cache.ttl`",
    flag: {
      name: "cache",
      value: "TTL",
      help: 'how long its answers are kept for the same request: 1h, 1h/NAMESPACE, 0 or "default"',
    },
    control: {
      label: "Cached answers",
      hint: "How long an answer is kept for the same request, like 1h; 0 for not at all, empty for the default",
    },
  },
  allowed_addresses: {
    kind: "addresses",
    property: "allowedAddresses",
    role: "member",
    initial: null,
    elementsMax: ADDRESSES_MAX,
    manual: `up to ${ADDRESSES_MAX} IP addresses and blocks of clients, such as \`203.0.113.7\`, \`10.0.0.0/8\` or \`2001:db8::/32\`; null or \`[]\` for all`,
    flag: {
      name: "addresses",
      value: "A,B",
      help: "the only client addresses that may use it, such as 203.0.113.7,10.0.0.0/8",
    },
    control: {
      label: "Allowed addresses",
      hint: "IP addresses and blocks of clients that may use it, separated by spaces; empty means all",
      placeholder: "203.0.113.7 10.0.0.0/8",
    },
  },
  hooks: {
    kind: "hooks",
    property: "hooks",
    role: "manager",
    initial: null,
    elementsMax: HOOKS_MAX,
    manual:
      "[hooks](hooks.md) that judge its requests and answers, beside those of all keys; null or `[]` for none",
    flag: { name: "hooks", value: "A,B", help: "hooks that judge its requests, beside those of all keys" },
    control: {
      label: "Hooks",
      hint: "Names from the configuration, separated by spaces; they only add to those that apply anyway",
    },
  },
  guard: {
    kind: "hooks",
    property: "guard",
    role: "manager",
    initial: null,
    elementsMax: RULES_MAX,
    manual:
      "[rules of the guard](guard.md) that apply to its requests and answers, beside those of all keys; null or `[]` for none",
    flag: {
      name: "guard",
      value: "A,B",
      help: "rules of the guard for its requests, beside those of all keys",
    },
    control: {
      label: "Guard",
      hint: "Names of rules from the configuration, separated by spaces; they only add to those that apply anyway",
    },
  },
  tags: {
    kind: "tags",
    property: "tags",
    role: "manager",
    initial: null,
    manual: `up to ${TAGS_MAX} [tags](books.md#tags) of its requests, such as \`{ "team": "search" }\`, before those of account and request; or null`,
    flag: {
      name: "tag",
      value: "NAME=VALUE",
      help: 'tags of its requests, such as team=search,env=prod; or "none"',
    },
    control: {
      label: "Tags",
      hint: "Usage is also summed by them; several are separated by commas",
      placeholder: "team=search, env=prod",
    },
  },
  notes: {
    kind: "text",
    property: "notes",
    role: "manager",
    initial: null,
    charactersMax: NOTES_CHARACTERS_MAX,
    isMultiline: true,
    manual: `up to ${formatCount(NOTES_CHARACTERS_MAX)} characters, never shown to the key's holder; or null`,
    flag: { name: "notes", value: "TEXT", help: "notes for operators" },
    control: { label: "Notes", hint: "For operators only" },
  },
  contact: {
    kind: "text",
    property: "contact",
    role: "manager",
    initial: null,
    charactersMax: CONTACT_CHARACTERS_MAX,
    manual: `who looks after a service key, up to ${CONTACT_CHARACTERS_MAX} characters; or null`,
    flag: { name: "contact", value: "TEXT", help: "who looks after it" },
    control: { label: "Contact", hint: "Who looks after a service key" },
  },
  paused: {
    kind: "flag",
    property: "isPaused",
    role: "member",
    column: "paused",
    initial: false,
    manual: "if true, requests get 403 `key_paused`; only the same role or a higher one resumes it (`false`)",
  },
} as const satisfies Fields;
