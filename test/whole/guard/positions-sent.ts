// Sends a canary at each position of each body through a gateway, and says where it was found and what a provider got.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { UnderTest } from "../../harness/harness.ts";
import { buildBody } from "./positions-build.ts";
import { completeBody } from "./positions-complete.ts";
import type { Position } from "./positions-list.ts";
import { findTypes, type SdkBody } from "./positions-sdks.ts";

export const CANARY = "canary@corp-x.de";
/** Passes the checksum of cards, and is no documentation value. */
const CARD = 4_532_015_112_830_366;

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
  readonly status: number;
  /** True if no step saw the request: a surface has refused it. */
  readonly isRefused: boolean;
  /** The canaries that were found. */
  readonly found: readonly string[];
  /** The canaries that a provider got. */
  readonly sent: readonly string[];
}

/** Reads of a request what was found in it. Null if none came as far as the steps. */
export type ReadFound = () => readonly string[] | null;

/** The value that stands at a position, with the detectors that find it there. */
export function makeValue({ id, holds }: Position): {
  readonly value: unknown;
  readonly detectors: readonly string[];
} {
  const both = { held: CANARY, number: CARD };
  if (holds === "any") return { value: both, detectors: ["email", "card"] };
  if (/\.arguments$/.test(id)) return { value: JSON.stringify(both), detectors: ["email", "card"] };
  if (/\.file_data$/.test(id))
    return { value: `data:text/plain;base64,${btoa(CANARY)}`, detectors: ["email"] };
  return { value: CANARY, detectors: ["email"] };
}

let modelNumber = 0;

/** Each request asks a model of its own: the gateway learns which fields a model refuses, and leaves them out. */
export function makeRequest(body: SdkBody, position: Position, provider: string): JsonObject {
  const built = buildBody(position, makeValue(position).value, findTypes(body));
  return completeBody(body.path, built, `${provider}#sim-${modelNumber++}`);
}

export async function send(
  world: UnderTest,
  path: string,
  body: JsonObject,
  provider: string,
  readFound: ReadFound,
  /** The verb of a Gemini path is another then, and others have a field. */
  isStream = false,
): Promise<Outcome> {
  world.simulator.reset();
  const isForm = path.includes("transcriptions");
  const headers = { authorization: `Bearer ${world.secret}`, "anthropic-version": "2023-06-01" };
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
  await response.text();
  const calls = JSON.stringify(world.simulator.calls.all().map((call) => call.body));
  const found = readFound();
  const isSent = calls.includes(CANARY) || calls.includes(btoa(CANARY));
  return {
    provider,
    status: response.status,
    isRefused: found === null,
    found: found ?? [],
    sent: [...(isSent ? ["email"] : []), ...(calls.includes(String(CARD)) ? ["card"] : [])],
  };
}

function makeForm(body: JsonObject): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (name !== "file") form.append(name, Array.isArray(value) ? String(value[0]) : String(value));
  }
  form.append("file", new File([new Uint8Array([1, 2, 3])], "a.mp3", { type: "audio/mpeg" }));
  return form;
}
