// Queries to the manual's search in plain words, as users type them, with the sections that answer them. They were
// written before the search was made to understand them.

export interface PlainQuery {
  readonly query: string;
  /** A chapter, for any of its sections, or one section: `chapter#anchor`. Any of them answers the query. */
  readonly answers: readonly string[];
}

const ask = (query: string, ...answers: readonly string[]): PlainQuery => ({ query, answers });

const SYMPTOMS: readonly PlainQuery[] = [
  ask("troubleshooting", "troubleshooting"),
  ask("why was I charged", "troubleshooting#why-was-this-charged"),
  ask("wrong bill", "troubleshooting#why-was-this-charged", "money#after-the-answer-the-charge"),
  ask("provider down", "troubleshooting#a-provider-is-down"),
  ask("outage", "troubleshooting#a-provider-is-down", "failover#"),
  ask("key leaked", "troubleshooting#a-key-has-leaked"),
  ask("stolen api key", "troubleshooting#a-key-has-leaked"),
  ask("disk full", "troubleshooting-gateway#the-store-fails-or-its-disk-is-full"),
  ask("no space left on device", "troubleshooting-gateway#the-store-fails-or-its-disk-is-full"),
  ask("slow", "troubleshooting#answers-are-slow"),
  ask("high latency", "troubleshooting#answers-are-slow"),
  ask("requests hang", "troubleshooting#answers-are-slow", "errors-models#upstreamtimeout"),
  ask("streaming is buffered", "proxy"),
  ask("rate limited", "troubleshooting#429-or-402-why-was-it-refused", "errors-keys#ratelimitexceeded"),
  ask(
    "gateway won't start",
    "troubleshooting-gateway#the-gateway-is-gone",
    "troubleshooting-gateway#a-start-fails-or-finds-nothing",
  ),
  ask("out of memory", "troubleshooting-gateway#the-gateway-is-gone", "configuration-server#server"),
  ask("crashed", "troubleshooting-gateway#the-gateway-is-gone"),
  ask("reload failed", "troubleshooting-gateway#a-changed-configuration-was-refused"),
  ask("noisy neighbor", "troubleshooting#one-tenant-floods-the-gateway"),
  ask("lost admin password", "named-tokens#the-admin-token", "secrets#", "console"),
];

const ERRORS: readonly PlainQuery[] = [
  ask("429", "troubleshooting#429-or-402-why-was-it-refused", "errors-keys#ratelimitexceeded"),
  ask(
    "402 payment required",
    "troubleshooting#429-or-402-why-was-it-refused",
    "errors-keys#insufficientbalance",
  ),
  ask("incorrect api key provided", "errors-keys#invalidapikey"),
  ask("model does not exist", "errors-models#modelnotfound"),
  ask("maximum context length", "errors-models#contextlengthexceeded"),
  ask("ECONNREFUSED", "troubleshooting#a-provider-is-down", "troubleshooting-gateway#the-gateway-is-gone"),
  ask("database is locked", "troubleshooting-gateway#the-store-fails-or-its-disk-is-full", "store#"),
  ask("413 request entity too large", "proxy", "errors#requesttoolarge"),
  ask("502 bad gateway", "troubleshooting#a-provider-is-down", "errors-models#upstreamerror"),
  ask("timed out", "errors-models#upstreamtimeout", "errors#requesttimeout", "errors-models#clienttimeout"),
  ask("certificate verify failed", "troubleshooting#a-provider-is-down"),
];

const PEERS_WORDS: readonly PlainQuery[] = [
  ask("virtual keys", "migrate-litellm", "migrate-portkey", "admin-keys#keys"),
  ask("rpm tpm", "budgets#limits-of-a-minute", "migrate-litellm-names#keys-and-budgets"),
  ask("max_budget", "migrate-litellm-names#keys-and-budgets", "budgets#budgets"),
  ask("guardrails", "guard", "hooks", "migrate-portkey#what-isnt-there", "migrate-litellm-names#what-doesnt"),
  ask("load balancing", "groups#", "failover#"),
  ask("retries", "failover#"),
  ask("SSO", "sign-in"),
  ask("RBAC", "people#roles", "people#permissions"),
  ask("teams", "company#one-account-a-team", "people", "person-limits"),
  ask("spend limit per user", "budgets#budgets", "person-limits#", "company"),
  ask("log retention", "configuration-log#log", "store#"),
  ask("bring your own key", "configuration-providers#providers", "providers#", "console"),
  ask("local models", "own-servers#"),
];

const TASKS: readonly PlainQuery[] = [
  ask("kubernetes", "restarting#health-checks", "deploying#", "fifty-people#kubernetes"),
  ask("docker compose", "deploying#", "fifty-people"),
  ask("nginx", "proxy"),
  ask("https", "proxy", "deploying#"),
  ask("high availability", "nodes#", "failover#"),
  ask("zero downtime deploy", "restarting#"),
  ask("grafana", "alerts#"),
  ask("alerts", "alerts#"),
  ask("opentelemetry", "traces#", "configuration-log#telemetry"),
  ask("backups and restoring", "backups"),
  ask("upgrade", "upgrading"),
  ask("refund", "money", "books"),
  ask("invoice", "money", "books", "admin-requests#requests-and-usage", "command-line#"),
  ask(
    "export csv",
    "admin-api#exports",
    "command-line#",
    "admin-api#audit",
    "admin-requests#requests-and-usage",
  ),
  ask("cost per team", "admin-requests#requests-and-usage", "company", "command-line#"),
  ask("delete a user", "people", "offboarding#forgetting-a-person", "admin-people#people", "console"),
  ask("cursor ide", "client-cursor"),
  ask("model context protocol", "tool-servers"),
  ask("mcp permissions per key", "tool-servers"),
];

