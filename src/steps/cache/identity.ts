// The identity of a request, by which its answer is kept: a keyed digest of everything that the answer depends on.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { Vault } from "../../core/world/world.ts";
import type { Call } from "../../gateway/call.ts";
import type { Selection } from "../../gateway/plan/plan.ts";
import type { Form } from "../../operations/form.ts";

export interface Identity {
  /** For answers in the operation's own form, which every surface shows. Null if it couldn't hold the whole request. */
  readonly shared: string | null;
  /** For those in a provider's own form, which only the client's own surface shows. Null if there are none. */
  readonly native: string | null;
  /** One of these: requests for the same answer at the same time wait for each other. */
  readonly id: string;
}

/** Fields that only say whose request it is, or how its answer is delivered. Every other field counts. */
const UNCOUNTED: ReadonlySet<string> = new Set([
  "user",
  "safety_identifier",
  "metadata",
  "prompt_cache_key",
  "stream",
  "stream_options",
  // The model is named by what it means.
  "model",
]);

/** A client's notes about itself, which no model sees: a translated answer doesn't depend on them. */
const NOTES: ReadonlySet<string> = new Set(["client_metadata"]);

/**
 * Returns null if no answer to the request may be repeated: it depends on an earlier answer at one provider, or its own
 * is to be stored, and so must be that of this very request, by its id. Nor if neither form holds the whole request.
 */
export function identifyCall<F extends Form>(
  vault: Pick<Vault, "digest">,
  call: Call<F>,
  byOthers: readonly string[],
): Identity | null {
  const { operation, ask, raw, selection, steering, pin, lost, unreadBytes, key, caching } = call;
  if (pin !== null || call.isToBeStored === true) return null;
  const namespace = caching?.namespace ?? null;
  const about = [
    key.accountId,
    namespace,
    namespace === null ? key.memberId : null,
    operation.name,
    nameSelection(selection),
    steering,
    sortFields(raw?.headers ?? {}),
    byOthers,
  ];
  const asked = sortRequest(operation.identify(ask));
  const digest = (...parts: readonly unknown[]) => vault.digest(`cache ${JSON.stringify([about, ...parts])}`);
  const isWhole = unreadBytes === 0 && lost.every((field) => NOTES.has(field));
  const shared = isWhole ? digest(asked) : null;
  const native = raw === null ? null : digest(asked, raw.family, sortCounted(raw.body, keep));
  const id = shared ?? native;
  return id === null ? null : { shared, native, id };
}

/** Returns the digest of the request as it is now, made when it is asked for. */
export function makeAskedDigest<F extends Form>(
  vault: Pick<Vault, "digest">,
  { operation, ask, raw }: Call<F>,
): () => string {
  return () => vault.digest(`asked ${JSON.stringify([operation.identify(ask), raw?.body ?? null])}`);
}

/** A selector's key is taken before its choice. */
function nameSelection(selection: Selection): unknown {
  switch (selection.kind) {
    case "card":
      return selection.card.id;
    case "group":
      return selection.members.map(({ card, weight }) => [card.id, weight]);
    case "selector":
      return `Router#${selection.selector.name}`;
  }
}

/**
 * The order of fields means nothing but in the client's own schemas, in whose order models write: only a request's own
 * fields, and those of its messages, are sorted. Different words of the APIs for one thing become the same.
 */
function sortRequest(body: JsonObject): JsonObject {
  return sortCounted(mergeLimits(body), (value, name) =>
    name === "messages" ? sortDeep(value, simplifyContent) : value,
  );
}

/** A limit of the answer has a name of each generation. The lower one counts if there are both. */
function mergeLimits(body: JsonObject): JsonObject {
  const { max_completion_tokens: limit, ...rest } = body;
  if (typeof limit !== "number") return body;
  const { max_tokens: older } = rest;
  return { ...rest, max_tokens: typeof older === "number" ? Math.min(older, limit) : limit };
}

/** A text, and the same as the only part of a content, are one. Gemini's API has parts only. */
function simplifyContent(value: unknown, name: string): unknown {
  if (name !== "content" || !Array.isArray(value) || value.length !== 1) return value;
  const [part] = value;
  if (!isObject(part) || part.type !== "text" || Object.keys(part).length !== 2) return value;
  return typeof part.text === "string" ? part.text : value;
}

function sortCounted(body: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  const counted = Object.keys(body).filter((name) => !UNCOUNTED.has(name));
  return makeSorted(body, counted, change);
}

function sortFields(fields: Readonly<JsonObject>): JsonObject {
  return makeSorted(fields, Object.keys(fields), keep);
}

function sortDeep(value: unknown, change: (value: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => sortDeep(one, change));
  if (!isObject(value)) return value;
  return makeSorted(value, Object.keys(value), (held, name) => sortDeep(change(held, name), change));
}

/** Sorts the names in place. */
function makeSorted(
  fields: Readonly<JsonObject>,
  names: string[],
  change: (value: unknown, name: string) => unknown,
): JsonObject {
  return Object.fromEntries(names.sort().map((name) => [name, change(fields[name], name)]));
}

const keep = (value: unknown) => value;
