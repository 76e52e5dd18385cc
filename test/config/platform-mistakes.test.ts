// Mistakes in the configuration of clouds: reported by file, line and field, or by variable, without their values.
import { describe, expect, test } from "bun:test";
import { formatError } from "../../src/config/errors.ts";
import { loadText } from "../harness/settings.ts";
import { type Env, LOGIN, load, SERVICE_ACCOUNT, WORKLOAD } from "./platform-files.ts";

describe("mistakes are reported with file, line and field", () => {
  const entra = "entra: { tenant: t, client_id: c, client_secret: s3cret-of-entra }";
  const account = (change: object) => JSON.stringify({ ...SERVICE_ACCOUNT, ...change });
  test.each([
    ["Azure: { keys: [k] }", "providers.Azure", "AZURE_OPENAI_ENDPOINT is not set"],
    ["Azure: { resource: r }", "providers.Azure", "AZURE_OPENAI_API_KEY is not set"],
    ["Azure: { resource: 'a/b', keys: [k] }", "providers.Azure.resource", "a resource name"],
    ["Azure: { resource: r, keys: [k], api: '2024' }", "providers.Azure.api", "a version like 2024-10-21"],
    [`Azure: { resource: r, keys: [k], ${entra} }`, "providers.Azure.entra", "can't be combined with keys"],
    ["Azure: { resource: r, entra: { tenant: t } }", "providers.Azure.entra", "has no client_id"],
    [
      "Azure: { resource: r, entra: { tenant: t, client_id: c } }",
      "providers.Azure.entra",
      "expected one of",
    ],
    [
      "Azure: { resource: r, entra: { managed_identity: true, client_secret: s3cret } }",
      "providers.Azure.entra.managed_identity",
      "combined with client_secret",
    ],
    [
      "Azure: { resource: r, entra: { managed_identity: true, tenant: t } }",
      "providers.Azure.entra.tenant",
      "no effect beside managed_identity",
    ],
    [
      "Bedrock: { aws: { web_identity: true } }",
      "providers.Bedrock.aws.web_identity",
      "AWS_WEB_IDENTITY_TOKEN_FILE is not set",
    ],
    ["Bedrock: { aws: { container: true } }", "providers.Bedrock.aws.container", "are not set"],
    ["Bedrock: { aws: { instance: true, container: true } }", "providers.Bedrock.aws", "all but one"],
    ["Bedrock: { aws: { access_key_id: s3cret } }", "providers.Bedrock.aws", "secret_access_key"],
    [
      "Bedrock: { aws: { assume_role: { arn: role } } }",
      "providers.Bedrock.aws.assume_role.arn",
      "a role's ARN",
    ],
    [
      "Vertex: { project: p, workload_identity: /login.json }",
      "providers.Vertex.workload_identity",
      "external_account",
    ],
    [
      "Vertex: { project: p, workload_identity: /none }",
      "providers.Vertex.workload_identity",
      "can't be read",
    ],
    [
      "Vertex: { project: p, service_account: metadata, workload_identity: /workload.json }",
      "providers.Vertex.workload_identity",
      "combined with service_account",
    ],
    [
      "Azure: { resource: r, entra: { tenant: 'a/b', client_id: c, client_secret: s } }",
      "providers.Azure.entra.tenant",
      "tenant",
    ],
    ["Azure: { resource: r, keys: [k], project: p }", "providers.Azure.project", "platform vertex"],
    ["Azure: { resource: r, keys: [k], dialect: openai }", "providers.Azure.dialect", "no effect"],
    ["OpenAI: { keys: [k], resource: r }", "providers.OpenAI.resource", "platform azure"],
    ["OpenAI: { keys: [k], platform: azure }", "providers.OpenAI.platform", "not on this platform"],
    [
      "OpenAI: { keys: [k], models: [{ name: m, deployment: d }] }",
      "providers.OpenAI.models[0].deployment",
      "no effect",
    ],
    ["Mine: { resource: r, keys: [k] }", "providers.Mine", "base_url"],
    ["Vertex: { project: p }", "providers.Vertex", "GOOGLE_APPLICATION_CREDENTIALS is not set"],
    ["Vertex: { project: P!, keys: [k] }", "providers.Vertex.project", "a project id"],
    ["Vertex: { project: p, location: 'us/x', keys: [k] }", "providers.Vertex.location", "a region"],
    ["Vertex: { location: eu, keys: [k] }", "providers.Vertex.location", "without a project"],
    ["Vertex: { project: p, service_account: /sa.json }", "providers.Vertex.service_account", "${file:"],
    [
      "Vertex: { keys: [k], service_account: metadata }",
      "providers.Vertex.service_account",
      "combined with keys",
    ],
    ["Vertex: { service_account: metadata }", "providers.Vertex", "GOOGLE_CLOUD_PROJECT is not set"],
    ["Vertex: { service_account: '{}' }", "providers.Vertex.service_account", "type must be one of"],
    ["Vertex: { service_account: '{x' }", "providers.Vertex.service_account", "key file"],
    ...[
      [account({ private_key: "s3cret-key" }), "private_key"],
      [account({ token_uri: "x" }), "token_uri"],
      [account({ client_email: 1 }), "client_email"],
      [
        JSON.stringify({ ...WORKLOAD, credential_source: { url: "http://169.254.169.254/" } }),
        "must name a file",
      ],
      [JSON.stringify({ ...LOGIN, refresh_token: "" }), "refresh_token"],
    ].map(([json, words = ""]) => {
      return [`Vertex: { service_account: '${json}' }`, "providers.Vertex.service_account", words] as const;
    }),
  ])("%s", (fields, field, words) => {
    const loaded = load(`# a line before\nproviders: { ${fields} }`);
    const errors = loaded.ok ? [] : loaded.errors;
    const found = errors.find((error) => error.field === field);
    expect([found?.line, found?.message]).toEqual([2, expect.stringContaining(words)]);
    expect(errors.map(formatError).join("\n")).not.toMatch(/s3cret|r3fresh|PRIVATE KEY|MII/);
  });

  test("errors name variables, and never quote the files they point to", () => {
    const wrong = (env: Env) => {
      const loaded = load(null, env);
      return loaded.ok ? [] : loaded.errors.map(formatError);
    };
    expect(wrong({ GOOGLE_APPLICATION_CREDENTIALS: "/none.json", GOOGLE_CLOUD_PROJECT: "p" })).toEqual([
      "environment: GOOGLE_APPLICATION_CREDENTIALS: the file that it names can't be read",
    ]);
    expect(wrong({ GOOGLE_APPLICATION_CREDENTIALS: "/key.pem", GOOGLE_CLOUD_PROJECT: "p" })).toEqual([
      "environment: GOOGLE_APPLICATION_CREDENTIALS: this is not a key file in JSON",
    ]);
    expect(wrong({ AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: "my-resource" })).toEqual([
      "environment: AZURE_OPENAI_ENDPOINT: expected a URL like https://my-resource.openai.azure.com",
    ]);
    const located = { GOOGLE_APPLICATION_CREDENTIALS: "/sa.json", GOOGLE_CLOUD_LOCATION: "evil.example/" };
    expect(wrong(located)).toEqual([
      "environment: GOOGLE_CLOUD_LOCATION: expected global, us, eu or a region like us-central1",
    ]);
  });
});

test("a variable whose value has quotes around it, as docker's --env-file keeps them, is refused", () => {
  const env = { OPENAI_API_KEY: '"sk-quoted"', OTHER: "'sk-too'" };
  for (const [text, name] of [
    ["providers: { OpenAI: {} }", "OPENAI_API_KEY"],
    [`providers: { Groq: { keys: ["$\{OTHER}"] } }`, "OTHER"],
  ] as const) {
    const loaded = loadText(text, { env });
    expect(loaded.ok ? [] : loaded.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${name} has quotes around its value`),
    ]);
  }
});
