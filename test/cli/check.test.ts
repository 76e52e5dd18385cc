// `poundkey check`: its output and exit codes.
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProbeResult } from "../../src/app/models/probe.ts";
import { probeIssuer } from "../../src/app/oidc/sign-in.ts";
import { readAccountNames } from "../../src/app/start/account-names.ts";
import { readStoreVersions } from "../../src/app/start/store-versions.ts";
import { COMMON_FLAGS, parseArguments } from "../../src/cli/arguments.ts";
import { type CheckPorts, runCheck } from "../../src/cli/start/check.ts";
import { readFrom } from "../harness/settings.ts";
import { writeEmptyStore } from "../suites/empty-store.ts";

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the store that others may read. */
  readonly exposed?: readonly string[];
  /** The time by which models end. */
  readonly nowMs?: number;
}

const UNSAID = { upstream_code: null, message: null, cause: null, address: null, upstream_request_id: null };
const ANSWERED: ProbeResult = {
  credential: "key 1",
  ok: true,
  status: 200,
  latency_ms: 12,
  model: "DeepSeek#deepseek-chat",
  error: null,
  ...UNSAID,
};
const REFUSED: ProbeResult = {
  credential: "key 1 (…abcd)",
  ok: false,
  status: 401,
  latency_ms: 3,
  model: null,
  error: "Refused.",
  ...UNSAID,
  upstream_code: "invalid_api_key",
  message: "Incorrect API key provided.",
};

/** Runs a command on the test's own files and variables, and returns what it printed. */
function terminal({ files = {}, env = {}, exposed = [], nowMs }: Given = {}) {
  const printed: { out: string[]; err: string[] } = { out: [], err: [] };
  const ports: CheckPorts = {
    env: (name) => env[name],
    readConfig: readFrom(files),
    readFile: readFrom(files),
    known: [
      { name: "DeepSeek", keyVariables: ["DEEPSEEK_API_KEY"], baseUrl: "https://api.deepseek.com" },
      { name: "Cerebras", keyVariables: ["CEREBRAS_API_KEY"], baseUrl: "https://api.cerebras.ai/v1" },
    ],
    probe: async ({ name }) => [name === "Cerebras" ? REFUSED : ANSWERED],
    probeIssuer: (rules) => probeIssuer(rules),
    accountNames: readAccountNames,
    exposedFiles: () => exposed,
    schema: readStoreVersions,
    version: async () => "1.1.0 (3f2c1a9b0d12)",
    ...(nowMs === undefined ? {} : { nowMs: () => nowMs }),
  };
  const io = { out: (text: string) => printed.out.push(text), err: (text: string) => printed.err.push(text) };
  const said = () => ({ out: printed.out.join("\n"), err: printed.err.join("\n") });
  return { ports, io, said };
}

async function check(args: readonly string[], given?: Given) {
  const { ports, io, said } = terminal(given);
  return { code: await runCheck(args, io, ports), ...said() };
}

const ONE = { DEEPSEEK_API_KEY: "a" };
const BOTH = { DEEPSEEK_API_KEY: "a", CEREBRAS_API_KEY: "b" };

