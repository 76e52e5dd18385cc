// The cookies of the console's sessions and of attempts to sign in: their names, how they are set, and how they are read.
import { SESSION_MS } from "../../admin/people/session.ts";
import type { Clock } from "../../core/world/world.ts";
import { nameAttempt } from "../../people/sign-in.ts";

const SESSION = "poundkey_session";
/** Browsers take such a cookie from the host itself alone, so that no other program of its domain can set one. */
const HOST_ONLY = "__Host-";
const SECRET = "[0-9A-Za-z]{1,100}";
const SEALED = "[A-Za-z0-9+/=]{1,4000}";
const ATTEMPT = "poundkey_attempt_[0-9a-f]+";
const ATTEMPT_PATH = "/auth/oidc";
const SUFFIX_DIGITS = 8;

interface CookieParts {
  /** Null if it isn't configured. */
  readonly publicUrl: string | null;
  readonly basePath: string;
  readonly clock: Pick<Clock, "nowMs">;
}

export class Cookies {
  readonly #prefix: string;
  readonly #session: string;
  readonly #readSession: RegExp;
  readonly #readAttempts: RegExp;
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #oldUntilMs: number;

  constructor({ publicUrl, basePath, clock }: CookieParts) {
    const isHostOnly = publicUrl?.startsWith("https:") === true;
    this.#prefix = isHostOnly ? HOST_ONLY : "";
    // Such cookies have no path that tells the gateways of one host from each other.
    const suffix = isHostOnly && basePath !== "" ? `_${digestPath(basePath)}` : "";
    this.#session = `${this.#prefix}${SESSION}${suffix}`;
    this.#readSession = matchCookie(this.#session, SECRET);
    this.#readAttempts = matchCookie(`${this.#prefix}${ATTEMPT}`, SEALED);
    this.#clock = clock;
    // A session that a version from before began has ended by then.
    this.#oldUntilMs = isHostOnly ? clock.nowMs() + SESSION_MS : 0;
  }

  /** Returns the session secret in the request's cookie. Null if there is none. */
  readSession(request: Request): string | null {
    const header = request.headers.get("cookie") ?? "";
    const [own] = header.matchAll(this.#readSession);
    if (own?.[2] !== undefined) return own[2];
    if (this.#clock.nowMs() >= this.#oldUntilMs) return null;
    const [old] = header.matchAll(OLD_SESSION);
    return old?.[2] ?? null;
  }

  /** Only requests from our own pages carry the cookie, and no script can read it. */
  formatSession(secret: string, seconds: number, isSecure: boolean): string {
    const secure = isSecure || this.#prefix !== "" ? "; Secure" : "";
    return `${this.#session}=${secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
  }

  /** Returns the sealed attempts in the request's cookies, by their names. */
  readAttempts(request: Request): ReadonlyMap<string, string> {
    const found = (request.headers.get("cookie") ?? "").matchAll(this.#readAttempts);
    return new Map([...found].map(([, name = "", value = ""]) => [name, value]));
  }

  /** Returns the name of the cookie for an attempt with this state. */
  nameAttempt(state: string): string {
    return `${this.#prefix}${nameAttempt(state)}`;
  }

  /** `Strict` would keep the browser from sending it when the issuer sends the person back. */
  formatAttempt(name: string, value: string, seconds: number): string {
    const isHostOnly = this.#prefix !== "";
    const more = `Path=${isHostOnly ? "/" : ATTEMPT_PATH}; Max-Age=${seconds}${isHostOnly ? "; Secure" : ""}`;
    return `${name}=${value}; HttpOnly; SameSite=Lax; ${more}`;
  }
}

/** The session's cookie where `public_url` isn't https, and of versions before these names. */
const OLD_SESSION = matchCookie(SESSION, SECRET);

function matchCookie(name: string, value: string): RegExp {
  return new RegExp(`(?:^|;)\\s*(${name})=(${value})(?=\\s*(?:;|$))`, "g");
}

function digestPath(basePath: string): string {
  return new Bun.CryptoHasher("sha256").update(basePath).digest("hex").slice(0, SUFFIX_DIGITS);
}
