// The fields of an account that can be set, each with the lowest role that sets it.
import { LIMIT_MAX } from "../limits/limit.ts";
import { MINUTE_LIMITS } from "../limits/limit-table.ts";
import type { Fields } from "./field.ts";
import { ACCOUNT_LIMIT_FIELDS } from "./limit-fields.ts";
import { TAGS_MAX } from "./tags-text.ts";
import { TOOL_PATTERNS_MAX } from "./tool-list.ts";

const BUDGETS_MAX = 20;
const MODELS_MAX = 1000;
const KEYS_MAX = 1000;
const NAME_CHARACTERS_MAX = 100;
const EXTERNAL_ID_CHARACTERS_MAX = 200;

const MEMBER_LIMITS = MINUTE_LIMITS.map(({ name }) => `${name}?`).join(", ");

export const ACCOUNT_FIELDS = {
  name: {
    kind: "name",
    property: "name",
    role: "operator",
    charactersMax: NAME_CHARACTERS_MAX,
    manual: `1 to ${NAME_CHARACTERS_MAX} characters`,
    flag: { name: "name", value: "NAME", help: "the account's name" },
    control: { label: "Name", placeholder: "Team or customer" },
  },
  time_zone: {
    kind: "time_zone",
    property: "timeZone",
    role: "operator",
    initial: null,
    manual: "of its budgets' days, weeks and months, such as `Europe/Berlin`; null for `quota.time_zone`",
    flag: { name: "time-zone", value: "ZONE", help: "the time zone of its budgets, such as Europe/Berlin" },
    control: {
      label: "Time zone",
      hint: "For its budgets; empty means the configured one",
      placeholder: "Europe/Berlin",
    },
  },
  external_id: {
    kind: "text",
    property: "externalId",
    role: "operator",
    initial: null,
    charactersMax: EXTERNAL_ID_CHARACTERS_MAX,
    manual: `its id in another system, up to ${EXTERNAL_ID_CHARACTERS_MAX} characters, which [searches](admin-requests.md#requests-and-usage) find; or null`,
    flag: { name: "external-id", value: "TEXT", help: "its id in another system" },
    control: { label: "External id", hint: "Its id in another system, such as a customer number" },
  },
  requests_per_day: {
    kind: "count_or_default",
    property: "requestsPerDay",
    role: "operator",
    initial: "default",
    max: LIMIT_MAX,
    countLabel: "Free requests per day, of all keys together",
    manual:
      'the daily allowance that keys without their own share: a number, null for no limit, or `"default"` for `quota.requests_per_day`',
    flag: {
      name: "requests-per-day",
      value: "N",
      help: 'the daily allowance that its keys share: a number, "unlimited" or "default"',
    },
    control: { label: "Daily allowance" },
  },
  free_budget_usd_per_day: {
    kind: "usd_or_default",
    property: "freeBudgetNanoUsd",
    role: "operator",
    column: "free_budget_nano",
    initial: "default",
    amountLabel: "Free requests may cost, in USD per day",
    manual:
      'what the free requests of each owner of an allowance may cost in a day: USD, null for no limit, or `"default"` for `quota.free.budget_usd_per_day`',
    flag: {
      name: "free-budget",
      value: "USD",
      help: 'what free requests may cost in a day: a number, "unlimited" or "default"',
    },
    control: { label: "Cost of free requests" },
  },
  ...ACCOUNT_LIMIT_FIELDS,
  budgets: {
    kind: "budgets",
    property: "budgets",
    role: "operator",
    initial: [],
    elementsMax: BUDGETS_MAX,
    hasDefault: false,
    manual: `up to ${BUDGETS_MAX} [budgets](budgets.md#budgets) of all its keys together; null or \`[]\` for none`,
    flag: {
      name: "budget",
      value: "USD/PER",
      help: 'the budgets of all its keys, such as 50/month or "5/day:OpenAI#*, 100/total"; or "none"',
    },
    control: {
      label: "Budgets in USD",
      hint: "One a line, of all keys together: 50/month, or 5/day: OpenAI#* for some models",
      placeholder: "500/month",
    },
  },
  balance_low_usd: {
    kind: "usd",
    property: "balanceLowNanoUsd",
    role: "operator",
    initial: null,
    manual: "a balance below this sends [`balance.low`](webhooks.md#events); USD, or null",
    flag: {
      name: "balance-low",
      value: "USD",
      help: "the balance below which the event balance.low is sent",
    },
    control: { label: "Low balance in USD", hint: "Below it, an event is sent; empty means none" },
  },
  member_defaults: {
    kind: "member_defaults",
    property: "memberDefaults",
    role: "operator",
    initial: null,
    budgetsMax: BUDGETS_MAX,
    modelsMax: MODELS_MAX,
    toolsMax: TOOL_PATTERNS_MAX,
    keysMax: KEYS_MAX,
    manual: `what [each member](person-limits.md) may use over all of their personal keys: \`{ ${MEMBER_LIMITS}, budgets?, allowed_models?, allowed_tools?, keys? }\`, or null; rules of the sign-in come first`,
  },
  allowed_tools: {
    kind: "tool_patterns",
    property: "allowedTools",
    role: "operator",
    initial: null,
    elementsMax: TOOL_PATTERNS_MAX,
    defaultLabel: "Those of the configuration",
    manual: `up to ${TOOL_PATTERNS_MAX} tools that its keys may call, or patterns such as \`github_*\`, with \`!\` before those taken away; \`[]\` for none, null for \`mcp.allowed_tools\``,
    flag: {
      name: "tools",
      value: "A,B",
      help: 'the tools that its keys may call, such as github_*,!github_delete_*; "none" or "default"',
    },
    control: { label: "Allowed tools" },
  },
  tags: {
    kind: "tags",
    property: "tags",
    role: "operator",
    initial: null,
    manual: `up to ${TAGS_MAX} [tags](books.md#tags) of its keys' requests, such as \`{ "team": "search" }\`; a key's own come first; or null`,
    flag: {
      name: "tag",
      value: "NAME=VALUE",
      help: 'tags of all its requests, such as team=search,env=prod; or "none"',
    },
    control: {
      label: "Tags",
      hint: "Of the requests of all its keys; several are separated by commas",
      placeholder: "team=search, env=prod",
    },
  },
  paused: {
    kind: "flag",
    property: "isPaused",
    column: "paused",
    role: "operator",
    initial: false,
    only: "change",
    manual:
      "if true, all requests of its keys are refused, free ones too; only the same role or a higher one resumes it (`false`)",
  },
} as const satisfies Fields;
