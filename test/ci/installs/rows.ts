// The packages that tests need beside the project: each is installed once a week outside the checkout, and linked into it.
import { copyFileSync } from "node:fs";
import { basename, join } from "node:path";

export interface Install {
  readonly name: string;
  /** Its place in the checkout. */
  readonly at: string;
  /** The files that name what is installed. */
  readonly from: readonly string[];
  /** A command whose words change with the tool that what is installed depends on. */
  readonly version: readonly string[];
  /** Within the folder that is made, where the links lead. */
  readonly within: string;
  /** Runs once, before the commands. */
  readonly prepare: (folder: string, root: string) => void;
  readonly commands: (folder: string) => readonly (readonly string[])[];
}

/** A virtual environment. `--no-deps` is for files that name every package, which spares minutes of resolving. */
function makePython(
  name: string,
  at: string,
  from: readonly string[],
  flags: readonly string[] = [],
): Install {
  return {
    name,
    at,
    from,
    version: ["python3", "--version"],
    within: "",
    prepare: () => {},
    commands: (folder) => [
      ["python3", "-m", "venv", folder],
      ...from.map((file) => [join(folder, "bin", "pip"), "install", "-q", ...flags, "-r", file]),
    ],
  };
}

const NPM_FLAGS = ["--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"];

/** Packages of npm, and the scripts of a few of them. */
function makeNode(
  name: string,
  at: string,
  scripts: readonly (readonly [folder: string, file: string])[] = [],
): Install {
  const from = join(at, "package.json");
  return {
    name,
    at: join(at, "node_modules"),
    from: [from],
    version: ["node", "--version"],
    within: "node_modules",
    prepare: (folder, root) => copyFileSync(join(root, from), join(folder, basename(from))),
    commands: (folder) => [
      ["npm", "install", "--prefix", folder, ...NPM_FLAGS],
      ...scripts.map(([path, file]) => [
        "sh",
        "-c",
        'cd "$0" && exec node "$1"',
        join(folder, "node_modules", path),
        file,
      ]),
    ],
  };
}

const ACTIONLINT = "test/deploy/release/linters/actionlint.sh";
const WHOLE = ["--no-deps", "--no-compile"];

export const INSTALLS: readonly Install[] = [
  makePython("pip-python", ".venv", ["test/python/requirements.txt", "test/agents/llama.txt"]),
  makePython("pip-frameworks", ".venv/frameworks", ["test/python/frameworks.txt"], WHOLE),
  makePython("pip-adk", ".venv/adk", ["test/python/adk.txt"], WHOLE),
  makePython("pip-litellm", ".venv/litellm", ["test/python/litellm.txt"], WHOLE),
  makePython("pip-linters", ".venv/linters", ["test/deploy/release/linters/requirements.txt"], WHOLE),
  {
    name: "go-actionlint",
    at: ".venv/actionlint",
    from: [ACTIONLINT],
    version: ["go", "version"],
    within: "bin",
    prepare: () => {},
    // Where there is no Go, the test that needs it is skipped.
    commands: (folder) => [["sh", ACTIONLINT, folder]],
  },
  makePython("pip-aider", ".venv/aider", ["test/agents/aider.txt"], WHOLE),
  makeNode("npm-agents", "test/agents", [
    ["@anthropic-ai/claude-code", "install.cjs"],
    ["opencode-ai", "postinstall.mjs"],
  ]),
  makeNode("npm-cline", "test/agents/setup/cline"),
  makeNode("npm-majors", "test/clients/majors"),
  makeNode("npm-types", "test/clients/typescript"),
  makeNode("npm-clouds", "test/transport/auth/vendors"),
];
