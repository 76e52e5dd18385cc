// Bearer authentication for clients and operators alike: only the header counts, never a query or a body.
import { bearer } from "@elysiajs/bearer";
import { Fault } from "../../core/faults/fault.ts";
import {
  type Caller,
  invalidKey,
  type KeyProof,
  type ProvenKey,
  refuseAddress,
  refusePaused,
} from "../../core/keys/key.ts";
import { checkSecret } from "../../keys/secret.ts";
import type { SecretShapes } from "../../keys/secret-shape.ts";
import type { SenderPorts } from "../ports.ts";
import type { Peers } from "./client-address.ts";

/** An unpaired surrogate, which no request can contain: it disables `?access_token=`, since URLs are logged. */
const NEVER = "\ud800";
const SCHEME = /^bearer[ \t]+/i;
const SECRET_CHARACTERS_MAX = 512;

const plugin = bearer({ extract: { header: "Bearer", query: NEVER, body: NEVER } });

/** Adds `bearer` to a route's context: the text after the scheme. Undefined if there is none. */
export const bearerToken = () => plugin;

/**
 * Rewrites the scheme as the plugin expects it: its name is case-insensitive (RFC 9110), which the plugin doesn't know.
 * A header with another scheme is removed, because the plugin would return everything after its sixth letter.
 */
export function canonicalScheme(headers: Headers): void {
  const header = headers.get("authorization");
  if (header === null || header.startsWith("Bearer ")) return;
  if (SCHEME.test(header)) headers.set("authorization", header.replace(SCHEME, "Bearer "));
  else {
    schemes.set(headers, describeScheme(header));
    headers.delete("authorization");
  }
}

/** Describes the headers that were removed, for the error of a request without a key. */
const schemes = new WeakMap<Headers, string>();

/** Describes a header without the right scheme. Only names of schemes are shown, as anything else may be a secret. */
function describeScheme(given: string): string {
  if (/^bearer$/i.test(given)) return "The header 'Authorization' has nothing after 'Bearer'";
  const name = /^(basic|token|apikey|api-key|key|digest|jwt|aws4-hmac-sha256)\b/i.exec(given)?.[0];
  if (name !== undefined) return `The header 'Authorization' has the scheme '${name}', not 'Bearer'`;
  return "The header 'Authorization' has no scheme: put 'Bearer ' before the key";
}

/** Returns the text after the scheme, or undefined. For busy routes and checks that run before plugins do. */
export function readBearer(headers: Headers): string | undefined {
  return headers.get("authorization")?.slice("Bearer ".length);
}

/** Returns the secret that the operator's request carries. Throws a Fault if there is none. */
export function requireSecret(bearer: string | undefined): string {
  const secret = bearer?.trim() ?? "";
  if (secret === "") throw noKey("");
  if (secret.length > SECRET_CHARACTERS_MAX) throw invalidKey();
  return secret;
}

/** Headers in which clients of other vendors' APIs, and those of LiteLLM, send their key. */
const KEY_HEADERS = ["x-api-key", "x-goog-api-key", "x-litellm-api-key"] as const;
/** Headers that clients of other gateways and of Azure send it in. */
const OTHER_KEY_HEADERS = ["api-key", "apikey", "x-portkey-api-key"] as const;

/**
 * Returns a client's secret: the first of `Authorization` and the other headers that has our form, as users may have a
 * vendor's key in another one; otherwise the first present. Throws a Fault if there is none.
 */
function findSecret(headers: Headers): string {
  const bearer = readBearer(headers)?.trim();
  // Most send one alone.
  if (bearer && !headers.has(KEY_HEADERS[0]) && !headers.has(KEY_HEADERS[1])) return bearer;
  const secrets = listSentSecrets(headers);
  const ours = secrets.length > 1 ? secrets.find((one) => checkSecret(one.trim())) : undefined;
  const secret = (ours ?? secrets[0])?.trim() ?? "";
  if (secret === "") throw explainMissing(headers);
  return secret;
}

function listSentSecrets(headers: Headers): readonly string[] {
  const secrets: string[] = [];
  const bearer = readBearer(headers);
  if (bearer) secrets.push(bearer);
  for (const name of KEY_HEADERS) {
    const own = headers.get(name);
    // LiteLLM also takes its own with a scheme.
    if (own) secrets.push(own.replace(SCHEME, ""));
  }
  return secrets;
}

/**
 * Returns the secrets to try after a wrong one, in the headers' order: those without our form, which another gateway may have
 * made, and after one of these also those with it.
 */
function listOthers(headers: Headers, tried: string): readonly string[] {
  const isOurs = checkSecret(tried);
  return listSentSecrets(headers)
    .map((one) => one.trim())
    .filter((one) => one !== "" && one !== tried && !(isOurs && checkSecret(one)));
}

/** Returns the Fault for a request without a key, which names what it has in the key's place. */
function explainMissing(headers: Headers): Fault {
  const scheme = schemes.get(headers);
  if (scheme !== undefined) return noKey(` ${scheme}.`);
  if (headers.has("authorization")) return noKey(" The header 'Authorization' has nothing after 'Bearer'.");
  const given = OTHER_KEY_HEADERS.find((name) => headers.has(name));
  return noKey(given === undefined ? "" : ` The header '${given}' is not read here.`);
}

function noKey(why: string): Fault {
  const message = `You didn't provide an API key.${why} Send it as 'Authorization: Bearer sk-…'.`;
  return new Fault("no_api_key", message);
}

