// The port to the company's identity provider, and the ways in which a sign-in fails.

/** The claims of a verified token, or of a verified issuer. */
export type Claims = Readonly<Record<string, unknown>>;

/** The secrets of one attempt to sign in. They stay with the browser, sealed. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person as the issuer confirmed it. */
export interface ConfirmedSubject {
  readonly subject: string;
  /** From the ID token; what it lacks is filled in from the issuer's userinfo. */
  readonly claims: Claims;
  /** False if the issuer gave no ID token, so that a claim that only stands there may be missing. */
  readonly hasIdToken: boolean;
}

export interface Tokens {
  /** Null if the issuer gave none. */
  readonly refreshToken: string | null;
  /** Reads the claims. Throws like `Issuer`. */
  confirm(): Promise<ConfirmedSubject>;
}

/** Each method throws an `IssuerSilent` if the issuer can't be asked. */
export interface Issuer {
  /** Returns the secrets of a new attempt, and the address of the issuer's page on which it begins. */
  begin(): Promise<{ readonly attempt: Attempt; readonly url: string }>;
  /** Exchanges the query of the callback. Throws a `SignInRefused` if any part of it, or of the ID token, is wrong. */
  finish(query: string, attempt: Attempt): Promise<Tokens>;
  /** Throws a `PersonGone` if the issuer no longer accepts the token. */
  refresh(refreshToken: string, subject: string): Promise<Tokens>;
  /** Returns the claims of a logout token that the issuer signed for us. Throws a `SignInRefused` otherwise. */
  readLogout(token: string): Promise<Claims>;
  /** Returns true if the issuer says that it gives refresh tokens, by which it can be asked about somebody later. */
  offersRefresh(): Promise<boolean>;
  /** Returns the address of the issuer's own sign-out, or null if it has none. */
  findSignOut(): Promise<string | null>;
}

/** A sign-in that is refused. The message is for the person, and names nothing that the issuer keeps secret. */
export class SignInRefused extends Error {
  /** `attempt` if trying again may help, `person` if the person isn't let in. */
  readonly kind: "attempt" | "person";
  /** For logs: a word that says why. */
  readonly reason: string;

  constructor(kind: SignInRefused["kind"], reason: string, message: string) {
    super(message);
    this.kind = kind;
    this.reason = reason;
  }
}

/** The issuer didn't answer, or not as an issuer does. That says nothing about any person. */
export class IssuerSilent extends Error {
  /** True if the issuer may have acted on the request, so that a refresh token may be used up. */
  readonly mayHaveActed: boolean;

  constructor(message: string, mayHaveActed: boolean) {
    super(message);
    this.mayHaveActed = mayHaveActed;
  }
}

/** The issuer refuses a person's refresh token: the person has left, or was locked out. */
export class PersonGone extends Error {}
