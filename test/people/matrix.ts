// A table of the admin routes, with the roles that may use each, and on which objects. It is written by hand, not read off the code.
import { ROLES, type Role } from "../../src/core/people/people.ts";

/** A sender's grant: in the account `mine` alone, or in all accounts. */
export const SPANS = ["mine", "all"] as const;
export type Span = (typeof SPANS)[number];

/** The object of a request belongs to the sender's own key, to the same account, or to another account. */
export const PLACES = ["own", "same", "foreign"] as const;
export type Place = (typeof PLACES)[number];

/** The kinds of objects. */
export type Kind = "key" | "account" | "request" | "refusal" | "token" | "member";

export interface Row {
  /**
   * The kind of object that the path's id names. `list`: the answer shows objects of every place. `whole`: the route
   * concerns the whole gateway, so a role in one account isn't enough. `any`: it concerns nobody's rows.
   */
  readonly of: Kind | "list" | "whole" | "any";
  /** The roles that may, on an object of an account that isn't their own. */
  readonly may: readonly Role[];
  /** The roles that may, on an object of their own key. */
  readonly own?: readonly Role[];
  /** The status for those who may: 200 unless given. 400 if the body below is wrong, which is looked at only then. */
  readonly ok?: number;
  /** A function makes it for an account. */
  readonly body?: object | ((accountId: string) => object);
  /** The path with an id in it, or with a query, if it isn't the route's. */
  readonly path?: (id: string) => string;
  /** True if the request uses its object up. */
  readonly isFresh?: true;
  /** The objects that a list shows, by kind. */
  readonly lists?: Kind;
}

const EVERYONE = ROLES;
const READERS: readonly Role[] = ["viewer", "manager", "billing", "operator", "admin"];
const WRITERS: readonly Role[] = ["manager", "operator", "admin"];
const HOLDERS: readonly Role[] = ["member", ...WRITERS];
const OPERATORS: readonly Role[] = ["operator", "admin"];
const PAYERS: readonly Role[] = ["billing", "admin"];
const CARD_PAYERS: readonly Role[] = ["member", ...PAYERS];
const KEEPERS: readonly Role[] = ["manager", "admin"];
const AUDITORS: readonly Role[] = ["viewer", ...WRITERS];
const RECONCILERS: readonly Role[] = ["viewer", "operator", ...PAYERS];
const PEOPLE_READERS: readonly Role[] = ["viewer", ...KEEPERS];
const ADMINS: readonly Role[] = ["admin"];

const WRONG = { ok: 400, body: {} } as const;
const CHAT = { model: "Acme#cheap", messages: [{ role: "user", content: "say: hi" }] };

