// The company's identity provider over the network, by openid-client: discovery, codes, tokens and user information.
import * as oidc from "openid-client";
import type { SignInRules } from "../../core/people/sign-in.ts";
import type { Clock } from "../../core/world/world.ts";
import {
  type Attempt,
  type Claims,
  type ConfirmedSubject,
  type Issuer,
  IssuerSilent,
  SignInRefused,
  type Tokens,
} from "../../people/issuer.ts";
import { makeIssuerFetch } from "./issuer-fetch.ts";
import { requireEndpoints } from "./oidc-endpoints.ts";
import { toRecheckFailure, toSignInFailure, toSilence } from "./oidc-failure.ts";
import { createLogoutReader } from "./oidc-logout.ts";

const TIMEOUT_SECONDS = 5;
/** After this time, the issuer's addresses and keys are read again. */
const DISCOVERED_MS = 3_600_000;
/** An issuer that is away isn't asked for its addresses by every visitor of the sign-in page. */
const PAUSE_MS = 2000;
/** The library accepts a time of issue in the future. */
const AHEAD_MAX_MS = 60_000;
/** Claims that may stand in only one of the ID token and the user information. */
const WANTED = ["name", "email"] as const;
const MICROSOFT = /^login\.(microsoftonline\.(com|us)|partner\.microsoftonline\.cn)$/;

const SUBJECT = /^[\x20-\x7e]{1,255}$/;

type OidcTokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

/** Its addresses are read at the first sign-in, so an issuer that is away keeps nothing else from working. */
export function createIssuer(rules: SignInRules, clock: Pick<Clock, "nowMs">): Issuer {
  const discover = createDiscovery(rules, clock);
  const readLogout = createLogoutReader(rules, clock, async () => (await discover()).serverMetadata());
  const finish = async (query: string, attempt: Attempt): Promise<Tokens> => {
    const config = await discover();
    const tokens = await oidc
      .authorizationCodeGrant(config, new URL(`${makeCallbackUrl(rules)}${query}`), {
        pkceCodeVerifier: attempt.verifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
      })
      .catch(throwSignInFailure);
    requirePast(tokens, clock);
    const subject = requireSubject(tokens.claims() ?? {}, rules);
    return makeTokens(config, rules, tokens, subject, toSignInFailure);
  };
  const refresh = async (refreshToken: string, subject: string): Promise<Tokens> => {
    const config = await discover();
    const tokens = await oidc.refreshTokenGrant(config, refreshToken).catch((error: unknown) => {
      throw toRecheckFailure(error);
    });
    const { refresh_token = refreshToken } = tokens;
    return makeTokens(config, rules, { ...tokens, refresh_token }, subject, toSilence, tokens.claims());
  };
  return {
    begin: async () => beginAt(await discover(), rules),
    finish,
    refresh,
    readLogout,
    offersRefresh: async () => offersRefresh(await discover()),
    findSignOut: async () => {
      const config = await discover();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: `${rules.publicUrl}/` }).href;
    },
  };
}

/** The redirect address is always the configured one: behind a proxy, a request's own is another. */
function makeCallbackUrl({ publicUrl }: SignInRules): string {
  return `${publicUrl}/auth/oidc/callback`;
}

function throwSignInFailure(error: unknown): never {
  throw toSignInFailure(error);
}

/** Returns a function that reads the issuer's addresses once an hour, and keeps the old ones if that fails. */
function createDiscovery(rules: SignInRules, clock: Pick<Clock, "nowMs">) {
  let known: { readonly config: oidc.Configuration; readonly untilMs: number } | null = null;
  let failed: { readonly error: IssuerSilent; readonly untilMs: number } | null = null;
  let reading: Promise<oidc.Configuration> | null = null;
  const read = async () => {
    try {
      const config = await readIssuer(rules);
      known = { config, untilMs: clock.nowMs() + DISCOVERED_MS };
      failed = null;
      return config;
    } catch (thrown) {
      // Nothing was asked of it yet.
      const error = new IssuerSilent(toSilence(thrown).message, false);
      failed = { error, untilMs: clock.nowMs() + PAUSE_MS };
      if (known !== null) return known.config;
      throw error;
    } finally {
      reading = null;
    }
  };
  return (): Promise<oidc.Configuration> => {
    const nowMs = clock.nowMs();
    if (known !== null && (nowMs < known.untilMs || nowMs < (failed?.untilMs ?? 0))) {
      return Promise.resolve(known.config);
    }
    if (failed !== null && nowMs < failed.untilMs) return Promise.reject(failed.error);
    reading ??= read();
    return reading;
  };
}

