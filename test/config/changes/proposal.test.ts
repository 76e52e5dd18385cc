// A change of the configuration that is checked without being applied: its errors, its place, and what isn't read.
import { describe, expect, test } from "bun:test";
import { checkProposal } from "../../../src/config/changes/proposal.ts";
import { formatError } from "../../../src/config/errors.ts";
import { buildSettings, placeIssues, readValues } from "../../../src/config/load.ts";
import { validateConfig } from "../../../src/config/validate.ts";
import { YamlText } from "../../../src/config/yaml.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { loadText, requireSettings } from "../../harness/settings.ts";

const FILE = `server:
  public_url: https://llm.example.com
quota:
  requests_per_day: 50
mcp:
  servers:
    docs: { url: https://docs.example.com/mcp, auth: { bearer: "\${DOCS}" } }
`;

function check(change: string, file: string | null = FILE) {
  const env = { DOCS: "the-token-of-the-docs" };
  const settings = requireSettings(loadText(file, { env, files: { "/agents.json": "{}" } }));
  const { errors, warnings } = checkProposal(change, {
    sections: settings.origin?.sections ?? {},
    known: PROVIDERS,
  });
  return { errors: errors.map(formatError), warnings: warnings.map(formatError) };
}

const RIGHT = { errors: [], warnings: [] };
const SIGN_IN = `sign_in:
  oidc:
    issuer: https://login.example.com
    client_id: poundkey
    client_secret: "\${NOT_SET}"
    rules: [{ group: staff, role: member }]
`;

describe("a change of the configuration", () => {
  test("is right if the file would be right with it", () => {
    expect(check("quota: { requests_per_day: 100 }")).toEqual(RIGHT);
    expect(check('mcp: { servers: { wiki: { url: "https://wiki.example.com/mcp" } } }')).toEqual(RIGHT);
    expect(check('providers: { Local: { base_url: "http://127.0.0.1:11434/v1" } }')).toEqual(RIGHT);
    expect(check("quota: { requests_per_day: 100 }", null)).toEqual(RIGHT);
  });

  test("is checked against the sections in use", () => {
    expect(check(SIGN_IN)).toEqual(RIGHT);
    expect(check(SIGN_IN, null).errors).toEqual([expect.stringContaining("needs server.public_url")]);
  });

  test("isn't told of what else the sections in use need", () => {
    const file = `${FILE}${SIGN_IN.replace(/"\$.*"/, "a-secret")}  agents: { managed_settings: { "*": /agents.json } }`;
    expect(check("sign_in: { oidc: { client_id: other } }", file)).toEqual(RIGHT);
  });

  test("has its errors at its own lines", () => {
    expect(check("quota:\n  requests_per_day: many\n  throttel: 10m\n").errors).toEqual([
      expect.stringMatching(/^:2:21: quota.requests_per_day: expected an integer/),
      expect.stringMatching(/^:3:3: quota.throttel: unknown field; did you mean throttle/),
    ]);
    expect(check("quota: [").errors).toEqual([expect.stringMatching(/^:1:\d+: /)]);
    expect(check("just words").errors).toEqual([expect.stringContaining("expected sections")]);
    expect(check("qouta: {}").errors).toEqual([expect.stringContaining("did you mean quota")]);
  });

  test("reads no variable and no file, and says what it can't check for that", () => {
    const { errors, warnings } = check(`webhooks: [{ url: "\${HOME}", secret: "\${file:/etc/passwd}" }]`);
    expect(errors).toEqual([]);
    expect(warnings).toEqual(
      ["url", "secret"].map((name) => expect.stringContaining(`webhooks[0].${name}: isn't checked until`)),
    );
    const unsigned = check(`webhooks: [{ url: "\${HOME}" }]`);
    expect(unsigned.errors).toEqual([expect.stringMatching(/^:1:\d+: webhooks\[0\]: needs a secret/)]);
    const number = check(`quota: { requests_per_day: "\${HOME}", throttle: soon }`);
    expect(number.errors).toEqual([expect.stringContaining("quota.throttle: expected")]);
    const file = check('catalogue: { file: "/etc/passwd" }');
    expect(file.errors).toEqual([]);
    expect(file.warnings).toEqual([expect.stringContaining("isn't read by this check")]);
  });

  test("shows neither a secret of its own nor one that is in use", () => {
    const secret = "sk-live-0123456789abcdef0123456789";
    const own = check(`providers: { OpenAI: { keys: ["${secret}", 7] } }`);
    expect(own.errors).toHaveLength(1);
    expect(own.warnings).toEqual([]);
    const used = check("mcp: { servers: { docs: { auth: { bearer: 7 } } } }");
    expect(used.errors).toHaveLength(1);
    expect(JSON.stringify([own, used])).not.toMatch(/sk-live|the-token-of/);
    const plain = check(`providers: { OpenAI: { keys: ["${secret}"] } }`);
    expect(plain.errors).toEqual([]);
    expect(plain.warnings).toEqual([expect.stringContaining("this secret is written in the file itself")]);
  });
});