/**
 * Returns the Fault for a wrong secret. One that has our form gets the same answer whatever the reason. Any other is
 * explained by its form alone, which tells nothing about the keys that exist.
 */
function explainWrong(shapes: SecretShapes, fault: unknown, headers: Headers, secret: string): unknown {
  if (!(fault instanceof Fault) || fault.code !== "invalid_api_key") return fault;
  const shape = shapes.explain(secret);
  if (shape === null) return fault;
  const name = readBearer(headers)?.trim() === secret ? "Authorization" : findHeader(headers, secret);
  return new Fault("invalid_api_key", `Incorrect API key provided in the header '${name}': ${shape}.`);
}

function findHeader(headers: Headers, secret: string): string {
  return (
    KEY_HEADERS.find((name) => headers.get(name)?.replace(SCHEME, "").trim() === secret) ?? KEY_HEADERS[0]
  );
}

/** Shorter texts are shown by their shape alone. */
const SHOWN_CHARACTERS_MIN = 16;

/** Returns the last characters and the look of a secret that no key has, for the table of refusals. */
export function describeSender(
  shapes: SecretShapes,
  headers: Headers,
): {
  readonly last4: string | null;
  readonly shape: string | null;
} {
  const all = [readBearer(headers), ...KEY_HEADERS.map((name) => headers.get(name))];
  const secret = all.find(Boolean)?.trim() ?? "";
  const last4 = secret.length < SHOWN_CHARACTERS_MIN ? null : secret.slice(-4).replace(/[^\x21-\x7e]/g, "?");
  return { last4, shape: secret === "" ? null : shapes.name(secret) };
}

/** A request as route handlers get it. */
export interface RouteRequest {
  readonly request: Request;
  readonly server: Peers | null;
}

/** The sender of a request, whose address is read when something needs it, as few keys do. */
class RequestSender implements KeyProof {
  rotation = 0;
  readonly allowsPaused: boolean;
  readonly #ports: SenderPorts;
  readonly #route: RouteRequest;
  #address: string | null = null;

  constructor(ports: SenderPorts, route: RouteRequest, allowsPaused: boolean) {
    this.#ports = ports;
    this.#route = route;
    this.allowsPaused = allowsPaused;
  }

  get address(): string {
    this.#address ??= this.#ports.readAddress(this.#route.request, this.#route.server);
    return this.#address;
  }

  /** A connection that closes has no address any more. */
  keepAddress(): void {
    this.#address ??= this.address;
  }
}

/** Throws the Faults of a key that may not be used from there or now. */
function admit({ key, rotation }: ProvenKey, proof: RequestSender): Caller {
  proof.rotation = rotation;
  const refusal = refuseAddress(key, proof) ?? (proof.allowsPaused ? null : refusePaused(key));
  if (refusal !== null) throw refusal;
  return { key, proof };
}

function prove({ authenticate }: SenderPorts, secret: string, sender: RequestSender) {
  if (secret.length > SECRET_CHARACTERS_MAX) throw invalidKey();
  return authenticate(secret, sender);
}

/**
 * Returns the sender of a request, without a promise if its key is remembered. Throws the Faults of `findSecret`,
 * `invalid_api_key`, `address_not_allowed`,
 * `key_paused` (unless the route allows it) and `store_unavailable`.
 */
export function identifyCaller(
  ports: SenderPorts,
  route: RouteRequest,
  { allowsPaused = false }: { readonly allowsPaused?: boolean } = NO_OPTIONS,
): Caller | Promise<Caller> {
  const { headers } = route.request;
  const secret = findSecret(headers);
  const sender = new RequestSender(ports, route, allowsPaused);
  try {
    const proven = prove(ports, secret, sender);
    return proven instanceof Promise
      ? awaitProof(ports, headers, proven, secret, sender)
      : admit(proven, sender);
  } catch (thrown) {
    return tryOthers(ports, headers, thrown, secret, sender);
  }
}

const NO_OPTIONS = {};

function awaitProof(
  ports: SenderPorts,
  headers: Headers,
  proven: Promise<ProvenKey>,
  secret: string,
  sender: RequestSender,
): Promise<Caller> {
  sender.keepAddress();
  return proven.then(
    (one) => admit(one, sender),
    (thrown) => tryOthers(ports, headers, thrown, secret, sender),
  );
}

/** Throws what was thrown, explained, if the request has no other secret that could be meant. */
function tryOthers(
  ports: SenderPorts,
  headers: Headers,
  thrown: unknown,
  secret: string,
  sender: RequestSender,
): Promise<Caller> {
  const others = isWrong(thrown) ? listOthers(headers, secret) : [];
  const first = explainWrong(ports.secretShapes, thrown, headers, secret);
  if (others.length === 0) throw first;
  sender.keepAddress();
  return proveOther(others, (one) => prove(ports, one, sender), first).then((one) => admit(one, sender));
}

function isWrong(thrown: unknown): boolean {
  return thrown instanceof Fault && thrown.code === "invalid_api_key";
}

/** Returns the key of the first secret that proves one. Throws the fault of the first secret if none does. */
async function proveOther(
  others: readonly string[],
  prove: (secret: string) => ProvenKey | Promise<ProvenKey>,
  first: unknown,
): Promise<ProvenKey> {
  for (const other of others) {
    try {
      return await prove(other);
    } catch (thrown) {
      if (!isWrong(thrown)) throw thrown;
    }
  }
  throw first;
}