async function readIssuer(rules: SignInRules): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = rules;
  const fetchFromIssuer = makeIssuerFetch(rules);
  // Only on the machine itself, as the configuration has checked.
  const isPlain = issuer.startsWith("http:");
  const execute = isPlain ? [oidc.allowInsecureRequests] : [];
  const found = await oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute,
    timeout: TIMEOUT_SECONDS,
    [oidc.customFetch]: fetchFromIssuer,
  });
  const metadata = found.serverMetadata();
  requireEndpoints(metadata);
  const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = metadata;
  const prove = methods.includes("client_secret_post") ? oidc.ClientSecretPost : oidc.ClientSecretBasic;
  const config = new oidc.Configuration(metadata, clientId, clientSecret, prove(clientSecret));
  config.timeout = TIMEOUT_SECONDS;
  config[oidc.customFetch] = fetchFromIssuer;
  for (const apply of execute) apply(config);
  // Without it, the library doesn't check the ID token's signature.
  oidc.enableNonRepudiationChecks(config);
  return config;
}

async function beginAt(config: oidc.Configuration, rules: SignInRules) {
  const attempt: Attempt = {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
  };
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: makeCallbackUrl(rules),
    ...listScopes(config, rules),
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: "S256",
    // A form that another site posts would come without our cookie.
    response_mode: "query",
  });
  return { attempt, url: url.href };
}

/** An issuer that lists no scopes may have this one. */
function offersRefresh(config: oidc.Configuration): boolean {
  return config.serverMetadata().scopes_supported?.includes("offline_access") ?? true;
}

/**
 * A refresh token, by which leavers are noticed, is asked for unless the issuer says that it has none. By the standard
 * that needs `prompt=consent` (OpenID Connect Core 11); Microsoft doesn't, and would ask for an administrator's consent.
 */
function listScopes(config: oidc.Configuration, { scopes, issuer }: SignInRules) {
  const isOffline = scopes.includes("offline_access") || offersRefresh(config);
  const all = new Set([...scopes, ...(isOffline ? ["offline_access"] : [])]);
  const asksConsent = isOffline && !MICROSOFT.test(new URL(issuer).hostname);
  return { scope: [...all].join(" "), ...(asksConsent ? { prompt: "consent" } : {}) };
}

function requirePast(tokens: OidcTokens, clock: Pick<Clock, "nowMs">): void {
  const iat = tokens.claims()?.iat ?? 0;
  if (iat * 1000 <= clock.nowMs() + AHEAD_MAX_MS) return;
  const message = "The ID token is from the future (iat): the issuer's clock and this gateway's differ.";
  throw new SignInRefused("attempt", "iat", message);
}

/** The libraries check neither: OpenID Connect Core 2 has both rules. */
function requireSubject(claims: Claims, rules: SignInRules): string {
  const { sub } = claims;
  if (isForAnother(claims, rules)) {
    throw new SignInRefused("attempt", "azp", "The ID token is for another application (azp).");
  }
  if (typeof sub === "string" && SUBJECT.test(sub)) return sub;
  const message = "The ID token names nobody (sub): expected 1 to 255 printable ASCII characters.";
  throw new SignInRefused("attempt", "sub", message);
}

function isForAnother({ azp }: Claims, { clientId }: SignInRules): boolean {
  return azp !== undefined && azp !== clientId;
}

function makeTokens(
  config: oidc.Configuration,
  rules: SignInRules,
  tokens: Pick<OidcTokens, "access_token" | "refresh_token" | "claims">,
  subject: string,
  toFailure: (error: unknown) => Error,
  claims: Claims | undefined = tokens.claims(),
): Tokens {
  const confirm = async (): Promise<ConfirmedSubject> => {
    if (claims !== undefined && claims.sub !== subject) {
      throw toFailure(new IssuerSilent("it answered for another person", true));
    }
    if (claims !== undefined && isForAnother(claims, rules)) {
      throw toFailure(new IssuerSilent("it answered for another application (azp)", true));
    }
    const hasIdToken = claims !== undefined;
    const own = claims ?? {};
    if (!isMissing(config, own, rules)) return { subject, claims: own, hasIdToken };
    const more = await oidc.fetchUserInfo(config, tokens.access_token, subject).catch((error: unknown) => {
      throw toFailure(error);
    });
    return { subject, claims: joinClaims(own, more), hasIdToken };
  };
  return { refreshToken: tokens.refresh_token ?? null, confirm };
}

/** Without an ID token, the user information is what confirms the person. */
function isMissing(config: oidc.Configuration, claims: Claims, { groupsClaim }: SignInRules): boolean {
  if (config.serverMetadata().userinfo_endpoint === undefined) return false;
  return [...WANTED, groupsClaim].some((name) => claims[name] === undefined);
}

/** The ID token comes first, since it is signed. */
function joinClaims(signed: Claims, more: Claims): Claims {
  const { hd: _domain, ...others } = more;
  return { ...others, ...signed, email_verified: findVerified(signed, more) };
}

/** The word that an address is verified counts for the address beside which it stands. */
function findVerified(signed: Claims, more: Claims): unknown {
  if (signed.email === undefined) return more.email_verified;
  if (signed.email_verified !== undefined || signed.email !== more.email) return signed.email_verified;
  return more.email_verified;
}