describe("the origin of settings", () => {
  const placesOf = (text: string | null, overrides = {}) =>
    requireSettings(loadText(text, { env: { DOCS: "x" }, overrides })).origin?.fields.map(
      ({ path, line }) => `${path.join(".")} ${line}`,
    );

  test("has the line of each field, down to those of a server", () => {
    expect(placesOf(FILE)).toEqual([
      "server 1",
      "server.public_url 2",
      "quota 3",
      "quota.requests_per_day 4",
      "mcp 5",
      "mcp.servers 6",
      "mcp.servers.docs 7",
      "mcp.servers.docs.url 7",
      "mcp.servers.docs.auth 7",
    ]);
    expect(placesOf(null)).toBeUndefined();
  });

  test("says of a field that the command line sets it", () => {
    expect(placesOf("server:\n  port: 1\n", { port: 2 })).toEqual(["server.port null", "server 1"]);
  });

  test("leaves out models, and is bounded", () => {
    expect(placesOf('models: { "OpenAI#gpt-5.4": { disabled: true } }')).toEqual([]);
    const aliases = Array.from({ length: 2500 }, (_, at) => `  a${at}: OpenAI#gpt-5.4`).join("\n");
    expect(placesOf(`aliases:\n${aliases}`)).toHaveLength(2000);
  });
});

describe("many mistakes", () => {
  test("are compared with all models only as far as they are shown", () => {
    const bad = (write: (at: number) => string) =>
      Array.from({ length: 300 }, (_, at) => write(at)).join("\n");
    const text = `aliases:\n${bad((at) => `  a${at}: OpenAI#gpt-5.4x${at}`)}
models:\n${bad((at) => `  "OpenAI#gpt-5.3x${at}": { disabled: true }`)}
  "OpenAI#gpt-5.4": { fallbacks: [${Array.from({ length: 3 }, (_, at) => `"OpenAI#gpt-9.${at}"`).join(", ")}] }`;
    const yaml = new YamlText(text);
    const checked = validateConfig(readValues(yaml), new Map());
    if (!checked.ok) throw new Error("the schema refuses it");
    const variables = new Set<string>(PROVIDERS.flatMap(({ keyVariables }) => keyVariables));
    const env = (name: string) => (variables.has(name) ? "a-key" : undefined);
    const input = { text, file: "", known: PROVIDERS, overrides: {}, env, readFile: () => "" };
    const { issues } = buildSettings(checked.config, { ...input, resolved: [], sources: new Map() });
    let explained = 0;
    const counted = issues.map((issue) => {
      expect(issue.message).toBe("no model has this id");
      return { ...issue, explain: () => `${++explained} ${issue.explain?.()}` };
    });
    const shown = placeIssues(counted, yaml, "");
    expect([counted.length, shown.length, explained]).toEqual([603, 20, 20]);
    expect(shown[0]?.message).toStartWith("1 no model has this id; did you mean OpenAI#gpt-5.4");
  });
});
