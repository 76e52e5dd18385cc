// Keyless identities against a fake of each cloud that enforces its rules: what is asked, renewals, refusals and silence.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../../src/core/faults/fault.ts";
import { asObject } from "../../../src/core/json/json.ts";
import type { AwsKeySource } from "../../../src/core/models/token-source.ts";
import type { Proof } from "../../../src/core/settings.ts";
import { readProvider } from "../../config/platform-files.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { until } from "../../whole/world/until.ts";
import { KNOWN } from "./cloud-rules.ts";
import { startClouds } from "./fake-clouds.ts";
import { startTokens } from "./token-server.ts";

const MINUTE_MS = 60_000;
const LIFETIME_MS = 1000;
/** A request may be on its way for so long on a busy machine. */
const ON_THE_WAY_MS = 1000;
const directory = mkdtempSync(join(tmpdir(), "poundkey-identities-"));
const file = join(directory, "token");

const time = { now: () => 0 };
const clouds = await startClouds(() => time.now());
const { answer } = clouds;
beforeEach(() => {
  clouds.answer = answer;
  clouds.seen.length = 0;
  clouds.lifetimeMs = 60 * MINUTE_MS;
  writeFileSync(file, `${KNOWN.subject}\n`);
});
afterAll(async () => {
  await clouds.stop();
  rmSync(directory, { recursive: true });
});

/** The variables that each platform gives a workload. The addresses are the fake's. */
const EKS = {
  AWS_WEB_IDENTITY_TOKEN_FILE: file,
  AWS_ROLE_ARN: KNOWN.roleArn,
  AWS_ENDPOINT_URL_STS: `${clouds.origin}/sts`,
};
const EC2 = {
  AWS_EC2_METADATA_SERVICE_ENDPOINT: clouds.origin,
  AWS_ENDPOINT_URL_STS: `${clouds.origin}/sts`,
};
const AKS = {
  AZURE_FEDERATED_TOKEN_FILE: file,
  AZURE_TENANT_ID: KNOWN.tenant,
  AZURE_CLIENT_ID: KNOWN.client,
  AZURE_AUTHORITY_HOST: `${clouds.origin}/entra/`,
};
const AZURE_VM = { AZURE_POD_IDENTITY_AUTHORITY_HOST: clouds.origin };
const APP_SERVICE = { IDENTITY_ENDPOINT: `${clouds.origin}/msi/token`, IDENTITY_HEADER: KNOWN.appHeader };

