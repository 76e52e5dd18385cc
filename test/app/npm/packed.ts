// The package as it is after an installation: built once, laid out in a folder of modules with this process's own runtime.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..", "..");
const MODULES = join(ROOT, "node_modules");

/** Null where there is no Node, which starts the launcher. */
export const NODE = Bun.which("node");

/** The runtime's package for this system. Null if Bun came another way than by npm. */
export const RUNTIME = readRuntimeName();

function readRuntimeName(): string | null {
  try {
    const [name] = readdirSync(join(MODULES, "@oven")).toSorted();
    return name === undefined ? null : `@oven/${name}`;
  } catch {
    return null;
  }
}

/** Builds the package of the checkout `root` into a folder, and returns that of its files. */
export function buildPackage(into: string, root = ROOT): string {
  build(["--npm", "--into", into], root);
  return join(into, "npm");
}

/** Builds the binary for this system into the file, which it returns. */
export function buildBinary(file: string): string {
  build(["--outfile", file], ROOT);
  return file;
}

function build(flags: readonly string[], root: string): void {
  const command = [process.execPath, "src/app/build/build.ts", ...flags];
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: root, stdout: "ignore" });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

export interface Installed {
  /** The folder of all that a test needs. */
  readonly root: string;
  readonly home: string;
  /** The working folder. */
  readonly work: string;
  readonly launcher: string;
  /** The folder of the runtime's package. */
  readonly runtime: string;
  remove(): void;
}

/** Lays out the package's files beside a runtime, an empty home and an empty working folder. */
export function install(files: string): Installed {
  const root = mkdtempSync(join(tmpdir(), "poundkey-npm-"));
  const [home, work, modules] = [join(root, "home"), join(root, "work"), join(root, "node_modules")];
  const runtime = join(modules, RUNTIME ?? "");
  for (const folder of [home, work, join(runtime, "bin")]) mkdirSync(folder, { recursive: true });
  cpSync(files, join(modules, "poundkey"), { recursive: true });
  cpSync(join(MODULES, RUNTIME ?? "", "package.json"), join(runtime, "package.json"));
  symlinkSync(process.execPath, join(runtime, "bin", "bun"));
  const launcher = join(modules, "poundkey", "launch.mjs");
  return {
    root,
    home,
    work,
    launcher,
    runtime,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The environment of a person without any setting. */
export function makeEnvironment({ home }: Pick<Installed, "home">): Record<string, string> {
  return { PATH: "/usr/bin:/bin", HOME: home };
}

/** Each of these files would change what a program does that reads it, and says so. */
export function makeHostile(folder: string): void {
  const files = {
    "bunfig.toml": 'preload = ["./evil.js"]\n',
    "evil.js": 'console.error("HOSTILE"); process.exit(99);\n',
    ".env": "OPENAI_API_KEY=hostile\nPOUNDKEY_STORE=sqlite:./hostile.db\n",
    ".env.local": "ANTHROPIC_API_KEY=hostile\n",
    ".env.production": "GEMINI_API_KEY=hostile\n",
    "tsconfig.json": '{ "compilerOptions": { "baseUrl": ".", "paths": { "*": ["./evil.js"] } } }\n',
    "package.json": '{ "name": "poundkey", "type": "module", "imports": { "#*": "./evil.js" } }\n',
    "poundkey.yaml": "server: { prot: 1 }\n",
    ".poundkey/poundkey.db": "not a store",
    ".git/HEAD": "ref: refs/heads/main\n",
    "node_modules/poundkey/package.json":
      '{ "name": "poundkey", "version": "9.9.9", "main": "../../evil.js" }\n',
    [`node_modules/${RUNTIME}/package.json`]: '{ "version": "1.4.4" }\n',
    [`node_modules/${RUNTIME}/bin/bun`]: "#!/bin/sh\necho HOSTILE >&2\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
}
