// Reads the issuer's logout tokens (OpenID Connect Back-Channel Logout 1.0, 2.6): signature, issuer, audience and type.
import * as jose from "jose";
import type { SignInRules } from "../../core/people/sign-in.ts";
import type { Clock } from "../../core/world/world.ts";
import { type Claims, type IssuerSilent, SignInRefused } from "../../people/issuer.ts";
import { makeIssuerFetch } from "./issuer-fetch.ts";
import { toSilence } from "./oidc-failure.ts";

const TIMEOUT_MS = 5000;
/** Strangers can send tokens, so keys that can't be read are asked for no more often than this. */
const PAUSE_MS = 2000;
/** Keys that only the issuer has. With HS256, the key is the secret that this gateway has too. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Older servers write `JWT`. */
const TYPES: ReadonlySet<string | undefined> = new Set(["logout+jwt", "application/logout+jwt", "jwt"]);

/** The issuer's description of itself. */
interface IssuerMetadata {
  /** May differ from the configured one by a slash at its end. */
  readonly issuer: string;
  /** The address of its keys. */
  readonly jwks_uri?: string;
}

/** The result throws a `SignInRefused` or an `IssuerSilent`. */
export function createLogoutReader(
  rules: Pick<SignInRules, "issuer" | "clientId" | "network">,
  clock: Pick<Clock, "nowMs">,
  describe: () => Promise<IssuerMetadata>,
): (token: string) => Promise<Claims> {
  const fetchFromIssuer = makeIssuerFetch(rules);
  let known: { readonly url: string; readonly keys: jose.JWTVerifyGetKey } | null = null;
  let failed: { readonly error: IssuerSilent; readonly untilMs: number } | null = null;
  return async (token) => {
    const { issuer, jwks_uri: url = "" } = await describe();
    if (!URL.canParse(url) || (rules.issuer.startsWith("https:") && !url.startsWith("https:"))) {
      throw toSilence(new Error("it names no https address of its keys"));
    }
    if (failed !== null && clock.nowMs() < failed.untilMs) throw failed.error;
    if (known?.url !== url) {
      known = {
        url,
        keys: jose.createRemoteJWKSet(new URL(url), {
          timeoutDuration: TIMEOUT_MS,
          [jose.customFetch]: fetchFromIssuer,
        }),
      };
    }
    try {
      return await verify(token, known.keys, { issuer, audience: rules.clientId, algorithms: ALGORITHMS });
    } catch (error) {
      if (!(error instanceof SignInRefused)) {
        failed = { error: toSilence(error), untilMs: clock.nowMs() + PAUSE_MS };
      }
      throw error;
    }
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