/** By method and path below `/admin/v1`. */
export const MATRIX: Readonly<Record<string, Row>> = {
  "GET /session": { of: "any", may: EVERYONE },
  "GET /sessions": { of: "any", may: EVERYONE },
  "DELETE /sessions/:id": { of: "any", may: EVERYONE, ok: 404 },
  "GET /accounts": { of: "list", may: EVERYONE, lists: "account" },
  "POST /accounts": { of: "whole", may: OPERATORS, ok: 201, body: { name: "made" } },
  "GET /accounts/:id": { of: "account", may: EVERYONE },
  "PATCH /accounts/:id": { of: "account", may: OPERATORS, body: { requests_per_minute: 1000 } },
  "POST /accounts/:id/budgets/reset": { of: "account", may: OPERATORS, ok: 201, body: { reason: "x" } },
  "GET /accounts/:id/journal": { of: "account", may: READERS },
  "GET /accounts/:id/statements/:month": {
    of: "account",
    may: READERS,
    path: (id) => `/accounts/${id}/statements/${new Date().toISOString().slice(0, 7)}`,
  },
  "GET /spending": { of: "any", may: EVERYONE },
  "GET /spending/people": { of: "any", may: EVERYONE },
  "GET /statements/:month": { of: "any", may: READERS, path: () => "/statements/2026-10" },
  "GET /reconciliation": { of: "whole", may: RECONCILERS },
  "GET /reconciliation.csv": { of: "whole", may: RECONCILERS },
  "GET /accounts/:id/checkout": { of: "account", may: CARD_PAYERS },
  // Cards aren't taken here.
  "POST /accounts/:id/checkout": { of: "account", may: CARD_PAYERS, ok: 404, body: { amount_usd: 10 } },
  "GET /keys": { of: "list", may: EVERYONE, lists: "key", path: () => "/keys?limit=200&q=key_" },
  "POST /keys": {
    of: "account",
    may: HOLDERS,
    ok: 201,
    path: () => "/keys",
    body: (id: string) => ({ name: "made", account_id: id }),
  },
  "GET /keys/:id": { of: "key", may: READERS, own: EVERYONE },
  "PATCH /keys/:id": { of: "key", may: WRITERS, own: HOLDERS, body: { name: "renamed" } },
  "POST /keys/:id/rotate": { of: "key", may: WRITERS, own: HOLDERS, ok: 201, body: {}, isFresh: true },
  "POST /keys/:id/budgets/reset": { of: "key", may: WRITERS, own: ADMINS, ok: 201, body: { reason: "x" } },
  "DELETE /keys/:id": { of: "key", may: WRITERS, own: HOLDERS, isFresh: true },
  "GET /files": { of: "any", may: EVERYONE },
  "GET /files/:id/content": { of: "any", may: EVERYONE, ok: 404, path: () => "/files/file-0/content" },
  "DELETE /files/:id": { of: "any", may: WRITERS, ok: 404, path: () => "/files/file-0" },
  "GET /webhooks": { of: "any", may: READERS },
  "GET /webhooks/deliveries": { of: "any", may: READERS },
  "POST /webhooks/deliveries": { of: "any", may: OPERATORS, ...WRONG },
  "POST /webhooks/test": { of: "any", may: OPERATORS, ...WRONG },
  "GET /tokens": { of: "list", may: ADMINS, lists: "token" },
  "POST /tokens": {
    of: "account",
    may: ADMINS,
    ok: 201,
    path: () => "/tokens",
    body: (id: string) => ({ name: "made", role: "viewer", accounts: [id] }),
  },
  "DELETE /tokens/:id": { of: "token", may: ADMINS, isFresh: true },
  "POST /tokens/:id/take": { of: "token", may: ADMINS, ok: 201, body: {}, isFresh: true },
  "GET /members": { of: "list", may: PEOPLE_READERS, lists: "member", path: () => "/members?limit=200" },
  "GET /members/:id": { of: "member", may: PEOPLE_READERS },
  "GET /members/:id/stays": { of: "member", may: PEOPLE_READERS },
  "PATCH /members/:id": { of: "whole", may: ADMINS, body: {}, path: () => "/members/mem_viewer_mine" },
  "POST /members/:id/anonymise": {
    of: "whole",
    may: ADMINS,
    ok: 404,
    path: () => "/members/none/anonymise",
  },
  // `test/people/limit-requests.test.ts` says which of them each role sees, and about which it decides.
  "GET /limit-requests": { of: "any", may: ["viewer", ...HOLDERS] },
  "POST /limit-requests": { of: "any", may: HOLDERS, ...WRONG },
  "POST /limit-requests/:id/decide": {
    of: "any",
    may: KEEPERS,
    ok: 404,
    body: { grant: true },
    path: () => "/limit-requests/none/decide",
  },
  // The tests in `test/people/sign-in/device-list.test.ts` say which agents each sees.
  "GET /members/:id/devices": { of: "any", may: EVERYONE, ok: 404, path: () => "/members/none/devices" },
  "DELETE /members/:id/devices/:device": {
    of: "any",
    may: EVERYONE,
    ok: 404,
    path: () => "/members/none/devices/none",
  },
  "GET /requests": { of: "list", may: EVERYONE, lists: "request", path: () => "/requests?limit=200" },
  "GET /requests/live": { of: "any", may: EVERYONE },
  "GET /requests/:id": { of: "request", may: READERS, own: EVERYONE },
  "GET /requests/:id/neighbours": { of: "request", may: READERS, own: EVERYONE },
  "GET /batches": { of: "any", may: EVERYONE },
  "GET /batches/:id": { of: "any", may: EVERYONE, ok: 404, path: () => "/batches/none" },
  "POST /batches/:id/cancel": {
    of: "any",
    may: WRITERS,
    ok: 404,
    body: {},
    path: () => "/batches/none/cancel",
  },
  "GET /audit": {
    of: "list",
    may: AUDITORS,
    lists: "key",
    path: () => "/audit?limit=200&action=key.created&outcome=success",
  },
  "GET /export/audit.csv": { of: "any", may: AUDITORS },
  "GET /export/requests.csv": { of: "any", may: EVERYONE },
  "GET /export/requests.jsonl": { of: "list", may: EVERYONE, lists: "request" },
  "GET /export/usage.csv": { of: "any", may: EVERYONE },
  "GET /export/usage.jsonl": {
    of: "list",
    may: EVERYONE,
    lists: "key",
    path: () => "/export/usage.jsonl?group_by=key&from=2026-11-01&to=2026-11-30",
  },
  "GET /export/journal.csv": { of: "any", may: READERS },
  "GET /export/journal.jsonl": { of: "any", may: READERS },
  "GET /export/statements.csv": { of: "any", may: READERS },
  "GET /export/statements.jsonl": { of: "any", may: READERS },
  "GET /export/reconciliation.csv": { of: "whole", may: RECONCILERS },
  "GET /export/reconciliation.jsonl": { of: "whole", may: RECONCILERS },
  "GET /export/keys.csv": { of: "any", may: EVERYONE },
  "GET /export/keys.jsonl": { of: "list", may: EVERYONE, lists: "key" },
  "GET /export/accounts.csv": { of: "any", may: EVERYONE },
  "GET /export/accounts.jsonl": { of: "list", may: EVERYONE, lists: "account" },
  "GET /export/members.csv": { of: "any", may: PEOPLE_READERS },
  "GET /export/members.jsonl": { of: "list", may: PEOPLE_READERS, lists: "member" },
  // A refused change names the id that its sender sent.
  "GET /export/audit.jsonl": {
    of: "list",
    may: AUDITORS,
    lists: "key",
    path: () => "/export/audit.jsonl?outcome=success",
  },
  "GET /usage": {
    of: "list",
    may: EVERYONE,
    lists: "key",
    path: () => "/usage?group_by=key&from=2026-11-01&to=2026-11-30",
  },
  "GET /refusals": { of: "list", may: EVERYONE, lists: "refusal", path: () => "/refusals?limit=200" },
  "GET /search": { of: "any", may: EVERYONE, path: () => "/search?q=x" },
  "POST /search": { of: "any", may: EVERYONE, body: { q: "x" } },
  "GET /nearing": { of: "any", may: EVERYONE },
  "GET /mcp/servers": { of: "any", may: EVERYONE },
  "GET /mcp/tools": { of: "any", may: EVERYONE },
  "GET /mcp/tools/:name": { of: "any", may: EVERYONE, ok: 404, path: () => "/mcp/tools/none" },
  "GET /models/retiring": { of: "any", may: EVERYONE },
  "GET /models/missing": { of: "any", may: EVERYONE },
  "GET /models/family-priced": { of: "whole", may: RECONCILERS },
  "GET /problems": { of: "whole", may: READERS },
  "GET /sockets": { of: "whole", may: READERS },
  "GET /overview": { of: "any", may: EVERYONE },
  "GET /savings": { of: "any", may: EVERYONE },
  "GET /models": { of: "any", may: EVERYONE },
  "GET /scim": { of: "whole", may: ["viewer", "admin"] },
  "GET /settings": { of: "whole", may: READERS },
  "GET /configuration": { of: "whole", may: READERS },
  "POST /configuration/check": { of: "whole", may: OPERATORS, body: { text: "{}" } },
  "GET /guard": { of: "whole", may: READERS },
  "POST /guard/try": { of: "whole", may: OPERATORS, body: { text: "x" } },
  "GET /learned": { of: "whole", may: READERS },
  "DELETE /learned": { of: "whole", may: OPERATORS, path: () => "/learned?model=Acme%23cheap" },
  "GET /catalogue": { of: "whole", may: READERS },
  "POST /catalogue": { of: "whole", may: OPERATORS, ok: 409, body: {} },
  "GET /models/:id": { of: "any", may: EVERYONE, ok: 404, path: () => "/models/none" },
  "PATCH /models/:id": { of: "whole", may: OPERATORS, ...WRONG, path: () => "/models/none" },
  "GET /aliases": { of: "any", may: EVERYONE },
  "POST /aliases": { of: "whole", may: OPERATORS, ...WRONG },
  "PATCH /aliases": { of: "whole", may: OPERATORS, ...WRONG },
  "DELETE /aliases": { of: "whole", may: OPERATORS, ok: 400 },
  "PATCH /aliases/:name": { of: "whole", may: OPERATORS, ...WRONG, path: () => "/aliases/none" },
  "DELETE /aliases/:name": { of: "whole", may: OPERATORS, ok: 404, path: () => "/aliases/none" },
  "GET /providers": { of: "whole", may: READERS },
  "POST /providers/:name": { of: "whole", may: OPERATORS, ...WRONG, path: () => "/providers/Groq" },
  "PATCH /providers/:name": { of: "whole", may: OPERATORS, ...WRONG, path: () => "/providers/Groq" },
  "POST /providers/:name/test": { of: "whole", may: OPERATORS, body: {}, path: () => "/providers/Acme/test" },
  "DELETE /providers/:name": { of: "whole", may: OPERATORS, ok: 400, path: () => "/providers/Groq" },
  "POST /samples/plan": { of: "whole", may: OPERATORS, ...WRONG },
  "POST /samples/ask": { of: "whole", may: OPERATORS, ...WRONG },
  "POST /samples/judge": { of: "whole", may: OPERATORS, ...WRONG },
  "POST /samples/scores": { of: "whole", may: OPERATORS, ...WRONG },
  "GET /state": { of: "whole", may: ADMINS },
  "POST /state": { of: "whole", may: ADMINS, body: { file: "f", state: {} } },
  "POST /playground": { of: "whole", may: ADMINS, body: CHAT },
  "POST /playground/*": {
    of: "whole",
    may: ADMINS,
    body: CHAT,
    path: () => "/playground/v1/chat/completions",
  },
  "PUT /accounts/by-name/:name": {
    of: "whole",
    may: OPERATORS,
    ok: 201,
    body: {},
    path: () => `/accounts/by-name/${crypto.randomUUID()}`,
  },
  "PUT /keys/by-name/:account/:name": {
    of: "account",
    may: HOLDERS,
    ok: 201,
    body: {},
    path: (id) => `/keys/by-name/${id}/${crypto.randomUUID()}`,
  },
  // The last one: operators write no keys in an account with a balance.
  "POST /accounts/:id/topups": {
    of: "account",
    may: PAYERS,
    ok: 201,
    body: { amount_usd: 1 },
  },
  "POST /accounts/:id/adjustments": {
    of: "account",
    may: PAYERS,
    ok: 201,
    body: { amount_usd: 1, reason: "goodwill" },
  },
  "POST /accounts/:id/close": { of: "account", may: PAYERS, ok: 409, body: {} },
  "POST /accounts/:id/reopen": { of: "account", may: PAYERS, body: {} },
};

/** Routes that begin or end a session: nobody is signed in before, or after. */
export const APART: readonly string[] = [
  "POST /session",
  "DELETE /session",
  // It names a person and an account: `test/people/limits.test.ts` asks as each role.
  "POST /members/:id/budgets/reset",
];

/** Returns the status that a sender's request must get. An account that a body names is like a missing one: 400. */
export function expectStatus(
  { of, may, own = may, ok = 200, body }: Row,
  role: Role,
  span: Span,
  place: Place,
): number {
  if (of === "any" || of === "list") return may.includes(role) ? ok : 403;
  if (of === "whole") return may.includes(role) && span === "all" ? ok : 403;
  if (![...may, ...own].includes(role)) return 403;
  if (!isSeen(of, role, span, place)) return body instanceof Function ? 400 : 404;
  return (place === "own" ? own : may).includes(role) ? ok : 403;
}

/** True if a sender sees such an object. */
export function isSeen(of: Row["of"], role: Role, span: Span, place: Place): boolean {
  if (place === "own") return true;
  if (place === "foreign" && span === "mine") return false;
  return of === "account" || role !== "member";
}