const GOOGLE = { GCE_METADATA_HOST: new URL(clouds.origin).host };
const AGENT = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${clouds.origin}/agent` };

const BEDROCK = "region: eu-west-1";
const ASSUMED = `assume_role: { arn: "${KNOWN.otherArn}", external_id: ${KNOWN.externalId} }`;

type Variables = Readonly<Record<string, string>>;
/** By what an operator would call it: the fields of the provider, and the variables of the platform. */
const IDENTITIES: readonly (readonly [string, string, Variables])[] = [
  ["EKS with a role for the service account", `Bedrock: { ${BEDROCK} }`, EKS],
  ["EKS, named", `Bedrock: { ${BEDROCK}, aws: { web_identity: true } }`, EKS],
  ["EC2", `Bedrock: { ${BEDROCK} }`, EC2],
  ["EC2, named", `Bedrock: { ${BEDROCK}, aws: { instance: true } }`, { ...EC2, ...EKS }],
  ["another account's role from EKS", `Bedrock: { ${BEDROCK}, aws: { ${ASSUMED} } }`, EKS],
  ["another account's role from EC2", `Bedrock: { ${BEDROCK}, aws: { instance: true, ${ASSUMED} } }`, EC2],
  ["AKS", "Azure: { resource: r }", AKS],
  ["AKS, named", `Azure: { resource: r, entra: { federated_token_file: "${file}" } }`, AKS],
  ["an Azure VM", "Azure: { resource: r, entra: { managed_identity: true } }", AZURE_VM],
  [
    "one of an Azure VM's identities",
    `Azure: { resource: r, entra: { managed_identity: { client_id: "${KNOWN.client}" } } }`,
    AZURE_VM,
  ],
  ["App Service", "Azure: { resource: r, entra: { managed_identity: true } }", APP_SERVICE],
  ["Google's cloud", "Vertex: { project: p, service_account: metadata }", GOOGLE],
];

function start() {
  const started = startTokens();
  time.now = started.ports.clock.nowMs;
  const get = (proof: Proof | undefined): Promise<unknown> => {
    if (proof === undefined || proof.kind === "aws") throw new Error("not keyless");
    return isAws(proof) ? started.keys.get(proof) : started.tokens.get(proof);
  };
  return { ...started, get };
}

function isAws(proof: Exclude<Proof, { readonly kind: "aws" }>): proof is AwsKeySource {
  return proof.kind.startsWith("aws_");
}

async function catchCause(work: Promise<unknown>): Promise<unknown> {
  const thrown: unknown = await work.catch((one: unknown) => one);
  if (!(thrown instanceof Fault)) throw new Error(`no fault: ${String(thrown)}`);
  expect(JSON.stringify([thrown.message, thrown.details, thrown.stack])).not.toMatch(
    /secret|eyJ|127\.0\.0\.1:/,
  );
  return [thrown.code, thrown.details.cause];
}

describe.each(IDENTITIES)("%s", (_name, fields, env) => {
  const findProof = () => readProvider(fields, env)?.credentials[0]?.proof;

  test("is accepted by the cloud, asked once for all waiting calls, and renewed before it expires", async () => {
    const { get, pass } = start();
    const proof = findProof();
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => get(proof)));
    expect(new Set(others)).toEqual(new Set([first]));
    const asked = clouds.seen.length;
    pass(54 * MINUTE_MS);
    expect(await get(proof)).toBe(first);
    expect(clouds.seen).toHaveLength(asked);
    pass(2 * MINUTE_MS);
    expect(await get(proof)).toBe(first);
    await until("the next", async () => (await get(proof)) !== first);
    expect(clouds.seen).toHaveLength(2 * asked);
  });

  test("goes on while renewals fail, and tries again", async () => {
    const { get, pass } = start();
    const proof = findProof();
    const first = await get(proof);
    clouds.answer = () => ({ status: 503, body: "secret" });
    pass(56 * MINUTE_MS);
    for (let renewal = 1; renewal <= 2; renewal++) {
      const asked = clouds.seen.length;
      await until("a renewal", async () => {
        expect(await get(proof)).toBe(first);
        return clouds.seen.length > asked;
      });
      pass(11_000);
    }
  });

  test("says why there is none once it has expired, and comes back", async () => {
    const { get, pass } = start();
    const proof = findProof();
    const first = await get(proof);
    clouds.answer = () => ({ status: 503, body: "secret" });
    pass(61 * MINUTE_MS);
    expect(await catchCause(get(proof))).toEqual(["upstream_error", expect.stringContaining("status 503")]);
    clouds.answer = answer;
    expect(await get(proof)).not.toBe(first);
  });
});

describe("a clear sentence says why there is none", () => {
  const QUIET = [
    [
      `Bedrock: { ${BEDROCK}, aws: { instance: true } }`,
      EC2,
      "the instance's metadata service doesn't answer",
    ],
    [
      "Azure: { resource: r, entra: { managed_identity: true } }",
      AZURE_VM,
      "Azure's identity endpoint doesn't answer",
    ],
    ["Vertex: { project: p, service_account: metadata }", GOOGLE, "Google's metadata server doesn't answer"],
    [
      `Bedrock: { ${BEDROCK}, aws: { instance: true, ${ASSUMED} } }`,
      EC2,
      "the instance's metadata service doesn't answer",
    ],
    [
      "Azure: { resource: r, entra: { managed_identity: true } }",
      APP_SERVICE,
      "Azure's identity endpoint doesn't answer",
    ],
    [
      `Bedrock: { ${BEDROCK}, aws: { container: true } }`,
      AGENT,
      "the container's credential agent doesn't answer",
    ],
  ] as const;
  test.each(QUIET)("within two seconds if nothing answers: %s", async (fields, env, words) => {
    const { get, pass } = start();
    clouds.hold();
    const waiting = catchCause(get(readProvider(fields, env)?.credentials[0]?.proof));
    await until("the request", () => clouds.seen.length > 0);
    pass(1750);
    expect(await waiting).toEqual(["upstream_error", expect.stringContaining(words)]);
    clouds.release();
  });

  const wrong = (aws: string) => `Bedrock: { ${BEDROCK}, aws: { ${aws} } }`;
  test.each([
    [
      `Bedrock: { ${BEDROCK} }`,
      EKS,
      "the old token",
      "status 400 (AssumeRoleWithWebIdentity, InvalidIdentityToken)",
    ],
    [
      wrong(`assume_role: { arn: "${KNOWN.otherArn}", external_id: another }`),
      EKS,
      KNOWN.subject,
      "status 403 (AssumeRole, AccessDenied)",
    ],
    ["Azure: { resource: r }", AKS, "the-old-token", "status 401 (invalid_client, AADSTS700213)"],
    [
      "Azure: { resource: r, entra: { managed_identity: { client_id: other } } }",
      AZURE_VM,
      KNOWN.subject,
      "status 400 (invalid_request)",
    ],
    ["Azure: { resource: r }", AKS, "", "the token file has no token"],
  ])("with the cloud's own code: %s", async (fields, env, subject, words) => {
    writeFileSync(file, subject.replaceAll(" ", "-"));
    const { get } = start();
    const cause = await catchCause(get(readProvider(fields, env)?.credentials[0]?.proof));
    expect(cause).toEqual(["upstream_auth", `token: ${words}`]);
  });

  test("for an instance without a role", async () => {
    clouds.answer = (request) =>
      request.path.endsWith("/security-credentials/")
        ? { status: 404, body: "" }
        : (answer?.(request) ?? null);
    const { get } = start();
    const cause = await catchCause(get(readProvider(wrong("instance: true"), EC2)?.credentials[0]?.proof));
    expect(cause).toEqual(["upstream_auth", "token: the instance has no role"]);
  });
});

describe("a gateway in several clouds", () => {
  let gateway: UnderTest;
  beforeAll(async () => {
    time.now = Date.now;
    writeFileSync(file, KNOWN.subject);
    // No metadata service answers while the gateway starts.
    clouds.hold();
    const { AWS_ENDPOINT_URL_STS, ...web } = EKS;
    gateway = await startUnderTest({
      env: { ...web, ...EC2, ...AKS, ...AZURE_VM, ...GOOGLE, ...AGENT, AWS_ENDPOINT_URL_STS },
      more: (url) =>
        [
          `  Pod: { dialect: bedrock, ${BEDROCK}, base_url: "${url}/bedrock", unlisted_models: true, aws: { ${ASSUMED} } }`,
          `  Machine: { dialect: bedrock, ${BEDROCK}, base_url: "${url}/bedrock", unlisted_models: true, aws: { instance: true } }`,
          `  Task: { dialect: bedrock, ${BEDROCK}, base_url: "${url}/bedrock", unlisted_models: true, aws: { container: true } }`,
          `  Compute: { platform: vertex, project: p, base_url: "${url}/vertex", unlisted_models: true, service_account: metadata }`,
          `  Cluster: { platform: azure, base_url: "${url}/openai/v1", unlisted_models: true }`,
          `  Virtual: { platform: azure, base_url: "${url}/openai/v1", unlisted_models: true, entra: { managed_identity: true } }`,
          `  Broken: { platform: azure, base_url: "${url}/openai/v1", unlisted_models: true, entra: { managed_identity: { client_id: other } } }`,
        ].join("\n"),
    });
  });
  afterAll(() => gateway.stop());

  test("starts without asking who it is, and answers as each of its identities", async () => {
    expect(clouds.seen).toEqual([]);
    clouds.release();
    const messages = [{ role: "user", content: "say: hello" }];
    for (const model of [
      "Pod#amazon.nova-pro-v1:0",
      "Machine#amazon.nova-pro-v1:0",
      "Cluster#gpt-5.4",
      "Virtual#gpt-5.4",
    ]) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => gateway.chat({ model, messages })));
      expect([model, ...answers.map(({ status }) => status)]).toEqual([model, 200, 200, 200, 200]);
    }
    const proofs = gateway.simulator.calls.all().map(({ headers }) => String(headers.authorization));
    const names = new Set(
      proofs.map((one) => /Credential=ASIAOFTHETESTS\d+|^Bearer token-\d+$/.exec(one)?.[0]),
    );
    expect([names.size, names.has(undefined)]).toEqual([4, false]);
  });

  test("tells the operator why there is no identity, and the client nothing of it", async () => {
    const messages = [{ role: "user", content: "hi" }];
    const answer = await gateway.chat({ model: "Broken#gpt-5.4", messages });
    expect([answer.status, await answer.text()]).toEqual([
      502,
      expect.not.stringContaining("invalid_request"),
    ]);
    await until("the log", () => JSON.stringify(gateway.events).includes("status 400 (invalid_request)"));
  });
});

test("tokens that expire under load: no request meets one that has", async () => {
  time.now = Date.now;
  writeFileSync(file, KNOWN.subject);
  clouds.lifetimeMs = LIFETIME_MS;
  const endsAtMs = new Map<unknown, number>();
  const used = new Set<string>();
  clouds.answer = async (request) => {
    if (!request.path.startsWith("/provider")) {
      const said = await answer?.(request);
      endsAtMs.set(`Bearer ${asObject(said?.body).access_token}`, Date.now() + LIFETIME_MS);
      return said ?? null;
    }
    const { authorization } = request.headers;
    if ((endsAtMs.get(authorization) ?? 0) + ON_THE_WAY_MS < Date.now()) return { status: 401, body: {} };
    used.add(String(authorization));
    const message = { role: "assistant", content: "hello" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return { body: { id: "x", object: "chat.completion", created: 1, model: "m", choices } };
  };
  const gateway = await startUnderTest({
    env: AKS,
    more: () =>
      `  Short: { platform: azure, base_url: "${clouds.origin}/provider/v1", unlisted_models: true }`,
  });
  const statuses: number[] = [];
  const ask = { model: "Short#gpt-5.4", messages: [{ role: "user", content: "hi" }] };
  const client = async () => {
    while (Date.now() < untilMs) statuses.push((await gateway.chat(ask)).status);
  };
  const untilMs = Date.now() + 3 * LIFETIME_MS;
  await Promise.all([client(), client(), client()]);
  await gateway.stop();
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(used.size).toBeGreaterThan(1);
});
