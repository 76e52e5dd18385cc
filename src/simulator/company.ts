// Tern Logistics, the made-up company of the demo: its accounts, people, keys, and what they ask of models all day.

/** An account, by a name that the other rows use. */
interface CompanyAccount {
  readonly name: string;
  readonly title: string;
  /** USD at the beginning. */
  readonly deposit: number;
  readonly fields?: Readonly<Record<string, unknown>>;
}

interface CompanyPerson {
  readonly name: string;
  readonly role: "admin" | "operator" | "billing" | "manager" | "viewer" | "member";
  /** Null for all accounts. */
  readonly accounts: readonly string[] | null;
}

/** A kind of request that a key sends. */
export interface Habit {
  readonly weight: number;
  readonly surface: "chat" | "messages" | "responses" | "embeddings";
  readonly model: string;
  /** The least and most tokens of prompts and answers. */
  readonly input: readonly [number, number];
  readonly output: readonly [number, number];
  /** The share of the prompt that the provider has cached. */
  readonly cached?: number;
  readonly isStreamed?: boolean;
}

export interface CompanyKey {
  readonly name: string;
  readonly account: string;
  /** The person whose own key it is. */
  readonly person?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Its part of all requests, in hundredths. */
  readonly share: number;
  /** True if it works at night and at weekends as well. */
  readonly isMachine?: boolean;
  /** True if its requests belong to an agent's sessions. */
  readonly isAgent?: boolean;
  readonly habits: readonly Habit[];
}

export const MAIL = "tern.example";

export const ACCOUNTS: readonly CompanyAccount[] = [
  {
    name: "platform",
    title: "Platform engineering",
    deposit: 60,
    fields: {
      time_zone: "Europe/Lisbon",
      balance_low_usd: 15,
      budgets: [{ usd: 40, per: "month", warn: [0.5, 0.8] }],
    },
  },
  {
    name: "support",
    title: "Customer support",
    deposit: 20,
    fields: {
      balance_low_usd: 5,
      budgets: [{ usd: 9.5, per: "month" }],
      member_defaults: { budgets: [{ usd: 4, per: "month" }], parallel: 4 },
    },
  },
  {
    name: "research",
    title: "Research",
    deposit: 40,
    fields: { time_zone: "Europe/Berlin", member_defaults: { budgets: [{ usd: 8, per: "month" }] } },
  },
  {
    name: "marketing",
    title: "Marketing and web",
    deposit: 12,
    fields: { budgets: [{ usd: 4, per: "month" }] },
  },
  { name: "data", title: "Data and forecasting", deposit: 30, fields: { tags: { cost_centre: "4410" } } },
  { name: "legal", title: "Legal", deposit: 0.4, fields: {} },
];

export const PEOPLE: readonly CompanyPerson[] = [
  { name: "Ada Moreira", role: "admin", accounts: null },
  { name: "Tomás Vidal", role: "admin", accounts: null },
  { name: "Ines Kaplan", role: "operator", accounts: null },
  { name: "Ray Osei", role: "billing", accounts: null },
  { name: "Lin Zhou", role: "manager", accounts: ["support"] },
  { name: "Petra Novak", role: "manager", accounts: ["platform", "data"] },
  { name: "Joan Ferrer", role: "viewer", accounts: null },
  { name: "Grace Adeyemi", role: "member", accounts: ["support"] },
  { name: "Marek Lis", role: "member", accounts: ["platform"] },
  { name: "Sofia Brandt", role: "member", accounts: ["research"] },
  { name: "Yusuf Demir", role: "member", accounts: ["platform"] },
  { name: "Hanna Lind", role: "member", accounts: ["research", "data"] },
  { name: "Noor Haddad", role: "member", accounts: ["marketing"] },
  { name: "Owen Clarke", role: "member", accounts: ["data"] },
];

/** Those as whom a visitor may look around. */
export const VISITED = {
  admin: "Ada Moreira",
  manager: "Lin Zhou",
  billing: "Ray Osei",
  member: "Grace Adeyemi",
} as const;
export type VisitedRole = keyof typeof VISITED;

