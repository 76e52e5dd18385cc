// `poundkey setup --undo`: what stood before the first run, whatever happened since.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import {
  ALL,
  KEY,
  listStates,
  makeHome,
  nameAgents,
  OWN_FILES,
  readAgents,
  runSetup,
  URL,
} from "./setup-world.ts";

const OTHER = "https://llm.example.com";
const FILE = ".claude/settings.json";

test("a second gateway replaces the first one's values, and --undo brings what stood before the first", async () => {
  using home = makeHome();
  for (const [path, text] of Object.entries(OWN_FILES)) home.write(path, text);
  const before = home.list();
  const agents = nameAgents(ALL);
  await runSetup({ home }, URL, ...agents, "--yes");
  const second = await runSetup({ home }, OTHER, ...agents, "--yes", "--json");
  expect(listStates(second).filter((line) => !/: (connected|needs_person)$/.test(line))).toEqual([]);
  expect(JSON.stringify(home.list())).not.toContain("127.0.0.1:8080");
  expect(readdirSync(home.at(".config/poundkey/keys"))).toEqual(["llm.example.com_443"]);
  expect((await runSetup({ home }, "--undo")).code).toBe(0);
  expect(home.list()).toEqual(before);
});

test("a file that was changed since keeps the change, and our fields get their former values", async () => {
  using home = makeHome();
  home.write(
    FILE,
    '{\n  "env": { "ANTHROPIC_MODEL": "own", "ANTHROPIC_API_KEY": "sk-ant-of-before-1234" }\n}\n',
  );
  await runSetup({ home }, URL, "--agent", "claude-code", "--yes");
  home.write(FILE, (home.read(FILE) ?? "").replace("{\n", '{\n  // since\n  "theme": "dark",\n'));
  const ran = await runSetup({ home }, "--undo", "--json");
  expect([ran.code, ...listStates(ran)]).toEqual([0, "claude-code: undone"]);
  expect(home.read(FILE)).toContain("// since\n");
  expect(Bun.JSONC.parse(home.read(FILE) ?? "")).toEqual({
    theme: "dark",
    env: { ANTHROPIC_MODEL: "own", ANTHROPIC_API_KEY: "sk-ant-of-before-1234" },
  });
  expect(existsSync(home.at(".config/poundkey/setup.json"))).toBe(false);
  expect(existsSync(home.at(".config/poundkey/keys"))).toBe(false);
});

test("a field of ours that was changed since is left and named, until a later --undo", async () => {
  using home = makeHome();
  home.write(FILE, '{ "env": { "ANTHROPIC_MODEL": "own" } }\n');
  await runSetup({ home }, URL, "--agent", "claude-code", "--yes");
  const written = home.read(FILE) ?? "";
  home.write(FILE, written.replace('"Router#best"', '"A#b"'));
  const ran = await runSetup({ home }, "--undo", "--json");
  expect([ran.code, ...listStates(ran)]).toEqual([3, "claude-code: left"]);
  expect(readAgents(ran)[0]?.words).toContain("env.ANTHROPIC_MODEL was changed since, and is left");
  expect(Bun.JSONC.parse(home.read(FILE) ?? "")).toEqual({ env: { ANTHROPIC_MODEL: "A#b" } });
  home.write(FILE, (home.read(FILE) ?? "").replace('"A#b"', '"own"'));
  expect((await runSetup({ home }, "--undo")).code).toBe(0);
  expect(existsSync(home.at(".config/poundkey/setup.json"))).toBe(false);
});

test("an entry of a list goes, those of others stay, and the one in whose place it was returns", async () => {
  using home = makeHome();
  const own =
    "models:\n  - name: Poundkey\n    provider: ollama\n    model: own\n  - name: Other\n    provider: ollama\n    model: other\n";
  home.write(".continue/config.yaml", own);
  await runSetup({ home }, URL, "--agent", "continue", "--yes");
  const readModels = () => Bun.YAML.parse(home.read(".continue/config.yaml") ?? "");
  expect(readModels()).toMatchObject({ models: [{ provider: "openai" }, { name: "Other" }] });
  home.write(".continue/config.yaml", `${home.read(".continue/config.yaml")}name: Since\n`);
  expect((await runSetup({ home }, "--undo")).code).toBe(0);
  expect(readModels()).toEqual({
    models: [
      { name: "Poundkey", provider: "ollama", model: "own" },
      { name: "Other", provider: "ollama", model: "other" },
    ],
    name: "Since",
  });
});

