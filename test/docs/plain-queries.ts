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
  ask("outage", "troubleshooting#a-provider-is-down", "operate#failover"),
  ask("key leaked", "troubleshooting#a-key-has-leaked"),
  ask("stolen api key", "troubleshooting#a-key-has-leaked"),
  ask("disk full", "troubleshooting#the-store-fails-or-its-disk-is-full"),
  ask("no space left on device", "troubleshooting#the-store-fails-or-its-disk-is-full"),
  ask("slow", "troubleshooting#answers-are-slow"),
  ask("high latency", "troubleshooting#answers-are-slow"),
  ask("requests hang", "troubleshooting#answers-are-slow", "errors#upstreamtimeout"),
  ask("streaming is buffered", "operate#behind-a-proxy"),
  ask("rate limited", "troubleshooting#429-or-402-why-was-it-refused", "errors#ratelimitexceeded"),
  ask("gateway won't start", "troubleshooting#the-gateway-is-gone"),
  ask("out of memory", "troubleshooting#the-gateway-is-gone", "configuration#server"),
  ask("crashed", "troubleshooting#the-gateway-is-gone"),
  ask("reload failed", "troubleshooting#a-changed-configuration-was-refused"),
  ask("noisy neighbor", "troubleshooting#one-tenant-floods-the-gateway"),
  ask("lost admin password", "people#the-admin-token", "operate#changing-secrets", "console"),
];

const ERRORS: readonly PlainQuery[] = [
  ask("429", "troubleshooting#429-or-402-why-was-it-refused", "errors#ratelimitexceeded"),
  ask("402 payment required", "troubleshooting#429-or-402-why-was-it-refused", "errors#insufficientbalance"),
  ask("incorrect api key provided", "errors#invalidapikey"),
  ask("model does not exist", "errors#modelnotfound"),
  ask("maximum context length", "errors#contextlengthexceeded"),
  ask("ECONNREFUSED", "troubleshooting#a-provider-is-down", "troubleshooting#the-gateway-is-gone"),
  ask("database is locked", "troubleshooting#the-store-fails-or-its-disk-is-full", "operate#the-store"),
  ask("413 request entity too large", "operate#behind-a-proxy", "errors#requesttoolarge"),
  ask("502 bad gateway", "troubleshooting#a-provider-is-down", "errors#upstreamerror"),
  ask("timed out", "errors#upstreamtimeout", "errors#requesttimeout", "errors#clienttimeout"),
  ask("certificate verify failed", "troubleshooting#a-provider-is-down"),
];

const PEERS_WORDS: readonly PlainQuery[] = [
  ask("virtual keys", "migrate-litellm", "migrate-portkey", "admin-api#keys"),
  ask("rpm tpm", "money#limits-of-a-minute", "migrate-litellm#keys-and-budgets"),
  ask("max_budget", "migrate-litellm#keys-and-budgets", "money#budgets"),
  ask("guardrails", "migrate-portkey#what-isnt-there", "migrate-litellm#what-doesnt"),
  ask("load balancing", "models#groups", "operate#failover"),
  ask("retries", "operate#failover"),
  ask("SSO", "sign-in"),
  ask("RBAC", "people#roles", "people#permissions"),
  ask("teams", "company#one-account-a-team", "people"),
  ask("spend limit per user", "money#budgets", "people#limits-of-a-person", "company"),
  ask("log retention", "configuration#log", "operate#the-store"),
  ask("bring your own key", "configuration#providers", "models#providers", "console"),
  ask("local models", "models#servers-of-your-own"),
];

const TASKS: readonly PlainQuery[] = [
  ask("kubernetes", "operate#health-checks", "operate#deploying", "fifty-people#kubernetes"),
  ask("docker compose", "operate#deploying", "fifty-people"),
  ask("nginx", "operate#behind-a-proxy"),
  ask("https", "operate#behind-a-proxy", "operate#deploying"),
  ask("high availability", "operate#many-nodes", "operate#failover"),
  ask("zero downtime deploy", "operate#stopping-and-restarting"),
  ask("grafana", "operate#alerts-and-dashboards"),
  ask("alerts", "operate#alerts-and-dashboards"),
  ask("opentelemetry", "operate#traces", "configuration#telemetry"),
  ask("backups and restoring", "backups"),
  ask("upgrade", "upgrading"),
  ask("refund", "money"),
  ask("invoice", "money", "admin-api#requests-and-usage", "admin-api#command-line"),
  ask("export csv", "admin-api#command-line", "admin-api#audit", "admin-api#requests-and-usage"),
  ask("cost per team", "admin-api#requests-and-usage", "company", "admin-api#command-line"),
  ask("delete a user", "people", "admin-api#people", "console"),
  ask("cursor ide", "client-cursor"),
  ask("model context protocol", "tool-servers"),
  ask("mcp permissions per key", "tool-servers"),
];

export const PLAIN_QUERIES: readonly PlainQuery[] = [...SYMPTOMS, ...ERRORS, ...PEERS_WORDS, ...TASKS];
