// Gets a list of prices and its signature from where the operator named, and from nowhere else.
import { createHash } from "node:crypto";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { describeUnanswered } from "../../core/log/no-connection.ts";
import { isListAddress, refuseFeedAddress } from "../../core/text/feed-address.ts";
import type { Fetch } from "../../core/world/world.ts";
import { findSigner, nameKey } from "../../keys/signature.ts";
import { readShortBytes } from "../../transport/short-text.ts";
import { decodeList, LIST_BYTES_MAX, TOO_LONG } from "./list-bytes.ts";

/** A list that takes longer can't be had. */
const FEED_MS = 30_000;
/** A signature has 64. */
const SIGNATURE_BYTES_MAX = 1000;
const OK = 200;
const REDIRECTS = 300;
const CLIENT_ERRORS = 400;
const SERVER_ERRORS = 500;

export interface ListPorts {
  readonly fetch: Fetch;
  /** Returns the bytes of a regular file, of at most this many. Throws for any other. */
  readonly readFile: (path: string, bytesMax: number) => Uint8Array;
  /** Shorter in tests. */
  readonly limitMs?: number;
}

export interface ObtainedList {
  readonly text: string;
  /** The SHA-256 of its bytes, by which two lists of one number are told apart. */
  readonly sha256: string;
  /** The digits of the key that has signed it. Null if signatures aren't looked at. */
  readonly key: string | null;
}

/**
 * Returns the list. With keys, one of them must have signed its bytes. Throws a FeedError that says why it can't be used.
 * Redirects aren't followed, because they could lead to an address of this network.
 */
export async function obtainList(
  from: string,
  keys: readonly string[],
  ports: ListPorts,
): Promise<ObtainedList> {
  const bytes = await readList(from, ports);
  const key = keys.length === 0 ? null : checkSigner(bytes, await readSignature(from, keys, ports), keys);
  return { text: decodeList(bytes), sha256: createHash("sha256").update(bytes).digest("hex"), key };
}

/** The signature's place is the list's, with `.sig` at the end of its path. */
export function nameSignature(from: string): string {
  if (!isListAddress(from)) return `${from}.sig`;
  const url = new URL(from);
  url.pathname += ".sig";
  return url.href;
}

function checkSigner(bytes: Uint8Array, signature: Uint8Array, keys: readonly string[]): string {
  const key = findSigner(bytes, signature, keys);
  if (key !== null) return nameKey(key);
  throw refuseSignature(keys, "isn't by it");
}

/** An operator with several keys wants to know which of them was asked for. */
function refuseSignature(keys: readonly string[], why: string): FeedError {
  const names = keys.map(nameKey).join(" or ");
  return new FeedError(`it needs a signature by the key ${names}, and its signature ${why}`, "signature");
}

async function readList(from: string, ports: ListPorts): Promise<Uint8Array> {
  if (!isListAddress(from)) return readPath(from, LIST_BYTES_MAX, ports);
  const refused = refuseFeedAddress(from);
  if (refused !== null) throw new FeedError(`the address ${refused}`, "unreachable");
  const { status, bytes } = await ask(from, LIST_BYTES_MAX, ports);
  if (status !== OK) throw new FeedError(`the server answered ${status}`, "unreachable");
  if (bytes === null) throw new FeedError(TOO_LONG, "size");
  return bytes;
}

async function readSignature(from: string, keys: readonly string[], ports: ListPorts): Promise<Uint8Array> {
  const place = nameSignature(from);
  const missing = (why: string) => refuseSignature(keys, why);
  if (!isListAddress(from)) {
    try {
      return ports.readFile(place, SIGNATURE_BYTES_MAX);
    } catch (error) {
      throw missing(`can't be read: ${describe(error)}`);
    }
  }
  const { status, bytes } = await ask(place, SIGNATURE_BYTES_MAX, ports);
  if (status >= CLIENT_ERRORS && status < SERVER_ERRORS)
    throw missing(`is missing: the server answered ${status}`);
  if (status !== OK) throw new FeedError(`for its signature, the server answered ${status}`, "unreachable");
  if (bytes === null) throw missing(`has more than ${SIGNATURE_BYTES_MAX} bytes`);
  return bytes;
}

function readPath(path: string, bytesMax: number, { readFile }: ListPorts): Uint8Array {
  try {
    return readFile(path, bytesMax);
  } catch (error) {
    const why = describe(error);
    throw new FeedError(why, why.includes("larger than") ? "size" : "unreachable");
  }
}

interface FeedAnswer {
  readonly status: number;
  /** Null if there are more than were asked for, or the status isn't 200. */
  readonly bytes: Uint8Array | null;
}

async function ask(address: string, bytesMax: number, ports: ListPorts): Promise<FeedAnswer> {
  const { fetch, limitMs = FEED_MS } = ports;
  try {
    const response = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(limitMs) });
    const { status, headers } = response;
    const isWanted = status === OK && Number(headers.get("content-length") ?? 0) <= bytesMax;
    if (!isWanted) await response.body?.cancel();
    if (status >= REDIRECTS && status < CLIENT_ERRORS)
      throw new FeedError("it is elsewhere (a redirect), and redirects aren't followed", "redirect");
    return { status, bytes: isWanted ? await readShortBytes(response, bytesMax) : null };
  } catch (error) {
    if (error instanceof FeedError) throw error;
    throw new FeedError(`it can't be fetched: ${describeUnanswered(error)}`, "unreachable");
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
