// Bedrock in the configuration: its region, the keys that sign its calls, and refused settings.
import { describe, expect, test } from "bun:test";
import { buildCatalogue } from "../../src/catalogue/catalogue.ts";
import { formatError } from "../../src/config/errors.ts";
import type { AwsProof } from "../../src/core/models/token-source.ts";
import type { Credential, ProviderSetup } from "../../src/core/settings.ts";
import { loadText, readSettings } from "../harness/settings.ts";

type Variables = Readonly<Record<string, string>>;

/** The enabled providers. */
function setupsOf(text: string | null, env: Variables = {}): readonly ProviderSetup[] {
  return readSettings(text, env).providers;
}

function setupOf(fields: string, env: Variables = {}): ProviderSetup {
  const [setup] = setupsOf(`providers: { ${fields} }`, env);
  if (!setup) throw new Error("no provider");
  return setup;
}

function errorsOf(fields: string, env: Variables = {}): readonly string[] {
  const loaded = loadText(`providers: { ${fields} }`, { env });
  return loaded.ok ? [] : loaded.errors.map(formatError);
}

const AWS = '{ access_key_id: "AKID", secret_access_key: "secret" }';
const KEYS = { AWS_ACCESS_KEY_ID: "AKENV", AWS_SECRET_ACCESS_KEY: "env-secret" };
const proof = (more: Partial<AwsProof>): Credential => ({
  secret: null,
  proof: {
    kind: "aws",
    accessKeyId: "AKID",
    secretAccessKey: "secret",
    sessionToken: null,
    region: "us-east-1",
    ...more,
  },
  weight: 1,
});
const ofEnvironment = { accessKeyId: "AKENV", secretAccessKey: "env-secret" };

describe("Bedrock's keys", () => {
  test("of an account sign each call, with the session token if there is one", () => {
    const setup = setupOf(`Bedrock: { region: eu-west-1, aws: ${AWS} }`);
    expect([setup.baseUrl, setup.dialect, setup.credentials]).toEqual([
      "https://bedrock-runtime.eu-west-1.amazonaws.com",
      null,
      [proof({ region: "eu-west-1" })],
    ]);
    const temporary = AWS.replace(" }", ', session_token: "token" }');
    expect(setupOf(`Bedrock: { aws: ${temporary} }`).credentials).toEqual([proof({ sessionToken: "token" })]);
  });

  test("may be Bedrock API keys, which are sent as they are", () => {
    const { credentials } = setupOf('Bedrock: { keys: ["ABSK1", { key: "ABSK2", weight: 2 }] }', KEYS);
    expect(credentials).toEqual([
      { secret: "ABSK1", weight: 1 },
      { secret: "ABSK2", weight: 2 },
    ]);
  });

  test("come from the environment if none are configured, the bearer key first", () => {
    const bearer = { ...KEYS, AWS_BEARER_TOKEN_BEDROCK: "ABSK" };
    expect(setupOf("Bedrock: {}", bearer).credentials).toEqual([{ secret: "ABSK", weight: 1 }]);
    const session = { ...KEYS, AWS_SESSION_TOKEN: "t", AWS_REGION: "ap-southeast-2" };
    expect(setupOf("Bedrock: {}", session).credentials).toEqual([
      proof({ ...ofEnvironment, sessionToken: "t", region: "ap-southeast-2" }),
    ]);
    expect(errorsOf("Bedrock: {}", { AWS_ACCESS_KEY_ID: "AKENV" })).toEqual([
      expect.stringContaining("AWS_SECRET_ACCESS_KEY: is not set"),
    ]);
  });

  test("in the environment enable Bedrock without configuration", () => {
    const names = (env: Variables) => setupsOf(null, env).map(({ name }) => name);
    expect(names(KEYS)).toEqual(["Bedrock"]);
    expect(names({ AWS_BEARER_TOKEN_BEDROCK: "ABSK" })).toEqual(["Bedrock"]);
    expect(names({ AWS_ACCESS_KEY_ID: "AKENV" })).toEqual([]);
    expect(names({ AWS_REGION: "us-east-1" })).toEqual([]);
  });
});

test("a guardrail is identified by its id or ARN, and a version", () => {
  for (const id of ["gr1", "arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:guardrail/gr1"]) {
    const setup = setupOf(`Bedrock: { aws: ${AWS}, guardrail: { id: "${id}", version: "12" } }`);
    expect(setup.guardrail).toEqual({ id, version: "12" });
  }
});

