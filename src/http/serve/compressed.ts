// Compresses what the admin API answers, for those who take it so.
import { addHeaders, type HeaderStore } from "./app.ts";

/** A shorter answer fits in one packet either way. */
const COMPRESSED_FROM_BYTES = 1400;
/** Half the time of the usual level, for a few bytes more. */
const LEVEL = 4;
/** The word `gzip` of a list, and its weight if it has one. */
const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?(?:,|$)/i;

/** True if the sender reads gzip. A weight of 0 says that it doesn't. */
export function takesGzip({ headers }: Request): boolean {
  const match = GZIP.exec(headers.get("accept-encoding") ?? "");
  return match !== null && Number(match[1] ?? 1) > 0;
}

interface JsonAnswer {
  readonly request: Request;
  readonly responseValue: unknown;
  readonly set: HeaderStore;
}

/**
 * Returns the compressed form of an answer. Undefined for one that is sent as it is: a short one, a stream, or an error.
 * Only answers to GET are compressed. Those to changes may hold a new secret beside texts that the sender chose, and the
 * length of a compressed answer tells whether the two are alike.
 */
export async function compressAnswer({
  request,
  responseValue,
  set,
}: JsonAnswer): Promise<Response | undefined> {
  if (request.method !== "GET" || !isJson(responseValue)) return undefined;
  const { vary } = set.headers;
  set.headers.vary = vary === undefined ? "accept-encoding" : `${vary}, accept-encoding`;
  if (!takesGzip(request)) return undefined;
  const bytes = Buffer.from(JSON.stringify(responseValue));
  if (bytes.length < COMPRESSED_FROM_BYTES) return undefined;
  const compressed = await gzip(bytes);
  // With headers left in the store, Elysia would take the encoding away.
  return addHeaders(new Response(compressed, { headers: { "content-encoding": "gzip" } }), set);
}

function isJson(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

/** Compresses beside the event loop, which other requests need. */
async function gzip(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const zlib = await import("node:zlib");
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  zlib.gzip(bytes, { level: LEVEL }, (error, done) =>
    error ? reject(error) : resolve(new Uint8Array(done)),
  );
  return promise;
}
