// A visitor's request as the gateway gets it: without all by which another visitor could tell who sent what.
import { Fault } from "../../../core/faults/fault.ts";
import { parseBounded, REQUEST_SHAPE } from "../../../core/json/bounds.ts";
import { isObject, type JsonObject } from "../../../core/json/json.ts";
import { findPathModel } from "./let-through.ts";

const BODY_BYTES_MAX = 65_536;

/** Everything else stays outside: agents' names, sessions, tags, traces, and all `x-poundkey-*`. */
const HEADERS = [
  "accept",
  "content-type",
  "host",
  "if-none-match",
  "last-event-id",
  "origin",
  "sec-fetch-site",
  "anthropic-version",
  "anthropic-beta",
] as const;

/** Fields of a body that may name its sender, or ask for something to be kept. */
const PRIVATE_FIELDS = [
  "store",
  "metadata",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "session_id",
  "conversation",
  "labels",
] as const;

export function keepHeaders(headers: Headers): Headers {
  const kept = new Headers();
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}

/**
 * Returns the body to pass on. Throws the Fault of a body that is too long, and of a model that isn't known: its name would
 * be in the log, for everybody to read.
 */
export async function readVisitorBody(
  request: Request,
  path: string,
  isKnown: (model: string) => boolean,
): Promise<string> {
  const text = await readBounded(request);
  const body = parseBounded(text, REQUEST_SHAPE);
  const model = findPathModel(path) ?? (isObject(body) ? body.model : undefined);
  if (typeof model === "string" && !isKnown(decodeModel(model)))
    throw new Fault("model_not_found", "This demo has no such model. GET /v1/models lists those it has.");
  return isObject(body) ? JSON.stringify(leaveOutPrivate(body)) : text;
}

function decodeModel(model: string): string {
  try {
    return decodeURIComponent(model);
  } catch {
    return model;
  }
}

function leaveOutPrivate(body: JsonObject): JsonObject {
  const fields = new Set<string>(PRIVATE_FIELDS);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !fields.has(name)));
}

/** Returns the body as text. Throws the Fault of one that is too long. */
export async function readBounded({ body, headers }: Request): Promise<string> {
  const tooLarge = () => new Fault("request_too_large", "This demo takes bodies of up to 64 KB.");
  if (Number(headers.get("content-length") ?? 0) > BODY_BYTES_MAX) throw tooLarge();
  if (body === null) return "";
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > BODY_BYTES_MAX) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

const SECRET_HEADERS = ["x-api-key", "x-goog-api-key"] as const;

/** Returns the secret that a request carries, or null. */
export function readSecret({ headers }: Request): string | null {
  const bearer = /^bearer\s+(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  for (const name of SECRET_HEADERS) if (headers.has(name)) return headers.get(name);
  return bearer?.trim() ?? null;
}
