// Fetches the newest SDKs and agents into a folder of its own, lists what is new in them and what no table of ours has, runs the
// agents, and writes the table in `agents/RESULTS.md`. With names, only for these packages.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AGENTS } from "../agents/agents.ts";
import { MODULES } from "../surfaces/declarations.ts";
import { fetchRelease, run } from "./fetch.ts";
import { listUnlisted } from "./kinds.ts";
import { listNewNames } from "./names.ts";
import { CLAUDE_CODE, labelPackage, PACKAGES, type Package } from "./packages.ts";
import { findPinned } from "./pinned.ts";
import { type DriftRow, mergeTable } from "./table.ts";

const ROOT = join(import.meta.dir, "..", "..");
const RESULTS = join(ROOT, "test/agents/RESULTS.md");

/** The agents whose conversation `agents/agents` plays. */
const PLAYED: readonly Package[] = [
  CLAUDE_CODE,
  ...["@openai/codex", "opencode-ai", "@qwen-code/qwen-code", "@google/gemini-cli", "@continuedev/cli"].map(
    (name): Package => ({ ...CLAUDE_CODE, name, sources: [], kinds: [] }),
  ),
];

/** The SDK's own files as pinned: npm's are installed, and PyPI's are fetched where they differ from the newest. */
async function findOlder(one: Package, pinned: string, folder: string): Promise<string> {
  if (one.registry === "npm") return join(MODULES, one.name);
  return (await fetchRelease(one, join(folder, "pinned"), pinned)).folder;
}

async function compareSdk(one: Package, folder: string): Promise<DriftRow> {
  const pinned = findPinned(readFileSync(join(ROOT, one.pinnedBy), "utf8"), one.name);
  const { version: newest, folder: newer } = await fetchRelease(one, join(folder, "newest"));
  const names = newest === pinned ? [] : listNewNames(one, await findOlder(one, pinned, folder), newer);
  const unlisted = listUnlisted(one, newer);
  return { ...start(one, pinned, newest), result: "names compared", names, unlisted };
}

async function playAgent(one: Package, folder: string): Promise<DriftRow> {
  const pinned = findPinned(readFileSync(join(ROOT, one.pinnedBy), "utf8"), one.name);
  const { version: newest, folder: own } = await fetchRelease(one, folder);
  const bin = join(folder, "node_modules", ".bin");
  const test = ["bun", "test", "--timeout", "60000", "test/agents/agents.test.ts"];
  // Without its program all tests are skipped, which isn't a pass.
  const isThere = AGENTS.some((agent) => existsSync(join(bin, agent.name)));
  const passed = isThere && (await run(test, ROOT, { AGENT_PROGRAMS: bin }));
  const result = passed ? "two turns pass" : "fails";
  return { ...start(one, pinned, newest), result, names: [], unlisted: listUnlisted(one, own) };
}

function start(one: Package, pinned: string, newest: string) {
  return { date: new Date().toISOString().slice(0, 10), program: labelPackage(one), pinned, newest };
}

const words = process.argv.slice(2);
const isChosen = ({ name }: Package) => words.length === 0 || words.includes(name);
const rows = [
  ...PACKAGES.filter(isChosen).map((one) => (folder: string) => compareSdk(one, folder)),
  ...PLAYED.filter(isChosen).map((one) => (folder: string) => playAgent(one, folder)),
];
for (const make of rows) {
  // One at a time, since an agent takes up to 700 MB.
  const folder = mkdtempSync(join(tmpdir(), "poundkey-drift-"));
  try {
    const row = await make(folder);
    writeFileSync(RESULTS, mergeTable(readFileSync(RESULTS, "utf8"), row));
    const { program, pinned, newest, result, names, unlisted } = row;
    console.log(
      `${program}: ${pinned} → ${newest}, ${result}, ${names.length} new names, ${unlisted.length} without a row`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
