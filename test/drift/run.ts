// Installs the newest SDKs and agents in a folder of its own, lists what is new in them, runs the agents, and writes the table in
// `agents/RESULTS.md`. With names, only for these packages.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { AGENTS } from "../agents/agents.ts";
import { MODULES } from "../surfaces/declarations.ts";
import { listNewNames, listUnknownBetas, SDKS } from "./names.ts";
import { type DriftRow, mergeTable } from "./table.ts";

const ROOT = join(import.meta.dir, "..", "..");
const RESULTS = join(ROOT, "test/agents/RESULTS.md");
const AGENTS_FILE = join(ROOT, "test/agents/package.json");

/** The agents whose conversation `agents/agents` plays. */
const PLAYED = [
  ...(["@anthropic-ai/claude-code", "@openai/codex", "opencode-ai", "@qwen-code/qwen-code"] as const),
  ...(["@google/gemini-cli", "@continuedev/cli"] as const),
];
/** The program that may contain betas. */
const CLAUDE_CODE = "@anthropic-ai/claude-code";

function readPinned(file: string, name: string): string {
  const { dependencies, devDependencies } = asObject(parseJson(readFileSync(file, "utf8")));
  return String(asObject(dependencies)[name] ?? asObject(devDependencies)[name] ?? "");
}

async function run(words: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([...words], {
    cwd,
    env: { ...process.env, ...env },
    stdout: "inherit",
    stderr: "inherit",
  });
  return (await child.exited) === 0;
}

/** Installs the newest release of a package. Returns its modules and its version. */
async function install(name: string, folder: string): Promise<{ modules: string; version: string }> {
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const options = ["--no-audit", "--no-fund", "--no-package-lock"];
  if (!(await run(["npm", "install", ...options, `${name}@latest`], folder)))
    throw new Error(`npm couldn't install ${name}.`);
  const modules = join(folder, "node_modules");
  const { version } = asObject(parseJson(readFileSync(join(modules, name, "package.json"), "utf8")));
  return { modules, version: String(version) };
}

async function tryProgram(name: string, folder: string): Promise<DriftRow> {
  const date = new Date().toISOString().slice(0, 10);
  const isSdk = SDKS.includes(name);
  const pinned = readPinned(isSdk ? join(ROOT, "package.json") : AGENTS_FILE, name);
  const { modules, version: newest } = await install(name, folder);
  if (isSdk) {
    const names = listNewNames(name, MODULES, modules);
    return { date, program: name, pinned, newest, result: "names compared", names };
  }
  const bin = join(modules, ".bin");
  const test = ["bun", "test", "--timeout", "60000", "test/agents/agents.test.ts"];
  // Without its program all tests are skipped, which isn't a pass.
  const isThere = AGENTS.some((agent) => existsSync(join(bin, agent.name)));
  const passed = isThere && (await run(test, ROOT, { AGENT_PROGRAMS: bin }));
  const names = name === CLAUDE_CODE ? listBetasBelow(join(modules, name, "bin")) : [];
  return { date, program: name, pinned, newest, result: passed ? "two turns pass" : "fails", names };
}

function listBetasBelow(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((file) => listUnknownBetas(join(folder, file)));
}

const words = process.argv.slice(2);
const chosen = [...SDKS, ...PLAYED].filter((name) => words.length === 0 || words.includes(name));
for (const name of chosen) {
  // One at a time, since an agent takes up to 700 MB.
  const folder = mkdtempSync(join(tmpdir(), "poundkey-drift-"));
  try {
    const row = await tryProgram(name, folder);
    writeFileSync(RESULTS, mergeTable(readFileSync(RESULTS, "utf8"), row));
    console.log(
      `${row.program}: ${row.pinned} → ${row.newest}, ${row.result}, ${row.names.length} new names`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
