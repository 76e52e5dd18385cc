// Each changing route of the admin API, with the action that the audit log has of it.
import { asArray, asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";

interface Change {
  /** As it is registered. */
  readonly route: string;
  readonly action: string;
  readonly body?: () => unknown;
  readonly path?: () => string;
}

const made: Record<string, string> = {};
const SAMPLED = [{ role: "user", content: "Hi" }];
const TEXTS = ["a", "b"].map((text) => ({ answer: text, text }));

const RESET = () => ({ reason: "a wrong price" });
const LIMITED = { budgets: [{ usd: 1, per: "day" }] };

/** In this order: what is created first is changed and then removed. */
export const CHANGES: readonly Change[] = [
  { route: "POST /accounts", action: "account.created", body: () => ({ name: "Team" }) },
  {
    route: "PATCH /accounts/:id",
    action: "account.changed",
    body: () => ({ name: "Crew", member_defaults: LIMITED, ...LIMITED }),
  },
  { route: "PUT /accounts/by-name/:name", action: "account.created", body: () => ({}) },
  { route: "POST /accounts/:id/topups", action: "topup.made", body: () => ({ amount_usd: 3, note: "x" }) },
  {
    route: "POST /accounts/:id/adjustments",
    action: "adjustment.made",
    body: () => ({ amount_usd: -1, reason: "a wrong price" }),
  },
  { route: "POST /accounts/:id/budgets/reset", action: "budget.reset", body: RESET },
  { route: "POST /keys", action: "key.created", body: () => ({ name: "robot" }) },
  { route: "PATCH /keys/:id", action: "key.changed", body: () => ({ budgets: [{ usd: 1, per: "day" }] }) },
  { route: "PUT /keys/by-name/:account/:name", action: "key.created", body: () => ({}) },
  { route: "POST /keys/:id/rotate", action: "key.rotated", body: () => ({}) },
  { route: "POST /keys/:id/budgets/reset", action: "budget.reset", body: RESET },
  { route: "DELETE /keys/:id", action: "key.revoked" },
  { route: "POST /aliases", action: "alias.created", body: () => ({ name: "team", target: "Acme#cheap" }) },
  { route: "PATCH /aliases", action: "alias.changed", body: () => ({ name: "team", target: "Acme#dear" }) },
  {
    route: "PATCH /models/:id",
    action: "model.changed",
    path: () => `/models/${encodeURIComponent("Acme#cheap")}`,
    body: () => ({ refuses: ["temperature"] }),
  },
  { route: "PATCH /aliases/:name", action: "alias.changed", body: () => ({ target: "Acme#cheap" }) },
  { route: "DELETE /aliases/:name", action: "alias.deleted" },
  { route: "POST /aliases", action: "alias.created", body: () => ({ name: "crew", target: "Acme#cheap" }) },
  { route: "DELETE /aliases", action: "alias.deleted", path: () => "/aliases?name=crew" },
  {
    route: "POST /providers/:name",
    action: "provider.added",
    body: () => ({ key: "a-secret-of-the-tests" }),
  },
  {
    route: "PATCH /providers/:name",
    action: "provider.changed",
    body: () => ({ credential_id: made.credential, weight: 2 }),
  },
  {
    route: "POST /providers/:name/test",
    action: "provider.tested",
    path: () => "/providers/Local/test",
    body: () => ({}),
  },
  {
    route: "DELETE /providers/:name",
    action: "provider.removed",
    path: () => `/providers/Groq?credential_id=${made.credential}`,
  },
  {
    route: "POST /tokens",
    action: "token.created",
    body: () => ({ name: "ci", role: "viewer", accounts: [made.account] }),
  },
  { route: "PATCH /members/:id", action: "member.changed", body: () => ({ role: "viewer" }) },
  {
    route: "POST /members/:id/budgets/reset",
    action: "budget.reset",
    body: () => ({ account_id: made.account, reason: "a mistake" }),
  },
  { route: "POST /members/:id/anonymise", action: "member.anonymised" },
  {
    route: "POST /accounts/:id/close",
    action: "account.closed",
    body: () => ({ pay_out: true, reason: "left" }),
  },
  { route: "POST /accounts/:id/reopen", action: "account.reopened", body: () => ({}) },
  { route: "POST /webhooks/deliveries", action: "webhook.sent", body: () => ({ id: "whd_1" }) },
  { route: "DELETE /files/:id", action: "file.deleted", path: () => "/files/file-1" },
  {
    route: "POST /tokens/:id/take",
    action: "token.taken",
    path: () => `/tokens/${made.token}/take`,
    body: () => ({}),
  },
  { route: "DELETE /tokens/:id", action: "token.revoked", path: () => `/tokens/${made.token}` },
  {
    route: "POST /samples/plan",
    action: "sample.planned",
    body: () => ({ prompts: 2, messages: [SAMPLED] }),
  },
  {
    route: "POST /samples/ask",
    action: "sample.asked",
    body: () => ({ messages: SAMPLED, models: ["Acme#cheap", "Acme#dear"], max_cost_usd: 1 }),
  },
  {
    route: "POST /samples/judge",
    action: "sample.judged",
    body: () => ({ messages: SAMPLED, judge: "Acme#cheap", answers: TEXTS, max_cost_usd: 1 }),
  },
  {
    route: "POST /samples/scores",
    action: "sample.scored",
    body: () => ({ messages: SAMPLED, scores: [{ answer: made.sampled, score: 1 }] }),
  },
  { route: "DELETE /learned", action: "learning.forgotten", path: () => "/learned?model=Acme%23cheap" },
];

/** Requests of the playground are in the request log. Sign-ins have their own test. */
export const APART = [
  // Nobody signs an agent in here: `test/people/sign-in/device-list.test.ts` does.
  "DELETE /members/:id/devices/:device",
  // Cards aren't taken here: `test/whole/money/stripe.test.ts` has a simulated Stripe.
  "POST /accounts/:id/checkout",
  // Nothing runs here: `test/whole/batches` has batches.
  "POST /batches/:id/cancel",
  // No list of prices is watched here: `test/whole/models/price-changes.test.ts` has one.
  "POST /catalogue",
  // Only people ask for more: `test/people/limit-requests.test.ts` does.
  "POST /limit-requests",
  "POST /limit-requests/:id/decide",
  // No receiver is configured here: `test/whole/events/webhooks.test.ts` has some.
  "POST /webhooks/test",
  // It applies nothing.
  "POST /configuration/check",
  "POST /guard/try",
  "POST /playground",
  "POST /playground/*",
  // Each change that it makes is on record by itself: `test/cli/state-away.test.ts` looks.
  "POST /state",
  // It changes nothing: what is sought may be a secret, which stands in no address.
  "POST /search",
  "POST /session",
  "DELETE /session",
  // Only a session has sessions of its own: `test/people/cookies.test.ts` ends one.
  "DELETE /sessions/:id",
];

export function findPath({ route, path }: Change): string {
  if (path) return path();
  const [, template = ""] = route.split(" ");
  const [, kind = ""] = template.split("/");
  const id = { accounts: made.account, members: "mem_ann" }[kind] ?? made.key;
  const name = /\/providers/.test(template) ? "Groq" : "team";
  return template
    .replace(":id", id ?? "")
    .replace(":account", "default")
    .replace(":name", name);
}

export function remember(route: string, answer: JsonObject): void {
  if (route === "POST /accounts") made.account = asString(answer.id) ?? "";
  if (route === "POST /tokens") made.token = asString(answer.id) ?? "";
  if (route === "POST /keys") made.key = asString(answer.id) ?? "";
  if (route === "POST /providers/:name")
    made.credential = String(asObject(asArray(answer.credentials)[0]).id);
  if (route === "POST /samples/ask") made.sampled = String(asObject(asArray(answer.answers)[0]).answer);
}
