// Bearer authentication for clients and operators alike: only the header counts, never a query or a body.
import { bearer } from "@elysiajs/bearer";
import { Fault } from "../core/fault.ts";
import { type Caller, invalidKey, type ProvenKey, refuseAddress, refusePaused } from "../core/key.ts";
import { checkSecret } from "../keys/secret.ts";
import type { Peers } from "./client-address.ts";
import type { HttpPorts } from "./ports.ts";

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
  const given = headers.get("authorization");
  if (given === null || given.startsWith("Bearer ")) return;
  if (SCHEME.test(given)) headers.set("authorization", given.replace(SCHEME, "Bearer "));
  else headers.delete("authorization");
}

/** Returns the text after the scheme, or undefined. For busy routes and checks that run before plugins do. */
export function readBearer(headers: Headers): string | undefined {
  return headers.get("authorization")?.slice("Bearer ".length);
}

/** Returns the secret that the request carries. Throws a Fault if there is none. */
export function requireSecret(bearer: string | undefined): string {
  const secret = bearer?.trim() ?? "";
  if (secret === "") {
    const message = "You didn't provide an API key. Send it as 'Authorization: Bearer sk-…'.";
    throw new Fault("no_api_key", message);
  }
  if (secret.length > SECRET_CHARACTERS_MAX) throw invalidKey();
  return secret;
}

/** Keys of OpenAI, Anthropic, OpenRouter and Google, by their prefixes and the text in all of OpenAI's. */
const VENDOR_KEY = /^sk-(proj|svcacct|admin|ant|or)-|^AIza|T3BlbkFJ/;

/** Headers in which clients of other vendors' APIs send their key. */
const KEY_HEADERS = ["x-api-key", "x-goog-api-key"] as const;

/**
 * Returns a client's secret: the first of `Authorization`, `x-api-key` and `x-goog-api-key` that has our form, as users
 * may have a vendor's key in another one; otherwise the first present. Throws a Fault if there is none, or if it is a
 * vendor's key.
 */
function findSecret(headers: Headers): string {
  const all = [readBearer(headers), ...KEY_HEADERS.map((name) => headers.get(name))];
  const [first, ...others] = all.flatMap((one) => one || []);
  const ours = others.length > 0 && [first, ...others].find((one) => checkSecret(one?.trim() ?? ""));
  const secret = requireSecret(ours || first);
  if (!VENDOR_KEY.test(secret)) return secret;
  const message =
    "Incorrect API key provided: it is a provider's key. Use one of this gateway's keys instead.";
  throw new Fault("invalid_api_key", message);
}

/** A request as route handlers get it. */
export interface RouteRequest {
  readonly request: Request;
  readonly server: Peers | null;
}

/**
 * Returns the sender of a request, without a promise if its key is remembered. Throws the Faults of `findSecret`,
 * `invalid_api_key`, `address_not_allowed`, `key_paused` (unless the route allows it) and `store_unavailable`.
 */
export function identify(
  { authenticate, readOrigin }: Pick<HttpPorts, "authenticate" | "readOrigin">,
  { request, server }: RouteRequest,
  { allowsPaused = false }: { readonly allowsPaused?: boolean } = {},
): Caller | Promise<Caller> {
  const secret = findSecret(request.headers);
  // Read first: a connection that closes meanwhile has no address any more.
  const { address } = readOrigin(request, server);
  const admit = ({ key, rotation }: ProvenKey): Caller => {
    const refusal = refuseAddress(key, address) ?? (allowsPaused ? null : refusePaused(key));
    if (refusal !== null) throw refusal;
    return { key, proof: { rotation, address } };
  };
  const proven = authenticate(secret);
  return proven instanceof Promise ? proven.then(admit) : admit(proven);
}
