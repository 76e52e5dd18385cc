// Signatures against Amazon's own cases for Signature Version 4, and the headers of a call to Bedrock.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AwsProof } from "../../src/core/models/token-source.ts";
import { signAws } from "../../src/transport/auth/authorize.ts";
import { type AwsRequest, signRequest } from "../../src/transport/auth/sigv4.ts";
import { findBeside } from "../harness/beside.ts";

const SUITE = findBeside("sigv4-aws-suite/v4") ?? "";
const CASES = SUITE === "" ? [] : readdirSync(SUITE);
if (CASES.length === 0) test.skip("Amazon's signing cases: none at ../shared/data/sigv4-aws-suite", () => {});

interface Context {
  readonly credentials: { access_key_id: string; secret_access_key: string; token?: string };
  readonly normalize: boolean;
  readonly region: string;
  readonly service: string;
  readonly sign_body: boolean;
  readonly timestamp: string;
  readonly omit_session_token?: boolean;
}

/** Parses a request: its first line, headers (a line that begins with a space continues the one before), body. */
function parseRequest(text: string): AwsRequest {
  const [head = "", body = ""] = text.split(/\r?\n\r?\n/);
  const [first = "", ...lines] = head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/);
  const target = first.slice(first.indexOf(" ") + 1, first.lastIndexOf(" "));
  const at = target.indexOf("?");
  const headers: Record<string, string> = {};
  for (const line of lines.filter((one) => one !== "")) {
    const name = line.slice(0, line.indexOf(":")).toLowerCase();
    const value = line.slice(name.length + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return {
    method: first.slice(0, first.indexOf(" ")),
    host: headers.host ?? "",
    path: at === -1 ? target : target.slice(0, at),
    query: at === -1 ? "" : target.slice(at + 1),
    headers,
    body,
  };
}

test.each(CASES)("Amazon's case %s gets Amazon's signature", (name) => {
  const read = (file: string) => readFileSync(join(SUITE, name, file), "utf8");
  const context: Context = JSON.parse(read("context.json"));
  const { access_key_id, secret_access_key, token } = context.credentials;
  const request = parseRequest(read("request.txt"));
  const bodyHash = /^x-amz-content-sha256:(.*)$/m.exec(read("header-canonical-request.txt"))?.[1];
  const proof: AwsProof = {
    kind: "aws",
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    sessionToken: context.omit_session_token === true ? null : (token ?? null),
    region: context.region,
  };
  const headers = { ...request.headers, ...(bodyHash ? { "x-amz-content-sha256": bodyHash } : {}) };
  const signed = signRequest(
    { ...request, headers },
    {
      proof,
      service: context.service,
      nowMs: Date.parse(context.timestamp),
      normalisesPath: context.normalize,
    },
  );
  expect(signed.authorization).toEndWith(`Signature=${read("header-signature.txt").trim()}`);
  const given = /^Authorization:(.*)$/im.exec(read("header-signed-request.txt"))?.[1]?.trim();
  expect(signed.authorization).toBe(given ?? "");
});

/** Signatures of the same calls by botocore 1.43's SigV4Auth. */
const BY_BOTOCORE: readonly (readonly [path: string, signature: string])[] = [
  [
    "/model/amazon.nova-lite-v1%3A0/converse",
    "631d240ebe6360375710b6fc8e40954235325b386e144ea13cb7bc10dbbb51f5",
  ],
  [
    "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fabc123/converse-stream",
    "a2daecbd89bcd2f65e40c0cb36f5b6d0e5189e7af556e612b8abae0eaf9404a3",
  ],
];

test.each(BY_BOTOCORE)("a call to %s is signed as by Amazon's own client", (path, signature) => {
  const proof: AwsProof = {
    kind: "aws",
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "secret",
    sessionToken: "session",
    region: "us-east-1",
  };
  const url = `https://bedrock-runtime.us-east-1.amazonaws.com${path}`;
  const headers = { "content-type": "application/json", "accept-encoding": "identity" };
  const call = { url, headers, body: '{"a":"ü"}' };
  expect(signAws(proof, call, Date.UTC(2026, 10, 20, 12))).toEqual({
    "x-amz-date": "20261120T120000Z",
    "x-amz-security-token": "session",
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261120/us-east-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=${signature}`,
  });
});
