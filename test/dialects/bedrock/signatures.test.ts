// Addresses and signatures of calls to Bedrock, compared with those of AWS's own SDK.
import { describe, expect, test } from "bun:test";
import { SignatureV4 } from "@smithy/signature-v4";
import type { AwsProof } from "../../../src/core/models/token-source.ts";
import { makeModelUrl } from "../../../src/dialects/_bedrock/call.ts";
import { signAws } from "../../../src/transport/auth/authorize.ts";
import { signRequest } from "../../../src/transport/auth/sigv4.ts";
import { Sha256 } from "../../transport/auth/sha256.ts";
import { catchCode, makeCard } from "../cases/drive.ts";

const HOST = "bedrock-runtime.eu-west-1.amazonaws.com";
const NOW_MS = Date.UTC(2026, 10, 20, 12);
const PROFILE = "inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const GREETING = '{"messages":[{"role":"user","content":[{"text":"Grüße!"}]}]}';

interface Sent {
  readonly model: string;
  readonly call: string;
  readonly token: string | null;
  readonly body: string;
  readonly bodyHash: string;
  readonly invocation: string;
  readonly path: string;
  readonly signature: string;
}

const greeting = {
  call: "converse",
  body: GREETING,
  bodyHash: "c93bb00fec2303b7d4f5e11ff17d0784bdd53f3fc7d73da247afc4a87485c462",
};

/** Sent by @aws-sdk/client-bedrock-runtime 3.1162.0 at that time. */
const SENT: readonly Sent[] = [
  {
    ...greeting,
    model: "amazon.nova-lite-v1:0",
    token: null,
    invocation: "c7e2eeda-f83d-4ce5-81e7-18bc2f4da8af",
    path: "/model/amazon.nova-lite-v1%3A0/converse",
    signature: "1deaf9572bb833f2d0ca4a9b6ebe73b5772af1d739284640cefdac73cb9c1336",
  },
  {
    ...greeting,
    model: `arn:aws:bedrock:eu-west-1:123456789012:${PROFILE}`,
    token: "TOKEN/with+signs==",
    invocation: "3cc2ea71-486d-4e24-8322-697c36bdd9ad",
    path: "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Ainference-profile%2Feu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
    signature: "e55893b5bfb4b6758f37f33ca2adeea86c0e68ff6407883c816ba546420318d1",
  },
  {
    model: "us.anthropic.claude-sonnet-5",
    call: "invoke-with-response-stream",
    token: "TOKEN/with+signs==",
    body: '{"a":1}',
    bodyHash: "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
    invocation: "274ba996-da94-42fb-b88c-d0221481b4e0",
    path: "/model/us.anthropic.claude-sonnet-5/invoke-with-response-stream",
    signature: "fc887c49f3eb644ba97e213789499b51de026eee7d33648ada9f1bd3793d179c",
  },
];

function findPath(model: string, call: string): string {
  const target = { baseUrl: `https://${HOST}`, secret: null, headers: {} };
  return new URL(makeModelUrl(target, makeCard(model, null), call)).pathname;
}

describe("matches AWS's SDK", () => {
  test.each(SENT)("$model by $call", (sent) => {
    expect(findPath(sent.model, sent.call)).toBe(sent.path);
    const proof: AwsProof = {
      kind: "aws",
      accessKeyId: "AKIDEXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
      sessionToken: sent.token,
      region: "eu-west-1",
    };
    const headers = {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(sent.body)),
      "x-amz-user-agent": "aws-sdk-js/3.1161.0",
      "amz-sdk-invocation-id": sent.invocation,
      "amz-sdk-request": "attempt=1; max=1",
      "x-amz-content-sha256": sent.bodyHash,
    };
    const request = { method: "POST", host: HOST, path: sent.path, query: "", headers, body: sent.body };
    const signed = signRequest(request, { proof, service: "bedrock", nowMs: NOW_MS });
    expect(signed.authorization).toEndWith(`Signature=${sent.signature}`);
    expect(signed["x-amz-security-token"]).toBe(sent.token ?? undefined);
  });
});

