// The settings that `poundkey setup` writes for each agent, the states that it ends in, and its exit codes.
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, statSync, symlinkSync } from "node:fs";
import { asObject } from "../../../src/core/json/json.ts";
import { AGENT_SETUPS } from "../../../src/docs/site/client-setups.ts";
import {
  ALL,
  KEY,
  listStates,
  makeGateway,
  makeHome,
  nameAgents,
  OWN_FILES,
  readAgents,
  runSetup,
  URL,
} from "./setup-world.ts";

const KEY_FILE = ".config/poundkey/keys/127.0.0.1_8080";

/** The text of each file that is made in an empty home. */
const WRITTEN: Readonly<Record<string, (home: string) => unknown>> = {
  ".claude/settings.json": (home) => ({
    apiKeyHelper: `cat ${home}/${KEY_FILE}`,
    env: {
      ANTHROPIC_BASE_URL: URL,
      ANTHROPIC_MODEL: "Router#best",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "Router#light",
      CLAUDE_CODE_API_KEY_HELPER_TTL_MS: "600000",
    },
  }),
  ".codex/config.toml": (home) => ({
    model: "Router#best",
    model_provider: "poundkey",
    model_providers: {
      poundkey: {
        name: "Poundkey",
        base_url: `${URL}/v1`,
        wire_api: "responses",
        auth: { command: "cat", args: [`${home}/${KEY_FILE}`], refresh_interval_ms: 600_000 },
      },
    },
  }),
  ".config/opencode/opencode.json": (home) => ({
    $schema: "https://opencode.ai/config.json",
    provider: {
      poundkey: {
        npm: "@ai-sdk/openai-compatible",
        name: "Poundkey",
        options: { baseURL: `${URL}/v1`, apiKey: `{file:${home}/${KEY_FILE}}` },
        models: { "Router/best": {}, "Router/light": {} },
      },
    },
    model: "poundkey/Router/best",
    small_model: "poundkey/Router/light",
  }),
  ".gemini/settings.json": () => ({ security: { auth: { selectedType: "gemini-api-key" } } }),
  ".qwen/settings.json": () => ({
    security: { auth: { selectedType: "openai" } },
    model: { name: "Router#best" },
    modelProviders: {
      openai: [{ id: "Router#best", name: "Poundkey", baseUrl: `${URL}/v1`, envKey: "POUNDKEY_KEY" }],
    },
    env: { POUNDKEY_KEY: KEY },
  }),
  ".continue/config.yaml": () => ({
    name: "Poundkey",
    version: "1.0.0",
    schema: "v1",
    models: [
      {
        name: "Poundkey",
        provider: "openai",
        model: "Router#best",
        apiBase: `${URL}/v1`,
        apiKey: KEY,
        roles: ["chat", "edit", "apply"],
      },
    ],
  }),
  ".aider.conf.yml": () => ({
    "openai-api-base": `${URL}/v1`,
    "openai-api-key": KEY,
    model: "openai/Router#best",
    "weak-model": "openai/Router#light",
  }),
  ".config/zed/settings.json": () => ({
    language_models: {
      openai_compatible: {
        Poundkey: { api_url: `${URL}/v1`, available_models: [{ name: "Router#best", max_tokens: 200_000 }] },
      },
    },
  }),
};

const READERS: readonly (readonly [end: string, read: (text: string) => unknown])[] = [
  [".json", Bun.JSONC.parse],
  [".toml", Bun.TOML.parse],
  [".yaml", Bun.YAML.parse],
  [".yml", Bun.YAML.parse],
];
const readFile = (path: string, text: string) => READERS.find(([end]) => path.endsWith(end))?.[1](text);