const GPT = "OpenAI#gpt-6-sol";
const GPT_SMALL = "OpenAI#gpt-5.4-mini";
const SONNET = "Anthropic#claude-sonnet-5-5";
const HAIKU = "Anthropic#claude-haiku-5-5";
const OPUS = "Anthropic#claude-opus-5-5";
const FLASH = "Google#gemini-3.8-flash";
const CARBON = "Google#gemini-4-carbon";
const LARGE = "Mistral#mistral-large-2512";
const SONAR = "Perplexity#sonar-pro";
const EMBED = "OpenAI#text-embedding-3-small";

/** The model whose provider is in trouble for some hours, and the one that answers for it. */
export const FALLING = { provider: "Google", model: FLASH, fallback: GPT_SMALL } as const;

const CODING: readonly Habit[] = [
  {
    weight: 6,
    surface: "messages",
    model: SONNET,
    input: [4000, 30_000],
    output: [150, 1800],
    cached: 0.8,
    isStreamed: true,
  },
  {
    weight: 1,
    surface: "messages",
    model: OPUS,
    input: [6000, 24_000],
    output: [300, 2200],
    cached: 0.7,
    isStreamed: true,
  },
  { weight: 2, surface: "messages", model: HAIKU, input: [600, 4000], output: [40, 300], isStreamed: true },
];
const CODEX: readonly Habit[] = [
  {
    weight: 5,
    surface: "responses",
    model: GPT,
    input: [3000, 20_000],
    output: [200, 1600],
    cached: 0.7,
    isStreamed: true,
  },
  {
    weight: 1,
    surface: "responses",
    model: GPT_SMALL,
    input: [500, 3000],
    output: [60, 400],
    isStreamed: true,
  },
];
const CHAT: readonly Habit[] = [
  { weight: 4, surface: "chat", model: FLASH, input: [300, 2400], output: [80, 500] },
  { weight: 2, surface: "chat", model: GPT_SMALL, input: [300, 2400], output: [80, 500] },
  { weight: 1, surface: "chat", model: "Router#fair", input: [300, 1200], output: [80, 400] },
];
const WRITING: readonly Habit[] = [
  { weight: 2, surface: "chat", model: LARGE, input: [400, 2500], output: [200, 1200] },
  { weight: 2, surface: "chat", model: "house", input: [400, 2500], output: [200, 1200] },
  { weight: 1, surface: "chat", model: SONAR, input: [200, 900], output: [150, 700] },
];
const READING: readonly Habit[] = [
  { weight: 3, surface: "embeddings", model: EMBED, input: [200, 4000], output: [0, 0] },
  { weight: 1, surface: "chat", model: HAIKU, input: [800, 4000], output: [30, 200] },
];
const THINKING: readonly Habit[] = [
  { weight: 3, surface: "chat", model: CARBON, input: [1000, 9000], output: [300, 1800] },
  { weight: 1, surface: "chat", model: "Router#best", input: [600, 5000], output: [300, 1500] },
  { weight: 1, surface: "messages", model: OPUS, input: [1500, 9000], output: [400, 1800] },
];

const unlimited = { requests_per_day: null } as const;
const agent = { share: 6, isAgent: true, habits: CODING } as const;