describe("a container's credential agent", () => {
  const FULL = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
  const RELATIVE = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
  const TOKEN = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
  const findAgent = (env: Variables) => setupOf("Bedrock: { region: eu-west-1 }", env).credentials[0]?.proof;
  const agent = { kind: "aws_container", authorization: null, region: "eu-west-1" };

  test.each([
    "https://agent.example/keys?a=1",
    "http://127.0.0.1:8080/keys",
    "http://127.255.0.9/keys",
    "http://localhost/keys",
    "http://[::1]:81/keys",
    "http://169.254.170.2/keys",
    "http://169.254.170.23/v1/credentials",
    "http://[fd00:ec2::23]/v1/credentials",
  ])("may be at %s", (url) => {
    expect<unknown>(findAgent({ [FULL]: url })).toEqual({ ...agent, url });
  });

  test("on ECS is at its relative path, which takes precedence over a full address", () => {
    const env = { [RELATIVE]: "/v2/credentials/1?a=b", [FULL]: "https://other.example/" };
    const url = "http://169.254.170.2/v2/credentials/1?a=b";
    expect<unknown>(findAgent(env)).toEqual({ ...agent, url });
  });

  test("receives a token, preferably from a file", () => {
    const url = "http://169.254.170.23/v1/credentials";
    const env = { [FULL]: url, [TOKEN]: "Basic abcd" };
    expect<unknown>(findAgent(env)).toEqual({ ...agent, url, authorization: { value: "Basic abcd" } });
    expect<unknown>(findAgent({ ...env, [`${TOKEN}_FILE`]: "/run/token" })).toEqual({
      ...agent,
      url,
      authorization: { file: "/run/token" },
    });
  });

  test("is not called if there are keys, and does not enable Bedrock by itself", () => {
    const env = { [FULL]: "https://agent.example/" };
    expect(findAgent({ ...env, ...KEYS })).toMatchObject({ kind: "aws", accessKeyId: "AKENV" });
    expect(findAgent({ ...env, AWS_BEARER_TOKEN_BEDROCK: "ABSK" })).toBeUndefined();
    expect(setupOf(`Bedrock: { aws: ${AWS} }`, env).credentials).toEqual([proof({})]);
    expect(setupsOf(null, env)).toEqual([]);
  });

  test.each([
    [FULL, "http://agent.example/keys"],
    [FULL, "http://169.254.169.254/latest/meta-data"],
    [FULL, "http://10.0.0.1/"],
    [FULL, "http://127.0.0.1.evil.example/"],
    [FULL, "http://127.0.0.1@evil.example/"],
    [FULL, "https://user:word@agent.example/"],
    [FULL, "file:///etc/passwd"],
    [FULL, "keys"],
    [RELATIVE, "@evil.example/"],
    [RELATIVE, "keys"],
    [TOKEN, "a\nb"],
  ])("is refused with the variable's name: %s=%j", (name, value) => {
    const rest: Variables = name === TOKEN ? { [FULL]: "https://agent.example/" } : {};
    const [error, ...more] = errorsOf("Bedrock: {}", { ...rest, [name]: value });
    expect([error?.includes(name), more]).toEqual([true, []]);
    expect(error).not.toContain("evil");
  });
});

describe("the region", () => {
  const addressOf = (fields: string, env: Variables = {}) => {
    const { baseUrl, credentials } = setupOf(`Bedrock: { ${fields}, aws: ${AWS} }`, env);
    const [credential] = credentials;
    const { proof: found } = credential ?? {};
    return [baseUrl, found?.kind === "aws" ? found.region : null];
  };

  test("determines the address in each AWS partition", () => {
    expect(addressOf("region: cn-north-1")[0]).toBe("https://bedrock-runtime.cn-north-1.amazonaws.com.cn");
    expect(addressOf("region: eusc-de-east-1")[0]).toBe(
      "https://bedrock-runtime.eusc-de-east-1.amazonaws.eu",
    );
    expect(addressOf("region: us-gov-west-1")[0]).toBe("https://bedrock-runtime.us-gov-west-1.amazonaws.com");
  });

  test("comes from the configuration, the address, the environment or the default, in this order", () => {
    const env = { AWS_DEFAULT_REGION: "us-west-2" };
    const fips = 'base_url: "https://bedrock-runtime-fips.us-east-2.amazonaws.com"';
    expect(addressOf("region: eu-west-1", env)[1]).toBe("eu-west-1");
    expect(addressOf(fips, env)).toEqual([
      "https://bedrock-runtime-fips.us-east-2.amazonaws.com",
      "us-east-2",
    ]);
    expect(addressOf('base_url: "http://127.0.0.1:9", region: eu-west-1')).toEqual([
      "http://127.0.0.1:9",
      "eu-west-1",
    ]);
    expect(addressOf("headers: {}", env)[1]).toBe("us-west-2");
    expect(addressOf("headers: {}", { ...env, AWS_REGION: "us-east-2" })[1]).toBe("us-east-2");
    expect(addressOf("headers: {}")[1]).toBe("us-east-1");
  });
});

