// Reads the issuer's logout tokens (OpenID Connect Back-Channel Logout 1.0, 2.6): signature, issuer, audience and type.
import * as jose from "jose";
import type { SignInRules } from "../core/sign-in.ts";
import { type Claims, SignInRefused } from "../people/issuer.ts";
import { toSilence } from "./oidc-failure.ts";

const TIMEOUT_MS = 5000;
/** Keys that only the issuer has. With HS256, the key is the secret that this gateway has too. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Older servers write `JWT`. */
const TYPES: ReadonlySet<string | undefined> = new Set(["logout+jwt", "application/logout+jwt", "jwt"]);

/** `findKeys` returns the address of the issuer's keys. The result throws a `SignInRefused` or an `IssuerSilent`. */
export function createLogoutReader(
  { issuer, clientId }: SignInRules,
  findKeys: () => Promise<string | undefined>,
): (token: string) => Promise<Claims> {
  let known: { readonly url: string; readonly keys: jose.JWTVerifyGetKey } | null = null;
  return async (token) => {
    const url = (await findKeys()) ?? "";
    if (!URL.canParse(url) || (issuer.startsWith("https:") && !url.startsWith("https:"))) {
      throw toSilence(new Error("it names no https address of its keys"));
    }
    if (known?.url !== url) {
      known = { url, keys: jose.createRemoteJWKSet(new URL(url), { timeoutDuration: TIMEOUT_MS }) };
    }
    return verify(token, known.keys, { issuer, audience: clientId, algorithms: ALGORITHMS });
  };
}

async function verify(
  token: string,
  keys: jose.JWTVerifyGetKey,
  options: jose.JWTVerifyOptions,
): Promise<Claims> {
  try {
    const { payload, protectedHeader } = await jose.jwtVerify(token, keys, options);
    if (TYPES.has(protectedHeader.typ?.toLowerCase())) return payload;
  } catch (error) {
    if (isSilence(error)) throw toSilence(error);
    const part = error instanceof jose.errors.JWTClaimValidationFailed ? ` (${error.claim})` : "";
    throw refuse(`The logout token is not valid${part}.`);
  }
  throw refuse("The token is not a logout token (typ).");
}

/** The keys couldn't be read. The library's general error is for an answer with another status, or without JSON. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof jose.errors.JOSEError)) return true;
  return error.code === "ERR_JWKS_TIMEOUT" || error.code === "ERR_JOSE_GENERIC";
}

function refuse(message: string): SignInRefused {
  return new SignInRefused("attempt", "logout_token", message);
}