/** Those that the search answered wrongly or poorly when people tried it. */
const TRIED: readonly PlainQuery[] = [
  ask("cors", "configuration-server#server", "routes#"),
  ask("hardware requirements", "sizing"),
  ask("getting started", "getting-started"),
  ask("quickstart", "getting-started"),
  ask("downgrade", "upgrading"),
  ask("someone left the company", "offboarding", "directory", "people"),
  ask("what is an account", "glossary", "getting-started"),
  ask("invite a colleague", "sign-in", "getting-started", "people"),
  ask("vat invoice", "glossary#what-it-doesnt-do", "books#statements"),
  ask("web socket", "sockets", "stored-responses#websockets"),
  ask("hash in url", "models", "one-request#", "errors-models#modelnotfound", "glossary"),
  ask("port already in use", "troubleshooting-gateway#a-start-fails-or-finds-nothing", "getting-started"),
  ask("a/b test models", "groups#", "selectors", "choosing", "labels"),
  ask("json mode", "clients", "one-request", "models"),
  ask("function calling", "clients", "one-request", "models"),
  ask("terraform", "state", "glossary#what-it-doesnt-do"),
  ask("scim", "directory"),
  ask("block a model for one team", "people", "company", "admin-keys#keys", "groups#rights-by-alias"),
  ask("budget for each developer", "person-limits#", "company"),
  ask("read replica", "nodes#postgresql", "glossary#what-it-doesnt-do"),
];

/** Fifty more, by the roles of those who ask. */
const BY_ROLE: readonly PlainQuery[] = [
  ask("first request", "getting-started"),
  ask("how do I get a key", "getting-started", "console"),
  ask("openai python base url", "client-openai-sdk", "clients#sdks", "getting-started"),
  ask("use claude code with it", "client-claude-code", "agents", "clients#coding-agents"),
  ask("which models can I use", "models", "routes#", "getting-started"),
  ask(
    "how much budget is left",
    "budgets#budgets",
    "person-limits#",
    "console",
    "getting-started",
    "routes",
    "headers",
  ),
  ask("ask for more budget", "person-limits#asking-for-more", "getting-started"),
  ask("my key stopped working", "troubleshooting", "offboarding", "errors-keys#keypaused"),
  ask("stream answers", "answers#streaming"),
  ask("images in a prompt", "refuses#images-by-url", "one-request", "media"),
  ask("embeddings", "embeddings"),
  ask("transcribe audio", "media"),
  ask("cheapest model", "selectors", "choosing", "labels", "prices"),
  ask("compare models", "console", "selectors", "choosing", "labels"),
  ask("prompt caching", "caching", "models", "claude-cache"),
  ask("retry without paying twice", "headers#idempotency"),
  ask("environment variables", "configuration#environment"),
  ask("change the port", "configuration-server#server"),
  ask("postgres", "nodes#postgresql"),
  ask("systemd", "deploying#as-a-service", "deploying#"),
  ask("proxy settings corporate", "network"),
  ask("self signed certificate", "network", "troubleshooting"),
  ask("move from litellm", "migrate-litellm"),
  ask("openrouter alternative", "migrate-openrouter"),
  ask("sso with okta", "sign-in", "directory"),
  ask("azure ad groups", "sign-in", "directory"),
  ask("what can a manager do", "people#roles", "people#permissions"),
  ask("rotate a key", "secrets#", "troubleshooting#a-key-has-leaked", "admin-keys#keys"),
  ask("rotate provider key", "secrets#", "console"),
  ask("who changed this", "audit#", "admin-api#audit"),
  ask("gdpr delete a person", "people", "offboarding#forgetting-a-person", "security", "admin-people#people"),
  ask("are prompts stored", "security", "configuration-log#log"),
  ask("turn off logging", "configuration-log#log", "security"),
  ask("monthly report for finance", "books#statements", "getting-started", "console"),
  ask("chargeback by cost center", "books#tags", "company", "books#statements"),
  ask("does the bill match", "books#reconciliation"),
  ask("stripe", "cards"),
  ask("currency", "glossary", "money", "books"),
  ask("what is a hold", "glossary", "money", "books"),
  ask("allowance", "money#free-allowance", "glossary"),
  ask("alias", "models", "configuration-models#aliases", "glossary"),
  ask("fallback model", "fallbacks#"),
  ask("slack notifications", "webhooks"),
  ask("prometheus metrics", "metrics", "alerts#metrics"),
  ask("command line remote", "command-line#from-another-machine"),
  ask("backup schedule", "backups", "store#backups"),
  ask("how many users can it handle", "sizing"),
  ask("is it open source license", "releases", "glossary", "getting-started"),
  ask("health endpoint", "restarting#health-checks"),
  ask("restrict by ip address", "errors-keys#addressnotallowed", "people", "admin-keys#keys", "security"),
];

interface QueryList {
  readonly name: string;
  readonly queries: readonly PlainQuery[];
  /** The most that may stay without an answer. */
  readonly unansweredMax: number;
}

export const QUERY_LISTS: readonly QueryList[] = [
  { name: "the first", queries: [...SYMPTOMS, ...ERRORS, ...PEERS_WORDS, ...TASKS], unansweredMax: 2 },
  { name: "the tried", queries: TRIED, unansweredMax: 0 },
  { name: "those by role", queries: BY_ROLE, unansweredMax: 2 },
];