test("in an empty home each agent gets its fields, in files that only the user reads", async () => {
  using home = makeHome();
  const ran = await runSetup({ home }, URL, ...nameAgents([...ALL, "cursor"]), "--yes", "--json");
  expect([ran.code, ran.err]).toEqual([3, ""]);
  const waits = new Set(["zed", "cursor"]);
  expect(listStates(ran)).toEqual(
    AGENT_SETUPS.map(({ name }) => `${name}: ${waits.has(name) ? "needs_person" : "connected"}`),
  );
  for (const [path, write] of Object.entries(WRITTEN)) {
    expect([path, readFile(path, home.read(path) ?? "")]).toEqual([path, write(home.path)]);
    expect([path, statSync(home.at(path)).mode & 0o777]).toEqual([path, 0o600]);
  }
  expect(home.read(".gemini/.env")).toBe(`GOOGLE_GEMINI_BASE_URL=${URL}\nGEMINI_API_KEY=${KEY}\n`);
  expect(
    asObject(asObject(JSON.parse(home.read(".cline/data/settings/providers.json") ?? "")).providers),
  ).toMatchObject({
    "openai-compatible": { settings: { provider: "openai-compatible", apiKey: KEY, model: "Router#best" } },
  });
  expect([home.read(KEY_FILE), statSync(home.at(KEY_FILE)).mode & 0o777]).toEqual([`${KEY}\n`, 0o600]);
  for (const folder of ["", "keys"])
    expect(statSync(home.at(".config/poundkey", folder)).mode & 0o777).toBe(0o700);
});

test("a second run changes no byte, and --undo brings back every byte, mode and folder", async () => {
  using home = makeHome();
  for (const [path, text] of Object.entries(OWN_FILES)) home.write(path, text);
  chmodSync(home.at(".aider.conf.yml"), 0o640);
  const before = home.list();
  const words = [URL, ...nameAgents(ALL), "--tools", "--yes", "--json"];
  expect((await runSetup({ home }, ...words)).code).toBe(3);
  const written = home.list();
  const journal = home.read(".config/poundkey/setup.json");
  const again = await runSetup({ home }, ...words);
  expect(listStates(again).filter((line) => !/: (already|needs_person)$/.test(line))).toEqual([]);
  expect([home.list(), home.read(".config/poundkey/setup.json")]).toEqual([written, journal]);
  const undone = await runSetup({ home }, "--undo", "--json");
  expect([undone.code, undone.err]).toEqual([0, ""]);
  expect(home.list()).toEqual(before);
  for (const name of ["setup.json", "keys", "backups"])
    expect(home.read(`.config/poundkey/${name}`)).toBeNull();
  expect(statSync(home.at(".aider.conf.yml")).mode & 0o777).toBe(0o640);
  expect(() => statSync(home.at(".cline"))).toThrow();
});

test("no key is printed, and none stands in the journal", async () => {
  using home = makeHome();
  for (const [path, text] of Object.entries(OWN_FILES)) home.write(path, text);
  const words = [URL, ...nameAgents([...ALL, "cursor"]), "--tools"];
  const printed = [
    await runSetup({ home }, ...words, "--dry-run"),
    await runSetup({ home, answer: true, isTerminal: true }, ...words),
    await runSetup({ home }, ...words, "--yes", "--json"),
    await runSetup({ home }, "--undo", "--dry-run"),
  ].flatMap(({ out, err }) => [out, err]);
  const told = [...printed, home.read(".config/poundkey/setup.json") ?? ""].join("\n");
  expect(told).not.toContain(KEY);
  expect(told).not.toContain("sk-ant-of-before");
  expect(printed.join("\n")).toContain("sk-…KLMN");
  expect(printed.join("\n")).toContain("sk-…1234");
});

test("without a terminal nothing is written but with --yes, and a person is asked", async () => {
  using home = makeHome();
  const words = [URL, "--agent", "aider"];
  const refused = await runSetup({ home }, ...words);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("--yes")]);
  expect(refused.err).toContain("openai-api-base");
  expect((await runSetup({ home, isTerminal: true, answer: false }, ...words)).code).toBe(1);
  expect((await runSetup({ home }, ...words, "--dry-run")).code).toBe(0);
  expect(home.list()).toEqual({});
  expect(() => statSync(home.at(".config"))).toThrow();
  expect((await runSetup({ home, isTerminal: true }, ...words)).code).toBe(0);
  expect(home.read(".aider.conf.yml")).toContain(KEY);
});

