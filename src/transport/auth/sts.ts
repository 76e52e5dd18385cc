// One call of AWS's Security Token Service, which answers in XML (STS API reference, version 2011-06-15).
import type { JsonObject } from "../../core/json/json.ts";
import { type AwsKeys, readKeys } from "./aws-key-answer.ts";
import { type FetchedToken, fetchAnswer, isSuccess, makeRefusal, type TokenExchange } from "./token-http.ts";

const VERSION = "2011-06-15";
const FORM = "application/x-www-form-urlencoded";
/** The fields of the element `Credentials`. Their values need no escapes but those of base64's characters, of which XML has none. */
const FIELDS = ["AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"] as const;
const ERROR_CODE = /<Code>\s*([A-Za-z][A-Za-z.]{2,63})\s*<\/Code>/;

interface StsCall {
  readonly url: string;
  readonly action: "AssumeRole" | "AssumeRoleWithWebIdentity";
  readonly fields: Readonly<Record<string, string>>;
  /** Returns the headers of a signature. Missing for actions that a token proves. */
  readonly sign?: (
    body: string,
    headers: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string>>;
}

/** Throws `upstream_auth` if STS refuses, with its code, and `upstream_error` if it gives no keys. */
export async function callSts(
  { url, action, fields, sign }: StsCall,
  exchange: TokenExchange,
): Promise<FetchedToken<AwsKeys>> {
  const body = new URLSearchParams({ Action: action, Version: VERSION, ...fields }).toString();
  const plain = { "content-type": FORM };
  const headers = { ...plain, ...sign?.(body, plain) };
  const { status, text } = await fetchAnswer(exchange, url, { method: "POST", headers, body });
  if (isSuccess(status)) return readKeys(readFields(text), exchange.ports.clock.nowMs());
  const [, code] = ERROR_CODE.exec(text) ?? [];
  throw makeRefusal(status, [action, ...(code === undefined ? [] : [code])]);
}

function readFields(xml: string): JsonObject {
  const found = FIELDS.flatMap((name) => {
    const [, value] = new RegExp(`<${name}>\\s*([^<&]*?)\\s*</${name}>`).exec(xml) ?? [];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}
