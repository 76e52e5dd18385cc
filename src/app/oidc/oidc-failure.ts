// The meaning of the OpenID Connect library's failures: a refused sign-in, a person who is gone, or an issuer that is away.
import * as oidc from "openid-client";
import { IssuerSilent, PersonGone, SignInRefused } from "../../people/issuer.ts";

/** Before a connection there is no request on which the issuer could have acted. */
const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ConnectionRefused|FailedToOpenSocket)$/;
/** Answers of the issuer that aren't about the person: it is broken, busy, or doesn't accept this gateway's own secret. */
const NOT_ABOUT_PERSON =
  /^(invalid_client|unauthorized_client|unsupported_grant_type|server_error|temporarily_unavailable)$/;
/** Codes of answers that no issuer gives on purpose. */
const NO_ANSWER =
  /^OAUTH_(TIMEOUT|ABORT|RESPONSE_IS_NOT_CONFORM|RESPONSE_IS_NOT_JSON|PARSE_ERROR|HTTP_REQUEST_FORBIDDEN|REQUEST_PROTOCOL_FORBIDDEN|MISSING_SERVER_METADATA|INVALID_SERVER_METADATA|WWW_AUTHENTICATE_CHALLENGE)$/;
const SERVER_ERROR = 500;

/** Returns the failure of a sign-in. */
export function toSignInFailure(error: unknown): Error {
  if (isOurs(error)) return error;
  if (error instanceof oidc.AuthorizationResponseError) return refuseAnswer(error.error);
  if (error instanceof oidc.ResponseBodyError) {
    const isSilent = error.status >= SERVER_ERROR || NOT_ABOUT_PERSON.test(error.error);
    return isSilent
      ? new IssuerSilent(`it answered '${nameWord(error.error)}'`, true)
      : refuseCode(error.error);
  }
  const code = readCode(error);
  if (!(error instanceof oidc.ClientError) || NO_ANSWER.test(code)) return toSilence(error);
  return refuseToken(code, error);
}

/** Returns the failure of a look at somebody who signed in before: only the issuer's plain refusal says that they left. */
export function toRecheckFailure(error: unknown): Error {
  if (isOurs(error)) return error;
  const isGone = error instanceof oidc.ResponseBodyError && error.error === "invalid_grant";
  return isGone ? new PersonGone("The issuer refuses the refresh token.") : toSilence(error);
}

/** Returns the failure in words of ours, without anything that the issuer was sent. */
export function toSilence(error: unknown): IssuerSilent {
  if (error instanceof IssuerSilent) return error;
  const code = readCode(error);
  const cause = error instanceof Error ? error.message : String(error);
  return new IssuerSilent(code === "" ? cause : `${cause} (${code})`, !NOT_CONNECTED.test(code));
}

function isOurs(error: unknown): error is Error {
  return error instanceof SignInRefused || error instanceof IssuerSilent || error instanceof PersonGone;
}

function readCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function refuseAnswer(word: string): Error {
  if (NOT_ABOUT_PERSON.test(word)) return new IssuerSilent(`it answered '${word}'`, false);
  if (word !== "access_denied")
    return refuseAttempt(word, `Your company's identity provider answered '${nameWord(word)}'.`);
  const message = "Your company's identity provider did not let you in, or you stopped the sign-in there.";
  return new SignInRefused("person", word, message);
}

function refuseCode(word: string): SignInRefused {
  const message =
    word === "invalid_grant"
      ? "Your company's identity provider doesn't accept the code of this sign-in: it was used before, is too old, or belongs to another address."
      : `Your company's identity provider answered '${nameWord(word)}'.`;
  return refuseAttempt(word, message);
}

/** Wrong parts that deserve a sentence of their own, by the name that the library's message quotes. */
const PARTS: readonly (readonly [part: string, word: string, message: string])[] = [
  ['"state"', "state", "The answer belongs to another sign-in."],
  ['"nonce"', "nonce", "The ID token belongs to another sign-in (nonce)."],
  ['"iss"', "iss", "The answer is from another issuer (iss)."],
  ['"aud"', "aud", "The ID token is for another application (aud)."],
  ['"azp"', "azp", "The ID token is for another application (azp)."],
  ['"exp"', "exp", "The ID token has expired (exp)."],
  ['"nbf"', "nbf", "The ID token isn't valid yet (nbf)."],
  ['"sub"', "sub", "The ID token and the user information are of different people (sub)."],
];

function refuseToken(code: string, error: oidc.ClientError): SignInRefused {
  const cause = error.cause instanceof Error ? error.cause.message : "";
  const [, word, message] = PARTS.find(([part]) => cause.includes(part)) ?? [];
  if (word !== undefined && message !== undefined) return refuseAttempt(word, message);
  return refuseAttempt(code, "The issuer's signature on the ID token, or the token itself, is not valid.");
}

/** A word of an error by OAuth's rules. Anything else in its place was made up by a stranger. */
const WORD = /^[\w.-]{1,64}$/;

function nameWord(word: string): string {
  return WORD.test(word) ? word : "an unknown error";
}

function refuseAttempt(reason: string, message: string): SignInRefused {
  return new SignInRefused("attempt", nameWord(reason), `${message} Please start again.`);
}
