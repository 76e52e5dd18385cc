// Runs the manual's snippets as a reader would: in the shell, in JavaScript, and in Python if it has OpenAI's SDK.
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTool, isMissing } from "../harness/tools.ts";

const ROOT = join(import.meta.dir, "..", "..");

export type Runner = "sh" | "js" | "python";
const ENDINGS = { sh: "sh", js: "mjs", python: "py" } as const;

/** Returns a Python that has the SDK of a vendor, or null. */
function findPython(sdk = "openai"): string | null {
  const known = [join(ROOT, ".venv", "bin", "python"), Bun.which("python3")];
  const has = (path: string) =>
    Bun.spawnSync([path, "-c", `import ${sdk}`], { stdout: "ignore", stderr: "ignore" }).success;
  return known.find((path) => path !== null && existsSync(path) && has(path)) ?? null;
}

const PROGRAMS = {
  sh: findTool("curl") ? findTool("bash") : null,
  js: process.execPath,
  python: findPython(),
} as const;
isMissing("no Python with OpenAI's SDK", PROGRAMS.python !== null);

/** True if it can be run, in Python with the SDK of a vendor. */
export function isThere(runner: Runner, sdk = "openai"): boolean {
  if (runner === "python" && sdk !== "openai")
    return PROGRAMS.python !== null && findPython(sdk) === PROGRAMS.python;
  return PROGRAMS[runner] !== null;
}

export interface PasteFolder {
  readonly path: string;
  /** Runs the text as a program and returns its output. Throws with its error output if it fails. */
  run(runner: Runner, text: string): Promise<string>;
  remove(): void;
}

export function makePasteFolder(): PasteFolder {
  const path = mkdtempSync(join(tmpdir(), "poundkey-pasted-"));
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return {
    path,
    async run(runner, text) {
      const file = join(path, `pasted.${ENDINGS[runner]}`);
      writeFileSync(file, text);
      const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
      const command = [PROGRAMS[runner] ?? runner, file];
      const child = Bun.spawn(command, { cwd: path, env: environment, stdout: "pipe", stderr: "pipe" });
      const [out, err, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      if (code !== 0) throw new Error(err);
      return out;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
