// Signs calls to Amazon's services by Signature Version 4, in headers (IAM User Guide, "Create a signed AWS API request").
import { createHash, createHmac } from "node:crypto";
import type { AwsProof } from "../../core/models/token-source.ts";

/** A call as sent: `path` and `query` exactly as in its first line, the query without its question mark. */
export interface AwsRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

interface AwsScope {
  readonly proof: AwsProof;
  /** The service name in signatures, such as `bedrock`. */
  readonly service: string;
  /** Unix milliseconds. AWS refuses signatures more than five minutes off. */
  readonly nowMs: number;
  /** False for services that don't normalize dots and doubled slashes in paths. True by default. */
  readonly normalisesPath?: boolean;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
/** Headers that a proxy may change or the runtime sets, so they can't be signed. */
const UNSIGNED =
  /^(authorization|accept-encoding|cache-control|connection|expect|from|keep-alive|max-forwards|pragma|referer|te|trailer|transfer-encoding|upgrade|user-agent|x-amzn-trace-id|proxy-.*|sec-.*)$/;

/** Returns the headers to add: the date, the session token and the signature. Pure. */
export function signRequest(request: AwsRequest, scope: AwsScope): Record<string, string> {
  const { proof } = scope;
  const date = formatDate(scope.nowMs);
  const added: Record<string, string> = { "x-amz-date": date };
  if (proof.sessionToken !== null) added["x-amz-security-token"] = proof.sessionToken;
  const signed = listSigned({ ...request.headers, ...added, host: request.host });
  const names = signed.map(([name]) => name).join(";");
  const place = [date.slice(0, 8), proof.region, scope.service, "aws4_request"];
  const canonical = [
    request.method,
    formatPath(request.path, scope.normalisesPath ?? true),
    formatQuery(request.query),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    hash(request.body),
  ].join("\n");
  const toSign = [ALGORITHM, date, place.join("/"), hash(canonical)].join("\n");
  const signature = hmac(deriveKey(proof.secretAccessKey, place), toSign).toString("hex");
  const credential = `${proof.accessKeyId}/${place.join("/")}`;
  return {
    ...added,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** `20150830T123600Z`. */
function formatDate(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

function listSigned(headers: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(headers)
    .filter(([name]) => !UNSIGNED.test(name))
    .map(([name, value]) => [name, value.trim().replace(/\s+/g, " ")] as const)
    .sort(([one], [other]) => compare(one, other));
}

/** The path is encoded twice, so that `%3A` becomes `%253A`. */
function formatPath(path: string, normalises: boolean): string {
  const encoded = path.split("/").map(encode).join("/");
  if (!normalises) return encoded || "/";
  const steps: string[] = [];
  for (const step of encoded.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  const end = steps.length > 0 && path.endsWith("/") ? "/" : "";
  return `/${steps.join("/")}${end}`;
}

/** Unlike the path, the query is encoded once. */
function formatQuery(query: string): string {
  if (query === "") return "";
  const pairs = query.split("&").map((pair) => {
    const at = pair.indexOf("=");
    const [name, value] = at === -1 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
    return [encode(decode(name)), encode(decode(value))] as const;
  });
  pairs.sort(([name, value], other) => compare(name, other[0]) || compare(value, other[1]));
  return pairs.map(([name, value]) => `${name}=${value}`).join("&");
}

/** Encodes all but RFC 3986's unreserved characters. `encodeURIComponent` leaves five more. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function deriveKey(secret: string, place: readonly string[]): Buffer {
  return place.reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function hash(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Comparing code units equals comparing bytes, because encoded names are ASCII. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
