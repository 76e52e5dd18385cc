// The meaning and default of the fields that say what keys and requests are held to, and what is kept of them.

export interface FieldNote {
  readonly meaning: string;
  /** The value that counts if the field is left out. */
  readonly default?: unknown;
}

export const RULE_NOTES: Readonly<Record<string, FieldNote>> = {
  quota: { meaning: "Free requests." },
  "quota.requests_per_day": {
    meaning: "The number that a key has each day. null: no limit.",
    default: 200,
  },
  "quota.throttle": {
    meaning: "The interval at which one more request is free after those; `0s`: none is.",
    default: "10m",
  },
  "quota.scope": {
    meaning: "`key`: each key has its own allowance; `account`: the keys of an account share one.",
    default: "key",
  },
  "quota.day_starts": { meaning: "The time at which a day begins.", default: "00:00" },
  "quota.time_zone": { meaning: "The time zone of that time.", default: "UTC" },
  "quota.free": { meaning: "The limits of free requests." },
  "quota.free.models": {
    meaning: "The models that may be used for free, by id or pattern.",
    default: ["*"],
  },
  "quota.free.budget_usd_per_day": {
    meaning:
      "The most that a key's free requests may cost together in a day, at the models' prices. null: any amount.",
    default: 20,
  },
  billing: { meaning: "The charging of requests." },
  "billing.charge": {
    meaning:
      "`beyond_allowance`: balances pay for requests beyond the free allowance; `always`: they pay for every request.",
    default: "beyond_allowance",
  },
  "billing.markup": { meaning: "The factor by which prices are multiplied.", default: 1 },
  limits: { meaning: "Bounds of one request." },
  "limits.n": { meaning: "The most answers that one request may ask for.", default: 16 },
  responses: { meaning: "Conversations of `POST /v1/responses` that are kept for the next request." },
  "responses.keep": {
    meaning:
      "The time that they are kept, encrypted under the master key, so that `previous_response_id` works on every model; 0 keeps none. Clients that send `store: false` are not kept.",
    default: 0,
  },
  "responses.max_bytes": {
    meaning: "The most that one account may keep; its oldest responses go.",
    default: "64MB",
  },
  "responses.upstream_store": {
    meaning:
      "True: a provider with the Responses API stores the answers of clients that send `store: true`, in the operator's account there, and `previous_response_id` goes back to it.",
    default: false,
  },
  native: { meaning: "Requests that a provider gets as their client sent them." },
  "native.remote_tools": {
    meaning: "True: clients may name MCP servers and connectors, which the provider then calls.",
    default: false,
  },
  "limits.messages": { meaning: "The most messages in one request.", default: 10_000 },
  log: { meaning: "The request log." },
  "log.content": {
    meaning:
      "Keeps prompts and answers with the log, encrypted under the master key, at most 1 MiB of text each.",
    default: false,
  },
  "log.keep": { meaning: "The time that requests stay in the log.", default: "30d" },
  metrics: { meaning: "Access to `/metrics`." },
  "metrics.token": {
    meaning: "A token that must be sent as `Authorization: Bearer`. null: anyone may read them.",
    default: null,
  },
  router: { meaning: "The selectors' choice of models." },
  "router.fair": { meaning: "Settings of `Router#fair`." },
  "router.fair.quality": { meaning: "The share of the best quality that it keeps.", default: 0.98 },
  "router.deny": { meaning: "Models that no selector chooses.", default: [] },
  "router.pin": { meaning: "The model for requests that are mostly of one kind of task." },
  "router.pin.<skill>": { meaning: "The model's id." },
  "router.rules": { meaning: "The models that may be chosen for a kind of task.", default: [] },
  "router.rules[].category": { meaning: "The kind of task." },
  "router.rules[].at_least": {
    meaning: "The rule holds where at least this share of the request is of that kind.",
    default: 0.5,
  },
  "router.rules[].models": { meaning: "Only these may be chosen." },
  "router.rules[].deny": { meaning: "These may not be chosen." },
  "router.explore": {
    meaning: "The share of requests that go to another promising model, so that it gets feedback too.",
    default: 0,
  },
};
