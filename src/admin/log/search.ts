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
import { closeObject } from "../schema.ts";
import { type ResultView, viewKey } from "./search-result.ts";
import { findSecretOwner, type SecretParts } from "./search-secret.ts";

const CHARACTERS_MAX = 200;
/** The most results of each type. */
const EACH_MAX = 8;
const FIRST: Page = { limit: EACH_MAX, after: null };
/** Those among which further words of a name are looked for. */
const MANY: Page = { limit: 100, after: null };
const MANY_PEOPLE: Page = { limit: 1000, after: null };
const TRACE_SHAPE = /^[0-9a-f]{32}$/;
const SOCKET_SHAPE = /^sock_[0-9A-Za-z]+$/;

export const searchQuery = closeObject({
  q: Type.String({
    minLength: 1,
    maxLength: CHARACTERS_MAX,
    description: "An id, the last four characters of a key, or part of a name.",
  }),
});

export const searchTextSchema = closeObject({
  q: Type.String({
    minLength: 1,
    maxLength: CHARACTERS_MAX,
    description: "The same, or the whole secret of a key, an agent or a named token, which is digested.",
  }),
});

export interface SearchParts extends SecretParts {
  readonly store: SecretParts["store"] &
    Pick<Store, "request" | "searchRequests" | "keys" | "account" | "accounts">;
  readonly clock: Pick<Clock, "nowMs">;
  /** Returns the ids of the models that are on, the names of the providers, and the aliases. */
  readonly names: () => {
    readonly models: readonly string[];
    readonly providers: readonly string[];
    readonly aliases: Readonly<Record<string, Alias>>;
  };
}

interface Results {
  readonly data: readonly ResultView[];
  readonly next: null;
}

/**
 * Returns what the viewer sees that has this id, or a name with all of these words in any order: exact ids first. A whole
 * secret finds what it proves, by its digest alone. Every lookup uses an index or a short list.
 */
export async function searchThings(
  parts: SearchParts,
  { q }: Static<typeof searchQuery>,
  access: Access,
): Promise<Results> {
  const given = q.trim();
  if (given === "") return { data: [], next: null };
  const proven = await findSecretOwner(parts, given, access);
  if (proven !== null) return { data: proven, next: null };
  const found = await Promise.all([
    findRequests(parts, given, access.scope("requests.read")),
    findKeys(parts, given, access.scope("keys.read")),
    findAccounts(parts, given, access.scope("accounts.read")),
    findPeople(parts, given, access),
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
  const name = `${modelUsed ?? (modelAsked || "unknown model")}, ${status} (${requestId || id})`;
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

/** Returns a test of names for all words of a text, in any order. */
function matchWords(given: string): (name: string) => boolean {
  const words = readWords(given);
  return (name) => {
    const small = name.toLowerCase();
    return words.every((word) => small.includes(word));
  };
}

function readWords(given: string): readonly string[] {
  return given
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** The store looks for one part of a name: the longest word, which the fewest have. */
function chooseWord(given: string): string {
  return readWords(given).reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

async function findKeys(
  { store, clock }: SearchParts,
  given: string,
  scope: Scope,
): Promise<readonly ResultView[]> {
  const filter = { nowMs: clock.nowMs(), text: chooseWord(given), except: CONSOLE_KEY, scope };
  const [one, some] = await Promise.all([store.key(given, scope), store.keys(MANY, filter)]);
  const isMatch = matchWords(given);
  const named = some.filter(({ name, last4, id }) => isMatch(`${name} ${last4} ${id}`)).slice(0, EACH_MAX);
  return [...(one === null ? [] : [one]), ...named].map(viewKey);
}

async function findAccounts(
  { store }: SearchParts,
  given: string,
  scope: Scope,
): Promise<readonly ResultView[]> {
  const [one, some] = await Promise.all([
    store.account(given, scope),
    store.accounts(MANY, { text: chooseWord(given), scope }),
  ]);
  const isMatch = matchWords(given);
  const isFound = ({ name, externalId, id }: (typeof some)[number]) =>
    isMatch(`${name} ${externalId ?? ""} ${id}`);
  const named = some.filter(isFound).slice(0, EACH_MAX);
  return [...(one === null ? [] : [one]), ...named].map(({ id, name }) => ({
    type: "account",
    id,
    name,
    url: `/#/settings/accounts/${encodeURIComponent(id)}`,
  }));
}

/** Among the latest people: the store looks for no parts of their names. */
async function findPeople(
  { store }: SearchParts,
  given: string,
  access: Access,
): Promise<readonly ResultView[]> {
  if (!access.may("members.read")) return [];
  const isMatch = matchWords(given);
  const people = await store.people.members(MANY_PEOPLE, access.scope("members.read"));
  return people
    .filter(({ id, name, email }) => isMatch(`${name} ${email ?? ""} ${id}`))
    .slice(0, EACH_MAX)
    .map(({ id, name }) => ({
      type: "person",
      id,
      name: name || id,
      url: `/#/settings/people/${encodeURIComponent(id)}`,
    }));
}

function findNames({ names }: SearchParts, given: string): readonly ResultView[] {
  const { models, providers, aliases } = names();
  const isMatch = matchWords(given);
  const pick = (list: readonly string[], view: (name: string) => ResultView) =>
    list.filter(isMatch).slice(0, EACH_MAX).map(view);
  return [
    ...pick(providers, (name) => viewPage("provider", name, "settings/providers")),
    ...pick(Object.keys(aliases), (name) => viewFilter("alias", name, "model")),
    ...pick(models, (name) => viewPage("model", name, "models")),
  ];
}

function unify(results: readonly ResultView[]): readonly ResultView[] {
  return [...new Map(results.map((one) => [`${one.type} ${one.id}`, one])).values()];
}
