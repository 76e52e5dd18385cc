// One search for everything that has an id or a name: requests, keys, accounts, sessions, traces, models, providers.
import { type Static, Type } from "@sinclair/typebox";
import type { RequestFilter } from "../../core/log/log-query.ts";
import type { ListedRequest } from "../../core/log/record.ts";
import type { Alias } from "../../core/models/alias.ts";
import { cutStoredName } from "../../core/models/stored-name.ts";
import type { Scope } from "../../core/people/people.ts";
import { nameSession } from "../../core/people/session.ts";
import type { Store } from "../../core/store.ts";
import type { Page } from "../../core/world/page.ts";
import type { Clock } from "../../core/world/world.ts";
import type { Access } from "../../people/access.ts";
import { CONSOLE_KEY } from "../keys/keys.ts";
import { allowWords, closeObject, text, type View } from "../schema.ts";

const CHARACTERS_MAX = 200;
/** The most results of each type. */
const EACH_MAX = 8;
const FIRST: Page = { limit: EACH_MAX, after: null };
const TRACE_SHAPE = /^[0-9a-f]{32}$/;
const SOCKET_SHAPE = /^sock_[0-9A-Za-z]+$/;

export const searchQuery = closeObject({
  q: Type.String({
    minLength: 1,
    maxLength: CHARACTERS_MAX,
    description: "An id, the last four characters of a key, or part of a name.",
  }),
});

export const resultSchema = Type.Object({
  type: allowWords(["request", "key", "account", "session", "trace", "socket", "model", "alias", "provider"]),
  id: text,
  name: text,
  /** Its page in the console. */
  url: text,
});
export type ResultView = View<typeof resultSchema>;

export interface SearchParts {
  readonly store: Pick<Store, "request" | "searchRequests" | "key" | "keys" | "account" | "accounts">;
  readonly clock: Pick<Clock, "nowMs">;
  /** Returns the ids of the models that are on, the names of the providers, and the aliases. */
  readonly names: () => {
    readonly models: readonly string[];
    readonly providers: readonly string[];
    readonly aliases: Readonly<Record<string, Alias>>;
  };
}

/** Returns what the viewer sees that has this id, or a name with this part: exact ids first. Every lookup uses an index or a short list. */
export async function search(
  parts: SearchParts,
  { q }: Static<typeof searchQuery>,
  access: Access,
): Promise<{ readonly data: readonly ResultView[]; readonly next: null }> {
  const given = q.trim();
  if (given === "") return { data: [], next: null };
  const found = await Promise.all([
    findRequests(parts, given, access.scope("requests.read")),
    findKeys(parts, given, access.scope("keys.read")),
    findAccounts(parts, given, access.scope("accounts.read")),
  ]);
  return { data: unify([...found.flat(), ...findNames(parts, given)]), next: null };
}

async function findRequests(
  { store }: SearchParts,
  given: string,
  scope: Scope,
): Promise<readonly ResultView[]> {
  const ask = async (filter: RequestFilter) =>
    (await store.searchRequests({ ...filter, scope }, FIRST, Number.POSITIVE_INFINITY)).rows;
  const session = nameSession(given) ?? given;
  const trace = given.toLowerCase();
  const [one, byRequest, bySession, byTrace, bySocket] = await Promise.all([
    store.request(cutStoredName(given), scope),
    ask({ requestId: given }),
    ask({ session }),
    TRACE_SHAPE.test(trace) ? ask({ traceId: trace }) : [],
    SOCKET_SHAPE.test(given) ? ask({ socketId: given }) : [],
  ]);
  return [
    ...(one === null ? [] : [one]).map(viewRequest),
    ...byRequest.map(viewRequest),
    ...(bySession.length > 0 ? [viewFilter("session", session, "session")] : []),
    ...(byTrace.length > 0 ? [viewFilter("trace", trace, "trace_id")] : []),
    ...(bySocket.length > 0 ? [viewFilter("socket", given, "socket")] : []),
  ];
}

function viewRequest({ id, requestId, modelUsed, modelAsked, status }: ListedRequest): ResultView {
  const name = `${modelUsed ?? modelAsked}, ${status} (${requestId})`;
  return { type: "request", id, name, url: `/#/activity/${encodeURIComponent(id)}` };
}

/** A value by which the log is narrowed. */
function viewFilter(type: "session" | "trace" | "socket" | "alias", id: string, filter: string) {
  const query = new URLSearchParams({ [filter]: id });
  return { type, id, name: id, url: `/#/activity?${query}` } as const;
}

function viewPage(type: "model" | "provider", id: string, folder: string) {
  return { type, id, name: id, url: `/#/${folder}/${encodeURIComponent(id)}` } as const;
}

async function findKeys(
  { store, clock }: SearchParts,
  given: string,
  scope: Scope,
): Promise<readonly ResultView[]> {
  const filter = { nowMs: clock.nowMs(), text: given.toLowerCase(), except: CONSOLE_KEY, scope };
  const [one, some] = await Promise.all([store.key(given, scope), store.keys(FIRST, filter)]);
  return [...(one === null ? [] : [one]), ...some].map(({ id, name, last4 }) => ({
    type: "key",
    id,
    name: `${name} (…${last4})`,
    url: `/#/settings/router/${encodeURIComponent(id)}`,
  }));
}

async function findAccounts(
  { store }: SearchParts,
  given: string,
  scope: Scope,
): Promise<readonly ResultView[]> {
  const [one, some] = await Promise.all([
    store.account(given, scope),
    store.accounts(FIRST, { text: given.toLowerCase(), scope }),
  ]);
  return [...(one === null ? [] : [one]), ...some].map(({ id, name }) => ({
    type: "account",
    id,
    name,
    url: `/#/settings/accounts/${encodeURIComponent(id)}`,
  }));
}

function findNames({ names }: SearchParts, given: string): readonly ResultView[] {
  const { models, providers, aliases } = names();
  const part = given.toLowerCase();
  const pick = (list: readonly string[], view: (name: string) => ResultView) =>
    list
      .filter((name) => name.toLowerCase().includes(part))
      .slice(0, EACH_MAX)
      .map(view);
  return [
    ...pick(providers, (name) => viewPage("provider", name, "settings/providers")),
    ...pick(Object.keys(aliases), (name) => viewFilter("alias", name, "model")),
    ...pick(models, (name) => viewPage("model", name, "models")),
  ];
}

function unify(results: readonly ResultView[]): readonly ResultView[] {
  return [...new Map(results.map((one) => [`${one.type} ${one.id}`, one])).values()];
}