export const KEYS: readonly CompanyKey[] = [
  {
    name: "help-centre-bot",
    account: "support",
    share: 16,
    isMachine: true,
    habits: CHAT,
    fields: {
      ...unlimited,
      parallel: 20,
      tags: { app: "help-centre", env: "prod" },
      notes: "Ask Lin before changing",
    },
  },
  {
    name: "ticket-triage",
    account: "support",
    share: 8,
    isMachine: true,
    habits: READING,
    fields: { ...unlimited, tags: { app: "triage", env: "prod" } },
  },
  {
    name: "call-summaries",
    account: "support",
    share: 4,
    habits: CHAT,
    fields: { ...unlimited, budgets: [{ usd: 12, per: "week" }] },
  },
  {
    name: "build-review",
    account: "platform",
    share: 7,
    habits: CODEX,
    isMachine: true,
    fields: { ...unlimited, allowed_models: ["OpenAI#*", "Anthropic#*"] },
  },
  { name: "incident-notes", account: "platform", share: 2, habits: WRITING, fields: unlimited },
  {
    name: "search-index",
    account: "platform",
    share: 7,
    isMachine: true,
    habits: READING,
    fields: { ...unlimited, allowed_models: [EMBED, HAIKU], tags: { app: "search" } },
  },
  {
    name: "staging",
    account: "platform",
    share: 1,
    habits: CHAT,
    fields: { ...unlimited, budgets: [{ usd: 0.05, per: "day" }] },
  },
  {
    name: "demand-forecast",
    account: "data",
    share: 4,
    isMachine: true,
    habits: THINKING,
    fields: { ...unlimited, spend_limit_usd: 500 },
  },
  { name: "warehouse-labels", account: "data", share: 3, habits: CHAT, fields: unlimited },
  { name: "notebook-server", account: "data", share: 2, habits: THINKING, fields: unlimited },
  {
    name: "paper-digest",
    account: "research",
    share: 3,
    isMachine: true,
    habits: THINKING,
    fields: unlimited,
  },
  {
    name: "evaluation-nightly",
    account: "research",
    share: 3,
    isMachine: true,
    habits: [...WRITING, ...THINKING],
    fields: { ...unlimited, budgets: [{ usd: 3, per: "day" }] },
  },
  {
    name: "website-copy",
    account: "marketing",
    share: 3,
    habits: WRITING,
    fields: { ...unlimited, budgets: [{ usd: 1, per: "day", hard: true }] },
  },
  { name: "campaign-translations", account: "marketing", share: 2, habits: WRITING, fields: unlimited },
  { name: "contract-search", account: "legal", share: 1, habits: THINKING, fields: unlimited },
  {
    name: "trial-of-spring",
    account: "marketing",
    share: 1,
    habits: WRITING,
    fields: { ...unlimited, allowed_models: [LARGE] },
  },
  { name: "Laptop", account: "platform", person: "Marek Lis", ...agent },
  { name: "Laptop", account: "platform", person: "Yusuf Demir", ...agent, habits: CODEX },
  { name: "Work machine", account: "research", person: "Sofia Brandt", ...agent, share: 4 },
  { name: "Editor", account: "research", person: "Hanna Lind", ...agent, share: 3, habits: CODEX },
  { name: "Claude Code", account: "support", person: "Grace Adeyemi", ...agent, share: 2 },
  { name: "Notebook", account: "data", person: "Owen Clarke", ...agent, share: 2, habits: THINKING },
  { name: "Drafts", account: "marketing", person: "Noor Haddad", ...agent, share: 1, habits: WRITING },
  { name: "tools-gateway", account: "platform", share: 2, habits: CHAT, fields: unlimited },
  { name: "contractor-2025", account: "platform", share: 0, habits: CHAT },
  { name: "pasted-in-a-ticket", account: "support", share: 0, habits: CHAT },
  { name: "fair-stand", account: "marketing", share: 1, habits: CHAT, fields: unlimited },
];

/** The keys to which something happens. */
export const FATES = {
  paused: "contractor-2025",
  revoked: "pasted-in-a-ticket",
  ending: "fair-stand",
} as const;

/** The key whose agent calls tools. */
export const TOOL_USER = "tools-gateway";

export const PROMPTS: readonly string[] = [
  "Summarise the incident report of last night in five lines.",
  "Where is parcel TL-40918, and when will it arrive in Porto?",
  "Translate into Portuguese: the parcel is on its way and arrives on Tuesday.",
  "Write a function that merges two sorted lists of delivery slots.",
  "Which of these three error messages would a new driver understand best, and why?",
  "Draft an answer to a customer whose pallet arrived wet.",
  "Explain the difference between last week's forecast and what was shipped.",
  "Review this change: it caches depot distances for an hour.",
];