/** Signs with AWS's own signer, as a client with these keys does. */
async function signByAmazon(proof: AwsProof, url: URL, headers: Record<string, string>, body: string) {
  const { accessKeyId, secretAccessKey, sessionToken, region } = proof;
  const credentials = {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === null ? {} : { sessionToken }),
  };
  const signer = new SignatureV4({
    credentials,
    region,
    service: "bedrock",
    sha256: Sha256,
    applyChecksum: false,
  });
  const { protocol, hostname, host, pathname: path } = url;
  const query = Object.fromEntries(url.searchParams);
  const request = { method: "POST", protocol, hostname, path, query, headers: { ...headers, host }, body };
  return (await signer.sign(request, { signingDate: new Date(NOW_MS) })).headers;
}

describe("matches AWS's signer", () => {
  const REGIONS = ["us-east-1", "eu-west-1", "ap-northeast-3", "cn-north-1", "us-gov-west-1"];
  const MODELS = [
    "amazon.nova-lite-v1:0",
    "us.anthropic.claude-sonnet-5",
    `arn:aws:bedrock:eu-west-1:123456789012:${PROFILE}`,
    "arn:aws:bedrock:us-east-1::custom-model/ä ö!'()*~+,;=@$&",
  ];
  const BODIES = [
    "{}",
    GREETING,
    JSON.stringify({ text: "\u2028 \ud83d\ude00 \u0000" }),
    "x".repeat(100_000),
  ];
  const TOKENS = [null, "TOKEN/with+signs==", "IQoJb3JpZ2luX2VjEA0aCXVzLWVhc3QtMSJHMEUCIQ"];
  const HEADERS: readonly Record<string, string>[] = [
    { "content-type": "application/json" },
    { "content-type": "application/json", "x-amzn-bedrock-guardrailidentifier": "  a   b " },
    { accept: "*/*", "content-type": "application/json", "user-agent": "ours", "x-own": "" },
  ];

  test.each(REGIONS)("any call in %s", async (region) => {
    for (const [at, model] of MODELS.entries())
      for (const body of BODIES)
        for (const token of TOKENS)
          for (const [number, headers] of HEADERS.entries()) {
            const keys = { accessKeyId: `AKID${at}`, secretAccessKey: `a/b+${number}`, sessionToken: token };
            const proof: AwsProof = { kind: "aws", ...keys, region };
            const baseUrl = `https://bedrock-runtime.${region}.amazonaws.com`;
            const target = { baseUrl, secret: null, headers: {} };
            const url = makeModelUrl(target, makeCard(model, null), "converse-stream");
            const given = await signByAmazon(proof, new URL(url), headers, body);
            const { authorization } = signAws(proof, { url, headers, body }, NOW_MS);
            expect([url, authorization]).toEqual([url, given.authorization ?? ""]);
          }
  });
});

describe("the model in the path", () => {
  test("is the same raw and path-encoded", () => {
    const raw = findPath("amazon.nova-lite-v1:0", "converse");
    expect(findPath("amazon.nova-lite-v1%3A0", "converse")).toBe(raw);
    expect(findPath("arn%3Aaws%3Abedrock%3Aus-east-1%3A%3Ainference-profile%2Fx", "invoke")).toBe(
      findPath("arn:aws:bedrock:us-east-1::inference-profile/x", "invoke"),
    );
  });

  test("can't reach another path of the server", () => {
    expect(findPath("../../admin", "converse")).toBe("/model/..%2F..%2Fadmin/converse");
    expect(findPath("a?b#c", "converse")).toBe("/model/a%3Fb%23c/converse");
    expect(findPath("a%b\ud800", "converse")).toBe("/model/a%25b%EF%BF%BD/converse");
    for (const name of [".", "..", "%2E%2e"])
      expect(catchCode(() => findPath(name, "converse"))).toBe("model_not_found");
  });
});