describe("check", () => {
  test("having no file is a valid configuration", async () => {
    expect(await check([])).toEqual({
      code: 0,
      out: "environment: valid; 0 providers enabled, 0 models\nversion 1.1.0 (3f2c1a9b0d12)",
      err: "warning: environment: no provider is enabled; set a provider's key in the environment, such as OPENAI_API_KEY",
    });
    const one = await check([], { env: ONE });
    expect(one.out).toStartWith("environment: valid; 1 provider enabled, 3 models\n");
    expect([one.code, one.err]).toEqual([0, ""]);
  });

  test("a file with nothing in it is valid, and warned about like none", async () => {
    for (const text of ["", "# nothing yet\n"]) {
      const { code, out, err } = await check([], { files: { "poundkey.yaml": text } });
      expect([code, out.split("\n")[0]]).toEqual([0, "poundkey.yaml: valid; 0 providers enabled, 0 models"]);
      expect(err).toStartWith("warning: environment: no provider is enabled; set a provider's key");
    }
  });

  test("names that lead to a model which ends soon are warned about", async () => {
    const text = `providers: { DeepSeek: {} }\nmodels: { "DeepSeek#deepseek-v4-pro": { shutdown: 2027-03-31 } }
aliases: { pro: "DeepSeek#deepseek-v4-pro" }\n`;
    const warn = async (time: string) =>
      (await check([], { files: { "poundkey.yaml": text }, env: ONE, nowMs: Date.parse(time) })).err;
    expect(await warn("2027-02-01T00:00:00Z")).not.toContain("aliases.pro");
    expect(await warn("2027-03-02T00:00:00Z")).toContain(
      "aliases.pro: DeepSeek#deepseek-v4-pro ends: its last day is 2027-03-31",
    );
  });

  test("mistakes go to standard error, with exit code 1", async () => {
    const files = { "poundkey.yaml": "server: { port: x }\nlog: { kep: 1d }\n" };
    const { code, out, err } = await check([], { files });
    expect([code, out]).toEqual([1, ""]);
    expect(err.split("\n").map((line) => line.split(": ").slice(0, 2))).toEqual([
      ["poundkey.yaml:1:17", "server.port"],
      ["poundkey.yaml:2:8", "log.kep"],
    ]);
  });

  test("as JSON", async () => {
    const files = { "a.yaml": "server: { port: x }\n" };
    const { code, out } = await check(["--json", "--config", "a.yaml"], { files });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      file: "a.yaml",
      errors: [{ file: "a.yaml", line: 1, column: 17, field: "server.port" }],
    });
  });

  test("warns on standard error, with the place, about settings that are valid but probably unintended", async () => {
    const text =
      "providers:\n  DeepSeek: { keys: [a] }\n  Cerebras:\n    keys: [b]\n    unlisted_models: true\n";
    const files = { "poundkey.yaml": text };
    const { code, out, err } = await check([], { files });
    expect([code, out.split("\n")[0]]).toEqual([0, "poundkey.yaml: valid; 2 providers enabled, 6 models"]);
    expect(err).toBe(
      "warning: poundkey.yaml:5:22: providers.Cerebras.unlisted_models: names that are not in the catalogue have no price, " +
        'and share one label in the metrics: model="Cerebras#(unlisted)"',
    );
    const { warnings, ok } = JSON.parse((await check(["--json"], { files })).out);
    expect([ok, warnings]).toEqual([
      true,
      [expect.objectContaining({ line: 5, field: "providers.Cerebras.unlisted_models" })],
    ]);
    const plain = JSON.parse(
      (await check(["--json"], { files: { "poundkey.yaml": "log: {}" }, env: ONE })).out,
    );
    expect(plain.warnings).toEqual([]);
  });

  const SECRET = "a-secret-of-sixteen-or-more";
  const warned = async (text: string) =>
    (await check([], { files: { "poundkey.yaml": text }, env: { ...ONE, TOKEN: SECRET } })).err
      .split("\n")
      .filter((line) => line !== "");

  test.each([
    ["quota: { free: { budget_usd_per_day: null } }", /over 100,000 USD a day/],
    [
      "quota: { free: { budget_usd_per_day: null, models: [DeepSeek#*] } }",
      /nothing limits .* quota\.free\.models/,
    ],
    ["server: { host: 0.0.0.0 }", /server\.host: everyone .* \/metrics; set metrics\.token/],
    ['server: { host: "::" }\nmetrics: { token: null }', /set metrics\.token/],
    ["providers: {}", /providers: no provider is enabled; .* OPENAI_API_KEY/],
    [
      `server: { admin_token: ${SECRET} }`,
      /server\.admin_token: this secret is written in the file .* \$\{NAME\}/,
    ],
    [
      `providers: { DeepSeek: { keys: [a, ${SECRET}] } }`,
      /providers\.DeepSeek\.keys\[1\]: this secret is written/,
    ],
    [
      `providers: { DeepSeek: { keys: [{ key: ${SECRET} }] } }`,
      /DeepSeek\.keys\[0\]\.key: this secret is written/,
    ],
    ['store: "postgres://me:password@host/db"', /store: this secret is written/],
    [
      'store: "postgres://me@host/db?max=3&sslmode=require&Keepalives=1"',
      /store: max, Keepalives in the address have no effect, .* target_session_attrs, sslmode/,
    ],
    [
      "responses: { compact_model: DeepSeek#nothing }",
      /responses\.compact_model: has no effect: DeepSeek has no model 'DeepSeek#nothing' here/,
    ],
    [
      "responses: { sockets: { per_key: 200 } }",
      /sockets\.per_key: per_key has no effect: it is above per_account, which is met first/,
    ],
    [
      "responses: { sockets: { memory: 1MB } }",
      /sockets\.memory: bytes_per_account has no effect: .* memory/,
    ],
    [
      "{ server: { body_limit: 1MB }, responses: { sockets: { frame: 2MB } } }",
      /sockets\.frame: has no effect above server\.body_limit/,
    ],
    ["responses: { sockets: { all: 2000 } }", /sockets\.all: all × frame is above 4 × server\.body_memory/],
    [
      "models: { DeepSeek#deepseek-v4-pro: { fallbacks: [Sim#sim-mini, Groq#openai/gpt-oss-120b] } }",
      /fallbacks\[1\]: has no effect: Groq is not an enabled provider/,
    ],
    [
      "{ quota: { requests_per_day: null }, server: { host: 0.0.0.0 }, metrics: { token: x } }",
      /quota\.requests_per_day: keys have no limit/,
    ],
    [
      "{ quota: { requests_per_day: null }, server: { host: 0.0.0.0 }, metrics: { token: x }, key_defaults: { budgets: [{ usd: 5, per: day, hard: false }] } }",
      /quota\.requests_per_day: keys have no limit/,
    ],
  ])("warns about %p", async (text, expected) => {
    const lines = await warned(text);
    expect(lines).toEqual([expect.stringMatching(expected)]);
    expect(lines[0]).toStartWith("warning: poundkey.yaml:1:");
    expect(lines[0]).not.toContain(SECRET);
  });

  test.each([
    "quota: { free: { budget_usd_per_day: 5 } }",
    "quota: { free: { budget_usd_per_day: null } }\nbilling: { charge: always }",
    "quota: { free: { budget_usd_per_day: null }, requests_per_day: 0, throttle: 0s }",
    "server: { host: 0.0.0.0 }\nmetrics: { token: scraper }",
    "server: { host: 127.0.0.2 }",
    `server: { admin_token: "\${TOKEN}" }\nproviders: { DeepSeek: { keys: ["\${TOKEN}"] } }`,
    "providers: { DeepSeek: { keys: [ollama] } }",
    'store: "postgres://me@host/db"',
    'store: "postgres://me@a:5432,b/db?target_session_attrs=read-write&search_path=app"',
    "quota: { requests_per_day: null }",
    "{ quota: { requests_per_day: null }, server: { host: 0.0.0.0 }, metrics: { token: x }, billing: { charge: always } }",
    "{ quota: { requests_per_day: null }, server: { host: 0.0.0.0 }, metrics: { token: x }, key_defaults: { budgets: [{ usd: 5, per: day }] } }",
    "server: { host: localhost }",
    'server: { host: "::1" }',
  ])("doesn't warn about %p", async (text) => {
    expect(await warned(text)).toEqual([]);
  });

  test("warns if others can read the store's files", async () => {
    const { code, err } = await check([], { exposed: ["/data/poundkey.db"], env: ONE });
    expect(code).toBe(0);
    expect(err).toBe(
      "warning: /data/poundkey.db: other users of this machine can read or write it; run chmod 600 on it",
    );
    const { warnings } = JSON.parse(
      (await check(["--json"], { exposed: ["/data/master.key"], env: ONE })).out,
    );
    expect(warnings).toMatchObject([{ file: "/data/master.key" }]);
  });

  test("a named file must exist", async () => {
    const { code, err } = await check(["--config=none.yaml"]);
    expect([code, err]).toEqual([1, "none.yaml: there is no such file"]);
  });

  test("--probe names each credential with its status, and fails if one fails", async () => {
    const well = await check(["--probe"], { env: { DEEPSEEK_API_KEY: "a" } });
    expect([well.code, well.out.split("\n")[1]]).toEqual([
      0,
      "DeepSeek: key 1: 200: DeepSeek#deepseek-chat answered in 12 ms",
    ]);
    const ill = await check(["--probe"], { env: BOTH });
    expect([ill.code, ill.err]).toEqual([
      1,
      'Cerebras: key 1 (…abcd): 401: failed: Refused. (invalid_api_key, "Incorrect API key provided.")',
    ]);
    const printed = await check(["--probe", "--json"], { env: BOTH });
    expect([printed.code, JSON.parse(printed.out)]).toMatchObject([1, { ok: false, errors: [] }]);
  });

  test("a store that can't be read is a warning in the database's words", async () => {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-check-"));
    const file = join(folder, "poundkey.db");
    writeFileSync(file, "no database, but long enough to look like one ".repeat(200));
    const flags = ["--store", `sqlite:${file}`];
    const { code, out, err } = await check(flags, { env: ONE });
    expect([code, out]).toEqual([0, expect.stringMatching(/\nversion 1\.1\.0 \(3f2c1a9b0d12\)$/)]);
    expect(err).toStartWith(
      `warning: ${file}: the store can't be read, so its version isn't known: the file is damaged (file is not a database);`,
    );
    const { schema, warnings } = JSON.parse((await check([...flags, "--json"], { env: ONE })).out);
    expect([schema, warnings.length]).toEqual([null, 1]);
    writeEmptyStore(`${file}.sound`);
    const sound = await check(["--store", `sqlite:${file}.sound`], { env: ONE });
    expect([sound.err, sound.out]).toEqual(["", expect.stringMatching(/the store has \d+, and supports/)]);
    rmSync(folder, { recursive: true });
  });

  test("--schema prints JSON Schema", async () => {
    const { code, out } = await check(["--schema"]);
    expect([code, JSON.parse(out).title]).toEqual([0, "Poundkey"]);
  });

  test("wrong usage gives exit code 2 and a suggestion", async () => {
    expect(await check(["--prob"])).toMatchObject({ code: 2, out: "" });
    expect((await check(["--prob"])).err).toContain("did you mean --probe?");
    expect((await check(["a.yaml", "b.yaml"])).err).toContain('unexpected argument "b.yaml"');
    expect((await check(["--help"])).out).toContain("--schema");
  });
});

test("flags", () => {
  const flags = { ...COMMON_FLAGS, port: "value" } as const;
  const wrong: readonly [string[], string][] = [
    [["--prt", "1"], "did you mean --port?"],
    [["-p", "1"], "unknown flag -p"],
    [["--port"], "--port needs a value"],
    [["--port="], "--port needs a value"],
    [["--json=1"], "--json takes no value"],
    [["--port", "1", "--port=2"], "appears twice"],
    [["a", "b"], 'unexpected argument "b"'],
    [["--constructor"], "unknown flag"],
  ];
  for (const [args, says] of wrong) expect(() => parseArguments(args, flags, 1)).toThrow(says);
  const right = parseArguments(["--port=8", "word", "--json", "--", "--x"], flags, 2);
  expect([[...right.values], [...right.switches], right.words]).toEqual([
    [["port", "8"]],
    ["json"],
    ["word", "--x"],
  ]);
});