test.each(["platform: bedrock", "dialect: bedrock"])(
  "a second region is another provider with %s, with all of Bedrock's dialects",
  (kind) => {
    const arn = "arn:aws:bedrock:us-west-2:1:x/y";
    const models = `[{ name: "${arn}", like: "Bedrock#us.anthropic.claude-sonnet-5" }]`;
    const fields = `West: { ${kind}, region: us-west-2, aws: ${AWS}, models: ${models} }`;
    const setup = setupOf(fields, KEYS);
    expect([setup.baseUrl, setup.platform, setup.dialect, setup.credentials]).toEqual([
      "https://bedrock-runtime.us-west-2.amazonaws.com",
      "bedrock",
      null,
      [proof({ region: "us-west-2" })],
    ]);
    const loaded = loadText(`providers: { ${fields} }`);
    const [card] = loaded.ok ? loaded.settings.operatorModels : [];
    expect([card?.id, card?.name, card?.deployment, card?.dialects, card?.price?.input]).toEqual([
      `West#${arn}`,
      "us.anthropic.claude-sonnet-5",
      arn,
      ["anthropic"],
      2.2,
    ]);
  },
);

test.each([
  ["us-west-2", ["eu.", "jp.", "au.", "apac."]],
  ["eu-central-1", ["us.", "jp.", "au.", "apac."]],
  ["ap-northeast-1", ["us.", "eu.", "au."]],
  ["ap-southeast-2", ["us.", "eu.", "jp."]],
  ["sa-east-1", []],
])("inference profiles of regions other than %s are not listed but can be named", (region, prefixes) => {
  const setup = setupOf(`Bedrock: { region: ${region}, aws: ${AWS} }`);
  expect(setup.unlistedPrefixes).toEqual(prefixes);
  const input = { overlay: [], operatorModels: [], aliases: {} };
  const catalogue = buildCatalogue({ ...input, providers: [setup] });
  const listed = catalogue.list().map(({ name }) => name);
  expect(listed.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))).toEqual([]);
  expect(listed).toContain("global.anthropic.claude-sonnet-5");
  expect(catalogue.resolve("Bedrock#eu.anthropic.claude-sonnet-5").kind).toBe("card");
});

describe("mistakes are refused, naming the field", () => {
  const rows: readonly (readonly [string, string, Variables?])[] = [
    [`OpenAI: { keys: ["k"], aws: ${AWS} }`, "providers.OpenAI.aws: has no effect"],
    ['Local: { base_url: "http://a.example", region: us-east-1 }', "providers.Local.region: has no effect"],
    [`Bedrock: { aws: ${AWS}, keys: ["k"] }`, "providers.Bedrock.aws: can't be combined with keys"],
    [`Bedrock: { dialect: openai, aws: ${AWS} }`, "providers.Bedrock.dialect: has no effect"],
    [`Bedrock: { region: moon, aws: ${AWS} }`, "region"],
    [`Bedrock: { region: "us-east-1.evil.example", aws: ${AWS} }`, "region"],
    ['Bedrock: { aws: { access_key_id: "AKID" } }', "secret_access_key"],
    ['Bedrock: { aws: { access_key_id: "A K", secret_access_key: "s" } }', "access_key_id"],
    [`Bedrock: { aws: ${AWS.replace(" }", ", role: x }")} }`, "role"],
    [`Bedrock: { aws: ${AWS} }`, "expected a region", { AWS_REGION: "a/b" }],
    [`Bedrock: { aws: ${AWS}, guardrail: { id: "A b", version: "1" } }`, "guardrail.id"],
    [`Bedrock: { aws: ${AWS}, guardrail: { id: abc, version: v1 } }`, "guardrail.version"],
    [`Bedrock: { aws: ${AWS}, guardrail: { id: abc } }`, "version"],
    ['Local: { base_url: "http://a.example", guardrail: { id: abc, version: "1" } }', "has no effect"],
    ["Bedrock: {}", "printable", { ...KEYS, AWS_SECRET_ACCESS_KEY: "a b" }],
  ];
  test.each(rows)("%s", (fields, message, env = {}) => {
    expect(errorsOf(fields, env)).toEqual([expect.stringContaining(message)]);
    expect(errorsOf(fields, env).join()).not.toContain("env-secret");
  });
});
