// Bearer authentication, the same for clients and operators: the header alone counts, never a query or a body.
import { bearer } from "@elysiajs/bearer";
import { Fault } from "../core/fault.ts";
import { invalidKey } from "../core/key.ts";
import { checkSecret } from "../keys/secret.ts";

/** Half a surrogate pair, which no request can spell: the plugin would take `?access_token=` too, and URLs end up in logs. */
const NEVER = "\ud800";
const SCHEME = /^bearer[ \t]+/i;
const SECRET_CHARACTERS_MAX = 512;

const plugin = bearer({ extract: { header: "Bearer", query: NEVER, body: NEVER } });

/** Adds `bearer` to a route's context: the text behind the scheme, or undefined. */
export const bearerToken = () => plugin;

/**
 * The scheme's name is case-insensitive (RFC 9110), which the plugin doesn't know: it is written as it expects it. Of
 * another scheme the plugin would take what stands behind the sixth letter: that is no bearer at all.
 */
export function canonicalScheme(headers: Headers): void {
  const given = headers.get("authorization");
  if (given === null || given.startsWith("Bearer ")) return;
  if (SCHEME.test(given)) headers.set("authorization", given.replace(SCHEME, "Bearer "));
  else headers.delete("authorization");
}

/** The text behind the scheme; undefined: there is none. For the routes that are asked most, and for those that look at it before plugins do. */
export function readBearer(headers: Headers): string | undefined {
  return headers.get("authorization")?.slice("Bearer ".length);
}

/** The secret that the request shows. Throws the Fault for none. */
export function requireSecret(bearer: string | undefined): string {
  const secret = bearer?.trim() ?? "";
  if (secret === "") {
    const message = "You didn't provide an API key. Send it as 'Authorization: Bearer sk-…'.";
    throw new Fault("no_api_key", message);
  }
  if (secret.length > SECRET_CHARACTERS_MAX) throw invalidKey();
  return secret;
}

/** Headers in which clients of other vendors' APIs send their key. */
const KEY_HEADERS = ["x-api-key", "x-goog-api-key"] as const;

/**
 * The secret of a client: the first of `Authorization`, `x-api-key` and `x-goog-api-key` that has our form, since people
 * keep a vendor's own key in another of them. Where none has it, the first that is there. Throws the Fault for none.
 */
export function findSecret(headers: Headers): string {
  const all = [readBearer(headers), ...KEY_HEADERS.map((name) => headers.get(name))];
  const [first, ...others] = all.flatMap((one) => one || []);
  if (others.length === 0) return requireSecret(first);
  return requireSecret([first, ...others].find((one) => checkSecret(one?.trim() ?? "")) ?? first);
}
