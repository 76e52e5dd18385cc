// Rows of credentials: missing, wrong, in the wrong place, or valid but oddly written.
import type { Row } from "./row.ts";

/** `{secret}` is replaced by the secret of a live key, `{wrong}` by one that never existed, with a valid checksum. */
export const HEADERS_REFUSED: Readonly<Record<string, string>> = {
  "a typo": "Bearer {secret}x",
  "the last letter cut": "Bearer {cut}",
  "never made": "Bearer {wrong}",
  revoked: "Bearer {revoked}",
  expired: "Bearer {expired}",
  "the operator's token": "Bearer {admin}",
  "sk- alone": "Bearer sk-",
  "no prefix": "Bearer {bare}",
  "in upper case": "Bearer {upper}",
  "300 characters": `Bearer sk-${"a".repeat(300)}`,
  "20,000 characters": `Bearer sk-${"a".repeat(10_000)}`,
  "a space inside": "Bearer {halves}",
  "two in one": "Bearer {secret}, Bearer {secret}",
  SQL: "Bearer sk-' OR '1'='1",
  "a wild card": "Bearer sk-%",
  "a template": "Bearer <{secret}>",
  "a null": "Bearer null",
  "not ASCII": "Bearer sk-\u00e9\u00e8",
};

/** No usable secret, which is different from a wrong one. */
export const HEADERS_WITHOUT: Readonly<Record<string, string>> = {
  "the scheme alone": "Bearer",
  "the scheme and a space": "Bearer ",
  Basic: "Basic c2stOng=",
  Token: "Token {secret}",
  "no scheme": "{secret}",
  "another scheme that begins alike": "Bearerish {secret}",
  "a colon for the space": "Bearer:{secret}",
  "no space": "Bearer{secret}",
};

export const HEADERS_TAKEN: Readonly<Record<string, string>> = {
  "as usual": "Bearer {secret}",
  "lower case": "bearer {secret}",
  "upper case": "BEARER {secret}",
  "two spaces": "Bearer  {secret}",
  "a tab": "Bearer \t{secret}",
  "a space behind": "Bearer {secret} ",
};

const IN_URL = { status: 400, code: "unknown_parameter" } as const;

/** A secret anywhere else counts as missing, and is refused in a URL. */
export function misplacedRows(secret: string): readonly Row[] {
  const at = (name: string, path: string, headers: Record<string, string> = {}): Row => ({
    name,
    path,
    headers,
    who: "nobody",
    status: 401,
    code: null,
    lacks: [secret],
    calls: 0,
  });
  return [
    { ...at("?access_token=", `/v1/models?access_token=${secret}`), ...IN_URL },
    { ...at("?api_key=", `/v1/models?api_key=${secret}`), ...IN_URL },
    { ...at("?bearer=", `/v1/models?Bearer=${secret}&authorization=Bearer%20${secret}`), ...IN_URL },
    { ...at("?%00=", `/v1/models?%00=${secret}`), ...IN_URL },
    { ...at("percent-encoded", `/v1/models?beta=true&q=${secret.replace("sk", "%73k")}`), ...IN_URL },
    at("api-key", "/v1/models", { "api-key": secret }),
    at("a cookie", "/v1/models", { cookie: `key=${secret}; authorization=Bearer ${secret}` }),
    at("proxy-authorization", "/v1/models", { "proxy-authorization": `Bearer ${secret}` }),
  ];
}
