// AWS's and Azure's own libraries judge our identities: they ask the fake of the cloud for the same, and both are accepted.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProvider } from "../../../config/platform-files.ts";
import { KNOWN } from "../cloud-rules.ts";
import { startClouds } from "../fake-clouds.ts";
import { type Seen, startTokens } from "../token-server.ts";

/** False unless they are installed, which .ci/run does. */
const INSTALLED = existsSync(join(import.meta.dir, "node_modules"));
const REGION = "eu-west-1";
const SESSION = "gateway-7";
const directory = mkdtempSync(join(tmpdir(), "poundkey-vendors-"));
const file = join(directory, "token");
writeFileSync(file, KNOWN.subject);

const clouds = await startClouds(Date.now);
beforeEach(() => {
  clouds.seen.length = 0;
});
afterAll(async () => {
  await clouds.stop();
  rmSync(directory, { recursive: true });
});

const STS = {
  AWS_ENDPOINT_URL_STS: `${clouds.origin}/sts`,
  AWS_ROLE_SESSION_NAME: SESSION,
  AWS_REGION: REGION,
};
const EKS = { ...STS, AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: KNOWN.roleArn };
const EC2 = { ...STS, AWS_EC2_METADATA_SERVICE_ENDPOINT: clouds.origin };
const ECS = {
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `${clouds.origin}/agent`,
  AWS_CONTAINER_AUTHORIZATION_TOKEN: "agreed-with-the-agent",
};
const AKS = {
  AZURE_FEDERATED_TOKEN_FILE: file,
  AZURE_TENANT_ID: KNOWN.tenant,
  AZURE_CLIENT_ID: KNOWN.client,
  AZURE_AUTHORITY_HOST: `${clouds.origin}/entra/`,
};
const AZURE_VM = { AZURE_POD_IDENTITY_AUTHORITY_HOST: clouds.origin };
const APP_SERVICE = { IDENTITY_ENDPOINT: `${clouds.origin}/msi/token`, IDENTITY_HEADER: KNOWN.appHeader };

const ASSUMED = `assume_role: { arn: "${KNOWN.otherArn}", external_id: ${KNOWN.externalId}, session: ${SESSION} }`;
const ONE = `managed_identity: { client_id: "${KNOWN.client}" }`;

type Variables = Readonly<Record<string, string>>;
const IDENTITIES: readonly (readonly [string, string, Variables])[] = [
  ["EKS", `Bedrock: { region: ${REGION} }`, EKS],
  ["EC2", `Bedrock: { region: ${REGION}, aws: { instance: true } }`, EC2],
  ["ECS", `Bedrock: { region: ${REGION} }`, ECS],
  ["another account's role from EKS", `Bedrock: { region: ${REGION}, aws: { ${ASSUMED} } }`, EKS],
  [
    "another account's role from EC2",
    `Bedrock: { region: ${REGION}, aws: { instance: true, ${ASSUMED} } }`,
    EC2,
  ],
  ["AKS", "Azure: { resource: r }", AKS],
  ["an Azure VM", "Azure: { resource: r, entra: { managed_identity: true } }", AZURE_VM],
  ["one of an Azure VM's identities", `Azure: { resource: r, entra: { ${ONE} } }`, AZURE_VM],
  ["App Service", "Azure: { resource: r, entra: { managed_identity: true } }", APP_SERVICE],
];

const { answer } = clouds;
clouds.answer = (request) => {
  if (!request.path.startsWith("/agent")) return answer?.(request) ?? null;
  if (request.headers.authorization !== ECS.AWS_CONTAINER_AUTHORIZATION_TOKEN)
    return { status: 403, body: "" };
  const Expiration = new Date(Date.now() + 3_600_000).toISOString();
  return { body: { AccessKeyId: "ASIAOFTHEAGENT", SecretAccessKey: "s", Token: "t", Expiration } };
};

async function askVendor(identity: string, variables: Variables): Promise<string> {
  const command = [process.execPath, join(import.meta.dir, "vendor.process.ts"), identity, clouds.origin];
  const child = Bun.spawn(command, { env: { HOME: directory, ...variables }, stderr: "inherit" });
  return new Response(child.stdout).text();
}

async function askOwn(fields: string, variables: Variables): Promise<string> {
  const proof = readProvider(fields, variables)?.credentials[0]?.proof;
  const { keys, tokens } = startTokens();
  switch (proof?.kind) {
    case "aws_web_identity":
    case "aws_instance":
    case "aws_container":
    case "aws_assumed_role":
      return (await keys.get(proof)).accessKeyId;
    case "federated_application":
    case "managed_identity":
      return tokens.get(proof);
    default:
      throw new Error(`an identity of ${proof?.kind}`);
  }
}

/** The libraries number their requests. */
const OWN_NUMBER = "client-request-id";
type Form = Seen["fields"];

/** The parts of a request by which a cloud decides, but for signatures and keys, which the fake checks. */
function describeRequest({ method, path, fields, headers }: Seen) {
  const { pathname, searchParams } = new URL(path, "http://fake");
  searchParams.delete(OWN_NUMBER);
  const [type] = String(headers["content-type"]).split(";");
  const { metadata, "x-identity-header": identity, authorization } = headers;
  return {
    method,
    path: pathname.replace(/\/$/, ""),
    query: Object.fromEntries(searchParams),
    form: method === "POST" ? fields : {},
    proofs: {
      metadata,
      identity,
      isProven: authorization !== undefined,
      type: method === "POST" ? type : null,
    },
  };
}

describe.skipIf(!INSTALLED)("the cloud's own library and the gateway (skipped without it)", () => {
  test.each(IDENTITIES)("ask the same and are both accepted: %s", async (identity, fields, variables) => {
    const given = await askVendor(identity, variables);
    const asked = clouds.seen.splice(0).map(describeRequest);
    const own = await askOwn(fields, variables);
    const ours = clouds.seen.map(describeRequest);
    // Azure's adds words about itself to the form.
    const names = new Set(ours.flatMap(({ form }) => Object.keys(form)));
    const keepKnown = (form: Form) =>
      Object.fromEntries(Object.entries(form).filter(([name]) => names.has(name)));
    expect(ours).toEqual(asked.map((one) => ({ ...one, form: keepKnown(one.form) })));
    for (const one of [given, own]) expect(one).toMatch(/^(ASIAOFTHE[A-Z0-9]+|token-\d+)$/);
  });
});
