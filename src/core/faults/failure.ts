// The operator's account of a failed call: the provider's own words, or how the connection failed.

/** Facts about a failed call that only the operator sees. */
export interface UpstreamReport {
  /** The provider's error code, as it sent it. */
  readonly code?: string | undefined;
  /** The provider's message without secrets, long quotations and line ends; at most `WORDS_READ_MAX` characters. */
  readonly message?: string | undefined;
  /** The provider's own id of the request, which its support asks for. */
  readonly requestId?: string | undefined;
  /** The way in which the connection failed, such as `connection refused (ECONNREFUSED)`. */
  readonly cause?: string | undefined;
  /** The host that was called, with its port. */
  readonly address?: string | undefined;
}

/** A failure as the log, the request's row and the provider's page show it. Null for what is unknown. */
export interface FailureWords {
  readonly upstreamCode: string | null;
  readonly message: string | null;
  readonly cause: string | null;
  readonly address: string | null;
  readonly upstreamRequestId: string | null;
}

const MESSAGE_SHOWN_MAX = 300;
const CAUSE_SHOWN_MAX = 200;
/** More is read than shown, because redacting shortens it. */
const WORDS_READ_MAX = 2000;
/** A shorter quotation is most often a field or a value; a longer one is likely the prompt. */
const QUOTATION_MAX = 40;

/** The beginnings of the secrets that vendors issue. */
export const SECRET_WORDS =
  /\b(sk|pk|gsk|xai|AIza|AKIA|ASIA|ABSK|bedrock-api-key|pplx|nvapi|fw|csk|Bearer )[-_A-Za-z0-9*.]{8,}/g;
/** A private key as in a file, to its end or the end of what is quoted. */
const PRIVATE_KEY = /-----BEGIN [^-]*-----.*?(?:-----END [^-]*-----|$)/g;
/** Any authorization header, and any run of base64 or hexadecimal digits that is too long for a word or an id. */
const TOKEN_WORDS = /\b(?:Bearer|Basic)\s+\S{8,}|[A-Za-z0-9+/_-]{48,}={0,2}/g;
/** A login or a query within a URL. */
const URL_SECRETS = /(?<=:\/\/)[^\s/@]+@|(?<=:\/\/[^\s?]{1,200})\?[^\s"'`)]+/g;
/** Single quotes only count around words, because of apostrophes. */
const QUOTATIONS = /"([^"]*)"|`([^`]*)`|“([^”]*)”|(?<=^|[\s(:=[])'([^']*)'(?=$|[\s).,:;\]])/g;

/** Returns a provider's text without line ends, anything like a secret, and quotations that may be a prompt. */
export function cleanWords(text: string): string {
  return text
    .slice(0, WORDS_READ_MAX)
    .toWellFormed()
    .replace(/\s+/g, " ")
    .trim()
    .replace(PRIVATE_KEY, "[redacted]")
    .replace(QUOTATIONS, (quoted) => (quoted.length - 2 > QUOTATION_MAX ? '"[quoted]"' : quoted))
    .replace(SECRET_WORDS, "[redacted]")
    .replace(TOKEN_WORDS, "[redacted]")
    .replace(URL_SECRETS, "");
}

interface FailureSource {
  readonly details: { readonly upstream?: UpstreamReport; readonly cause?: unknown };
}

/** Describes a failed call in words that may be stored. The fault must have been redacted. */
export function describeFailure({ details }: FailureSource): FailureWords {
  const { code, message, requestId, cause, address } = details.upstream ?? {};
  const reason = cause ?? (typeof details.cause === "string" ? cleanWords(details.cause) : undefined);
  return {
    upstreamCode: code ?? null,
    message: cut(message, MESSAGE_SHOWN_MAX),
    cause: cut(reason, CAUSE_SHOWN_MAX),
    address: address ?? null,
    upstreamRequestId: requestId ?? null,
  };
}

function cut(text: string | undefined, charactersMax: number): string | null {
  if (text === undefined || text === "") return null;
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1).toWellFormed()}…` : text;
}
