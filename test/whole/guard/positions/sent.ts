// Sends a canary at each position of each body through a gateway, and says where it was found and what a provider got.
import { asObject, type JsonObject, parseJson } from "../../../../src/core/json/json.ts";
import { buildBody } from "./build.ts";
import { completeBody } from "./complete.ts";
import type { Position } from "./list.ts";
import { findTypes, type SdkBody } from "./sdks.ts";
import { type Action, type Canary, listCanaries, listHidden, makeValue, REPEATED } from "./values.ts";
import type { PositionWorld } from "./world.ts";

/** The providers behind each path: the first speaks its form, if one does. */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  "/v1/chat/completions": ["Local", "Anthropic", "Google", "Perplexity", "Bedrock"],
  "/v1/messages": ["Anthropic", "Local"],
  "/v1/responses": ["Responses", "Anthropic"],
  "/v1beta/models/{model}:generateContent": ["Google", "Local"],
  "/v1beta/models/{model}:embedContent": ["Google"],
  "/v1/interactions": ["Google", "Local"],
  "/v1/rerank": ["Cohere", "Jina"],
};

export const listProviders = ({ path }: SdkBody) => PROVIDERS[path] ?? ["OpenAI"];

/** The end of one request. */
export interface Outcome {
  readonly provider: string;
  readonly action: Action;
  readonly status: number;
  /** True if no step saw the request: a surface has refused it, or the guard. */
  readonly isRefused: boolean;
  /** The words of a rule's refusal. Null if none has refused the request. */
  readonly blocked: { readonly param: string; readonly reason: string } | null;
  /** The canaries that were found. */
  readonly found: readonly string[];
  /** The canaries that a provider got. */
  readonly sent: readonly Canary[];
  /** The canaries in whose place a provider got something else. */
  readonly hidden: readonly Canary[];
  /** The canaries that the client got, and null if its provider's answer had no text to repeat them in. */
  readonly back: readonly Canary[] | null;
}

let modelNumber = 0;

/** Each request asks a model of its own: the gateway learns which fields a model refuses, and leaves them out. */
export function makeRequest(body: SdkBody, position: Position, provider: string): JsonObject {
  const built = buildBody(position, makeValue(position).value, findTypes(body));
  return completeBody(body.path, built, `${provider}#sim-${modelNumber++}`);
}

export async function send(
  { world, secrets, readFound }: PositionWorld,
  path: string,
  body: JsonObject,
  { provider, action, isStream = false }: Sending,
): Promise<Outcome> {
  world.simulator.reset();
  const isForm = path.includes("transcriptions");
  const headers = { authorization: `Bearer ${secrets[action]}`, "anthropic-version": "2023-06-01" };
  const type = { "content-type": "application/json" };
  const verb = isStream ? ":streamGenerateContent?alt=sse" : ":generateContent";
  const asked = path
    .replace("{model}", encodeURIComponent(`${provider}#sim-${modelNumber++}`))
    .replace(/:generateContent$/, verb);
  const sent = isStream && !path.includes("{model}") ? { ...body, stream: true } : body;
  const response = await fetch(world.url + asked, {
    method: "POST",
    headers: { ...headers, ...(isForm ? {} : type) },
    body: isForm ? makeForm(sent) : JSON.stringify(sent),
  });
  const text = await response.text();
  const calls = JSON.stringify(world.simulator.calls.all().map((call) => call.body));
  const found = readFound();
  return {
    provider,
    action,
    status: response.status,
    isRefused: found === null,
    blocked: response.status === 400 ? readBlocked(text) : null,
    found: found ?? [],
    sent: listCanaries(calls),
    hidden: listHidden(calls),
    back: readBack(text),
  };
}

export function readBack(text: string): readonly Canary[] | null {
  const repeated = findRepeated(text);
  return repeated === null ? null : listCanaries(repeated);
}

/** Returns what the provider repeats in an answer. Surfaces repeat some fields of the request beside it, as the client sent them. */
export function findRepeated(text: string): string | null {
  const [, repeated] = text.split(REPEATED);
  return repeated?.split('"')[0] ?? null;
}

interface Sending {
  readonly provider: string;
  readonly action: Action;
  /** The verb of a Gemini path is another then, and others have a field. */
  readonly isStream?: boolean;
}

/** Errors of Gemini's form have details beside them. */
function readBlocked(text: string): Outcome["blocked"] {
  if (!text.includes("content_blocked") && !text.includes("The guard rule")) return null;
  const { error } = asObject(parseJson(text));
  const { param, reason, message } = asObject(error);
  return { param: String(param), reason: String(reason ?? message) };
}

function makeForm(body: JsonObject): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (name !== "file") form.append(name, Array.isArray(value) ? String(value[0]) : String(value));
  }
  form.append("file", new File([new Uint8Array([1, 2, 3])], "a.mp3", { type: "audio/mpeg" }));
  return form;
}
