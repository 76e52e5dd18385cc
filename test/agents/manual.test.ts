// The coding agents set up by the manual: each file and each shell line of their pages, exactly as pasted.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_SETUPS, type ClientSetup, fillSnippet } from "../../src/docs/client-setups.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const BIN = join(import.meta.dir, "node_modules", ".bin");
const PATIENT_MS = 120_000;
const RUN_MS = 90_000;

/** A program with its arguments for one prompt, and the files on its page, each a snippet or a setting in words. */
interface Start {
  readonly program: string;
  readonly words: string;
  readonly files?: Readonly<Record<string, { readonly language: string } | string>>;
}
const STARTS: Readonly<Record<string, Start>> = {
  "claude-code": { program: "claude", words: "-p" },
  codex: {
    ...{ program: "codex", words: "exec --skip-git-repo-check" },
    files: { ".codex/config.toml": { language: "toml" } },
  },
  "gemini-cli": {
    ...{ program: "gemini", words: "-p" },
    files: {
      ".gemini/settings.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
    },
  },
  "qwen-code": { program: "qwen", words: "-p" },
};

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld();
});
afterAll(() => under.stop());

/** Returns a client's snippets in a language, filled in. */
function fill({ snippets }: ClientSetup, language: string): string {
  return snippets
    .filter((snippet) => snippet.language === language)
    .map((snippet) => fillSnippet(snippet, under.url, under.secret))
    .join("\n");
}

async function run(setup: ClientSetup, { program, words, files = {} }: Start): Promise<string> {
  const home = under.makeHome();
  const work = join(home, "work");
  mkdirSync(work);
  for (const [path, content] of Object.entries(files))
    await Bun.write(join(home, path), typeof content === "string" ? content : fill(setup, content.language));
  const lines = fill(setup, "sh").replace(
    new RegExp(`\\b${program}$`, "m"),
    `${program} ${words} "say: lines-work"`,
  );
  const child = Bun.spawn(["bash", "-c", lines], {
    cwd: work,
    env: {
      PATH: `${BIN}:${process.env.PATH ?? ""}`,
      HOME: home,
      // For the tests only: no trust prompts, and no calls to the vendors.
      ...{
        IS_SANDBOX: "1",
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    },
    ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: RUN_MS },
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return out + err;
}

for (const setup of CLIENT_SETUPS) {
  const start = STARTS[setup.name];
  if (start === undefined) continue;
  test.skipIf(!existsSync(join(BIN, start.program)))(
    `${setup.title} answers with its page's lines (skipped where it isn't installed)`,
    async () => {
      const printed = await run(setup, start);
      // Some print the prompt too.
      expect(printed.replaceAll("say: lines-work", "")).toContain("lines-work");
    },
    PATIENT_MS,
  );
}