test("a time that the agent itself keeps in our field doesn't count", async () => {
  using home = makeHome();
  const path = ".cline/data/settings/providers.json";
  await runSetup({ home }, URL, "--agent", "cline", "--yes");
  home.write(
    path,
    (home.read(path) ?? "").replace(/"updatedAt": "[^"]+"/, '"updatedAt": "2027-01-01T00:00:00.000Z"'),
  );
  const changed = home.read(path);
  expect(changed).toContain("2027");
  const again = await runSetup({ home }, URL, "--agent", "cline", "--yes", "--json");
  expect([listStates(again), home.read(path)]).toEqual([["cline: already"], changed]);
  expect((await runSetup({ home }, "--undo")).code).toBe(0);
  expect(Bun.JSONC.parse(home.read(path) ?? "")).toEqual({ version: 1, providers: {} });
});

test("one agent alone is undone, and the key stays as long as a file names it", async () => {
  using home = makeHome();
  await runSetup({ home }, URL, ...nameAgents(["claude-code", "codex"]), "--yes");
  const key = home.at(".config/poundkey/keys/127.0.0.1_8080");
  await runSetup({ home }, "--undo", "--agent", "codex");
  expect([existsSync(home.at(".codex")), home.read(FILE) !== null, existsSync(key)]).toEqual([
    false,
    true,
    true,
  ]);
  await runSetup({ home }, "--undo");
  expect([home.list(), existsSync(key)]).toEqual([{}, false]);
});

test("a file that is gone or whose backup is damaged is left", async () => {
  using home = makeHome();
  home.write(FILE, '{ "theme": "dark" }\n');
  home.write(".codex/config.toml", 'model = "own"\n');
  await runSetup({ home }, URL, ...nameAgents(["claude-code", "codex"]), "--yes");
  const written = home.read(".codex/config.toml");
  for (const name of readdirSync(home.at(".config/poundkey/backups")))
    home.write(`.config/poundkey/backups/${name}`, "damaged");
  rmSync(home.at(FILE));
  const ran = await runSetup({ home }, "--undo", "--json");
  expect([ran.code, ...listStates(ran)]).toEqual([1, "claude-code: left", "codex: left"]);
  expect(readAgents(ran).map(({ words }) => words)).toEqual([
    expect.stringContaining("it is gone"),
    expect.stringContaining("missing or damaged"),
  ]);
  expect([home.read(FILE), home.read(".codex/config.toml")]).toEqual([null, written]);
});

test("nothing to undo is said, and --dry-run changes nothing", async () => {
  using home = makeHome();
  expect(await runSetup({ home }, "--undo")).toEqual({ code: 0, out: "There is nothing to undo.", err: "" });
  await runSetup({ home }, URL, "--agent", "aider", "--yes");
  const written = home.list();
  const ran = await runSetup({ home }, "--undo", "--dry-run", "--json");
  expect(listStates(ran)).toEqual(["aider: undone"]);
  expect(home.list()).toEqual(written);
});

test("no lock stays behind, neither after a run nor after --undo", async () => {
  using home = makeHome();
  const list = () => readdirSync(home.at(".config/poundkey")).toSorted();
  await runSetup({ home }, URL, "--agent", "codex", "--yes");
  expect(list()).toEqual(["keys", "setup.json"]);
  await runSetup({ home }, "--undo");
  expect(list()).toEqual([]);
});

test("of what --undo takes out, the key alone is hidden", async () => {
  using home = makeHome();
  await runSetup({ home }, URL, "--agent", "codex", "--agent", "qwen-code", "--tools", "--yes");
  const ran = await runSetup({ home }, "--undo");
  for (const shown of [
    `"base_url":"${URL}/v1"`,
    `"url":"${URL}/mcp"`,
    `"baseUrl":"${URL}/v1"`,
    '"command":"cat"',
  ])
    expect(ran.out).toContain(shown);
  expect(ran.out).toContain(`…${KEY.slice(-4)}`);
  expect(ran.out).not.toContain(KEY);
});