test("agents are found by their program or their folder, also one that a variable names", async () => {
  using home = makeHome();
  const none = await runSetup({ home }, URL, "--yes");
  expect([none.code, none.err]).toEqual([1, expect.stringContaining("no agent was found")]);
  home.write("bin/qwen", "#!/bin/sh\n", 0o755);
  home.write("bin/aider", "not a program");
  mkdirSync(home.at("moved/codex"), { recursive: true });
  mkdirSync(home.at(".claude"));
  const env = {
    PATH: `${home.at("bin")}`,
    CODEX_HOME: home.at("moved/codex"),
    CLAUDE_CONFIG_DIR: home.at("moved/claude"),
  };
  const ran = await runSetup({ home, env }, URL, "--yes", "--json");
  expect(listStates(ran)).toEqual(["codex: connected", "qwen-code: connected"]);
  expect(home.read("moved/codex/config.toml")).toContain("poundkey");
});

test("variables that count before are named, and so are a project's settings", async () => {
  using home = makeHome();
  const env = { ANTHROPIC_API_KEY: "sk-ant-own", GEMINI_API_KEY: "own" };
  const ran = await runSetup(
    { home, env },
    URL,
    ...nameAgents(["claude-code", "gemini-cli"]),
    "--yes",
    "--json",
  );
  const [claude, gemini] = readAgents(ran);
  expect(claude?.words).toBe(
    "ANTHROPIC_API_KEY in your environment counts before this: unset it. A project's own settings (.claude/settings.json) count first.",
  );
  expect(gemini?.words).toContain("GEMINI_API_KEY in your environment counts before this");
  expect(ran.out).not.toContain("sk-ant-own");
});

test("Gemini CLI waits for the operator where its model is no alias", async () => {
  using home = makeHome();
  const { fetch, asked } = makeGateway(["Sim#sim-mini"], false);
  const ran = await runSetup(
    { home, fetch },
    URL,
    "--agent",
    "gemini-cli",
    "--agent",
    "aider",
    "--yes",
    "--json",
  );
  expect([ran.code, ...listStates(ran)]).toEqual([3, "gemini-cli: needs_person", "aider: connected"]);
  expect(readAgents(ran)[0]?.words).toContain('aliases: { "gemini-*": "Sim#sim-mini" }');
  expect(home.read(".gemini/.env")).toBeNull();
  expect(asked.map(({ url }) => url.slice(URL.length))).toEqual([
    "/v1/key",
    "/v1/models",
    "/v1/models/gemini-2.5-pro",
  ]);
  for (const { headers } of asked) expect(headers.get("user-agent")).toMatch(/^poundkey-setup\/\d/);
});

test("--tools adds the tool servers where an agent has lines for them", async () => {
  using home = makeHome();
  const names = ["claude-code", "codex", "gemini-cli", "cursor"];
  const ran = await runSetup({ home }, URL, ...nameAgents([...names, "aider"]), "--tools", "--yes", "--json");
  expect([ran.code, ran.out.includes(KEY)]).toEqual([3, false]);
  const authorization = { Authorization: `Bearer ${KEY}` };
  const read = (path: string) => readFile(path, home.read(path) ?? "");
  expect(read(".claude.json")).toEqual({
    mcpServers: { poundkey: { type: "http", url: `${URL}/mcp`, headers: authorization } },
  });
  expect(read(".codex/config.toml")).toMatchObject({
    mcp_servers: { poundkey: { url: `${URL}/mcp`, http_headers: authorization } },
  });
  expect(read(".gemini/settings.json")).toMatchObject({
    mcpServers: { poundkey: { httpUrl: `${URL}/mcp`, headers: authorization } },
  });
  expect(read(".cursor/mcp.json")).toEqual({
    mcpServers: { poundkey: { url: `${URL}/mcp`, headers: authorization } },
  });
});

test("a link is followed to a target in the home, and kept", async () => {
  using home = makeHome();
  home.write("dotfiles/aider.yml", "# of a person\n");
  symlinkSync(home.at("dotfiles/aider.yml"), home.at(".aider.conf.yml"));
  expect((await runSetup({ home }, URL, "--agent", "aider", "--yes")).code).toBe(0);
  expect(home.list()[".aider.conf.yml"]).toBe("link");
  expect(home.read("dotfiles/aider.yml")).toStartWith("# of a person\n");
  expect(home.read("dotfiles/aider.yml")).toContain(KEY);
  expect((await runSetup({ home }, "--undo")).code).toBe(0);
  expect(home.read("dotfiles/aider.yml")).toBe("# of a person\n");
});
