// The values and defaults of the manual's table of configuration fields, in few words: the chapter's introduction explains them.
import { asArray, asString, isObject, type JsonObject } from "../../src/core/json/json.ts";

/** Each form of an expected value has a short one. They are applied in turn. */
const SHORT: readonly (readonly [expected: RegExp, short: string])[] = [
  [/^an? (duration|size) like \S+( or \S+)?( \(ms, s, m, h or d\))?, from (\S+) to ([^,]+)/, "$4–$5"],
  [/^an integer from (\S+) to ([^,]+)/, "integer $1–$2"],
  [/^a number from (\S+) to (\S+) with at most (\d) decimals/, "$1–$2, $3 decimals"],
  [/^a number from (\S+) to (\S+)/, "$1–$2"],
  [/^a number above 0 and up to (\S+) with at most (\d) decimals.*/, "above 0 to $1, $2 decimals"],
  [/^a number above 0 \(from (\S+) to (\S+)\).*/, "$1–$2"],
  [/^a percentage like 2%, or a fraction from (\S+) to (\S+)/, "share $1–$2"],
  [/^seconds or a duration like 1h, up to 365d, or 0/, "seconds or 0–365d"],
  [/^a date like \S+, or null.*/, "date, `null`"],
  [/, or null\b.*/, ", `null`"],
  [/, or 0 .*/, ", `0`"],
  [/^an http or https URL without credentials or fragment/, "URL, also with query"],
  [
    /^(an http or https URL|an address like https|the issuer's https URL)[^,]*(, query or fragment|, without query or fragment)?/,
    "URL",
  ],
  [/^an IP address or a (host name|block)( like .*)?$/, "address or $1"],
  [/^an origin like .*/, 'origin or `"*"`'],
  [/^sqlite:PATH or postgres:.*/, "`sqlite:PATH` or `postgres://…`"],
  [/^(\d+) to (\d+) (printable )?characters without spaces/, "$1–$2 characters"],
  [/^(\d+) to (\d+) letters, digits (?:and|or characters of) (.*)/, "$1–$2 of `A-Za-z0-9 $3`"],
  [/^an? text of (\d+) to (\d+) characters.*/, "$1–$2 characters"],
  [/^an account's name of 1 to 100 characters/, "account's name"],
  [/^a model id like OpenAI#gpt-5\.4, or \{ model, on.*/, "id or `{ model, on }`"],
  [/^a model id like OpenAI#gpt-5\.4, a list.*/, "id, list or policy"],
  [/^a model('s)? id[^|]* a pattern.*/, "model id or pattern"],
  [/^a model id like [^ ,]+/, "model id"],
  [/^(a key|an account)'s name or id, or a pattern of it/, "name, id, pattern"],
  [/^an account's name or id, or \*/, "name, id, `*`"],
  [/^a type of event or a pattern.*/, "event or pattern"],
  [/^a duration like \S+(?=,)/, "duration"],
  [/^a key of printable characters, or \{ key.*/, "secret or fields"],
  [/^an? (key|token|header value|value) of printable characters( without spaces)?/, "secret"],
  [/^an? (name of letters, digits, _ \. and -|name as the vendor writes it)/, "name"],
  [/^(the )?(name|path) of a (request's field|field|header)\b.*/, "$2"],
  [/^the name of a request's field, or \*/, "name or `*`"],
  [/^(certificates|a certificate|its private key) in PEM.*/, "PEM"],
  [/^a public key in PEM, or base64.*/, "PEM or base64"],
  [/^a URL like http:.*/, "URL or `none`"],
  [/^a host, a domain, an address or a block/, "host or block"],
  [/^true, false, .*/, "`true`, `false` or fields"],
  [/^true, or \{ client_id.*/, "`true` or `{ client_id }`"],
  [/^a number above 0 such as 0\.85, or.*/, "number or fields"],
  [/^none, or one of \{ bearer.*/, "`none` or fields"],
  [/^a file path, or a mapping.*/, "path or fields"],
  [/^an? (date|time of day|time|percentile|region|scope|domain|AWS region|role's ARN) like \S+/, "$1"],
  [/^a serial from 1/, "serial from 1"],
  [/^a tool like .*/, "tool or pattern"],
  [/^a list of tools or patterns/, "tools or patterns"],
  [/^the content of a key file.*/, "text or `metadata`"],
  [/^a version number in quotes, or "DRAFT"/, "number or `DRAFT`"],
  [/^"v1" or a version like \S+/, "`v1` or version"],
  [/^a secret or restricted key of Stripe's.*/, "`sk_…` or `rk_…`"],
  [/^the secret of Stripe's endpoint.*/, "`whsec_…`"],
  [/^global, us, eu or a region like \S+/, "`global`, `us`, `eu`, region"],
  [/^an IANA time zone like .*/, "IANA time zone"],
  [/^a path like \S+ without .*/, "path"],
  [/^scopes with .*/, "scopes"],
  [/^auto or own$/, "`auto`, `own`"],
  // The meaning of a field with so many words links to their list.
  [/^one of ("[^"]*", ){30}.*/, "words"],
  [/ or an? (\w+) like \S+/, " or $1"],
  [/^(an?|the) /, ""],
];

/** Values that say no more than the field's name and meaning. */
const SELF_EVIDENT =
  /^(fields|list of fields|mapping.*|project id|resource name|deployment name|(the )?application's .*|access key's .*|session token|guardrail's .*|model's name as .*|tenant's .*)$/;

/** Returns the values that the field takes. */
export function describeValue(field: JsonObject): string {
  const value = nameValue(field);
  return SELF_EVIDENT.test(value) ? "" : value.replaceAll("|", "\\|");
}

export function isSection(field: JsonObject): boolean {
  return isObject(field.properties) || isObject(field.patternProperties);
}

function nameValue(field: JsonObject): string {
  if (field.type === "boolean") return "`true` or `false`";
  if (field.type === "array") return listOf(isObject(field.items) ? field.items : {});
  if (isSection(field)) return "fields";
  const words = asArray(field.enum);
  if (words.length > 0) return words.map((word) => `\`${word}\``).join(", ");
  const expected = asString(field.expected);
  if (expected !== undefined) return shorten(expected);
  const kinds = asArray(field.anyOf).map((one) => (isObject(one) ? nameValue(one) : ""));
  return kinds.join(" or ");
}

function listOf(item: JsonObject): string {
  const value = nameValue(item);
  return value === "fields" || value === "words" ? `list of ${value}` : `list: ${value}`;
}

function shorten(expected: string): string {
  return SHORT.reduce((text, [form, short]) => text.replace(form, short), expected);
}

export function describeDefault(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.length === 0 ? "none" : `\`${JSON.stringify(value)}\``;
  return isObject(value) && Object.keys(value).length === 0 ? "none" : `\`${String(value)}\``;
}
