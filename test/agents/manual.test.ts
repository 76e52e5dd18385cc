// The coding agents set up by the manual alone: each page's files and shell lines as printed, with nothing added but a
// prompt.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CLIENT_SETUPS } from "../../src/docs/site/client-setups.ts";
import { ADDRESS, KEY } from "../docs/client-page.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const ROOT = join(import.meta.dir, "..", "..");
const PATH = [
  join(import.meta.dir, "node_modules", ".bin"),
  join(ROOT, ".venv/aider/bin"),
  process.env.PATH ?? "",
];
const PATIENT_MS = 600_000;
const RUN_MS = 480_000;

/** A program, and its arguments for one prompt. A page without one describes an editor. */
const PROGRAMS: Readonly<Record<string, readonly [program: string, words: string]>> = {
  "claude-code": ["claude", "-p"],
  codex: ["codex", "exec"],
  "gemini-cli": ["gemini", "-p"],
  opencode: ["opencode", "run"],
  aider: ["aider", "--message"],
  continue: ["cn", "-p"],
  "qwen-code": ["qwen", "-p"],
};

interface Block {
  /** The sentence before it, which names the file that it belongs in. */
  readonly about: string;
  readonly language: string;
  readonly code: string;
}

async function readBlocks(name: string): Promise<readonly Block[]> {
  const text = await Bun.file(join(ROOT, `src/docs/client-${name}.md`)).text();
  // There are no tool servers here: `tool-servers.test.ts` has them.
  const [page = ""] = text.split("\n## Tools\n");
  return [...page.matchAll(/(.+)\n\n```(\w+)\n([\s\S]*?)\n```/g)].map(
    ([, about = "", language = "", code = ""]) => ({
      about,
      language,
      code,
    }),
  );
}

/** True for a block of the gateway's own configuration. */
function isGateways({ about }: Block): boolean {
  return about.includes("the gateway's configuration");
}

let under: AgentWorld;
beforeAll(async () => {
  const pages = await Promise.all(Object.keys(PROGRAMS).map(readBlocks));
  const gateways = pages.flat().filter(isGateways);
  under = await startAgentWorld(gateways.map(({ code }) => code).join("\n"));
});
afterAll(() => under.stop());

async function run(name: string, [program, words]: readonly [string, string]): Promise<string> {
  const home = under.makeHome();
  const work = join(home, "work");
  mkdirSync(work);
  Bun.spawnSync(["git", "init", "-q", work]);
  // As Gemini CLI keeps its user's answer, and Codex asks for a repository.
  await Bun.write(join(home, ".gemini/trustedFolders.json"), JSON.stringify({ [work]: "TRUST_FOLDER" }));
  const lines: string[] = [];
  for (const block of await readBlocks(name)) {
    const code = block.code.replaceAll(ADDRESS, under.url).replaceAll(KEY, under.secret);
    const [, file] = /`([^`]+\.(?:json|toml|yaml))`/.exec(block.about) ?? [];
    if (isGateways(block)) continue;
    if (block.language === "sh") lines.push(code);
    else if (file)
      await Bun.write(file.startsWith("~/") ? join(home, file.slice(2)) : join(work, file), code);
    else throw new Error(`Nothing says where a block of client-${name}.md belongs: ${block.about}`);
  }
  // The last line starts the program.
  const script = `${lines.join("\n")} ${words} "say: lines-work"`;
  expect(script.split("\n").at(-1)).toContain(program);
  const child = Bun.spawn(["bash", "-c", script], {
    cwd: work,
    env: { PATH: PATH.join(delimiter), HOME: home },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: RUN_MS,
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return out + err;
}

for (const { name, title, kind, snippets } of CLIENT_SETUPS) {
  const program = PROGRAMS[name];
  if (kind !== "agent" || program === undefined) continue;
  const isThere = PATH.some((folder) =>
    folder.split(delimiter).some((one) => existsSync(join(one, program[0]))),
  );
  test.skipIf(!isThere)(
    `${title} answers with its page's lines (skipped where it isn't installed)`,
    async () => {
      expect(snippets.some(({ language }) => language === "sh")).toBe(true);
      const printed = await run(name, program);
      // Some print the prompt too.
      expect(printed.replaceAll("say: lines-work", "")).toContain("lines-work");
    },
    PATIENT_MS,
  );
}
