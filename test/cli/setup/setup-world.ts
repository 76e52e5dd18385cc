// A home, a gateway that answers two questions, and `poundkey setup` run within this process.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { DISK, type Disk } from "../../../src/cli/setup/disk.ts";
import { runSetup as run } from "../../../src/cli/setup/setup.ts";
import type { SetupWorld } from "../../../src/cli/setup/world.ts";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { type Ran, runPrinting } from "../../harness/poundkey.ts";

export const URL = "http://127.0.0.1:8080";
/** No secret of the gateway's: it is searched for by its value. */
export const KEY = "sk-setupTESTkey0123456789abcdefghijKLMN";
export const MODELS = ["Router#best", "Router#light", "OpenAI#gpt-5.4", "Sim#sim-mini"];

/** Answers as a gateway with these models, and remembers what it was asked. */
export function makeGateway(models: readonly string[] = MODELS, hasGemini = true) {
  const asked: { readonly url: string; readonly headers: Headers }[] = [];
  const fetch: Fetch = async (url, init) => {
    asked.push({ url, headers: new Headers(init.headers) });
    const path = url.replace(/^https?:\/\/[^/]+/, "");
    if (path === "/v1/key") return Response.json({ id: "key_1", name: "test" });
    if (path === "/v1/models") return Response.json({ data: models.map((id) => ({ id })) });
    return new Response("{}", { status: hasGemini ? 200 : 404 });
  };
  return { fetch, asked };
}

export interface Home {
  readonly path: string;
  readonly at: (...names: string[]) => string;
  readonly write: (path: string, text: string | Uint8Array, mode?: number) => void;
  readonly read: (path: string) => string | null;
  /** Every file below the home but those of the command itself, with its bytes and its mode. */
  readonly list: () => Readonly<Record<string, string>>;
}

export function makeHome(): Home & { [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), "poundkey-setup-"));
  const at = (...names: string[]) => join(path, ...names);
  return {
    path,
    at,
    write(name, text, mode = 0o644) {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text, { mode });
    },
    read: (name) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : null),
    list: () => Object.fromEntries(listFiles(path, path)),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

function listFiles(folder: string, root: string): readonly (readonly [string, string])[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const name = relative(root, path);
    if (name === ".config/poundkey") return [];
    if (entry.isDirectory()) return listFiles(path, root);
    if (!entry.isFile()) return [[name, "link"] as const];
    return [[name, `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, "latin1")}`] as const];
  });
}

interface Given {
  readonly home: Home;
  readonly env?: Readonly<Record<string, string>>;
  readonly disk?: Disk;
  readonly fetch?: Fetch;
  readonly waitMs?: number;
  readonly answer?: boolean;
  readonly input?: string;
  readonly isTerminal?: boolean;
  readonly program?: SetupWorld["program"];
  /** Happens while the person thinks. */
  readonly meanwhile?: () => void;
}

/** Runs the command with the key in its environment, unless the words say otherwise. */
export function runSetup(given: Given, ...words: readonly string[]): Promise<Ran> {
  const { home, env = {}, disk = DISK, fetch = makeGateway().fetch } = given;
  const world: SetupWorld = {
    env: { HOME: home.path, PATH: "/nowhere", POUNDKEY_KEY: KEY, ...env },
    disk,
    fetch,
    waitMs: given.waitMs ?? 10_000,
    isTerminal: given.isTerminal ?? false,
    ask: () => {
      given.meanwhile?.();
      return given.answer ?? true;
    },
    readInput: () => given.input ?? "",
    program: given.program === undefined ? ["/opt/poundkey"] : given.program,
  };
  return runPrinting((io) => run(words, io, world));
}

export function readAgents({ out }: Ran) {
  return asArray(asObject(parseJson(out)).agents).map(asObject);
}

/** Returns `agent: state` of each. */
export function listStates(ran: Ran): readonly string[] {
  return readAgents(ran).map(({ agent, state }) => `${agent}: ${state}`);
}

/** The agents that `--agent` names in a test of all files. */
export const ALL = [
  "claude-code",
  "codex",
  "opencode",
  "gemini-cli",
  "qwen-code",
  "continue",
  "aider",
  "cline",
  "zed",
];
export const nameAgents = (names: readonly string[]) => names.flatMap((name) => ["--agent", name]);

/** Settings of a person, which have nothing to do with a gateway. */
export const OWN_FILES: Readonly<Record<string, string>> = {
  ".claude/settings.json":
    '{\r\n\t"env": { "EDITOR": "vi", "ANTHROPIC_API_KEY": "sk-ant-of-before-1234" }\r\n}\r\n',
  ".codex/config.toml": '# of a person\nmodel = "gpt-5.4" # usual\n\n[tui]\nnotifications = true\n',
  ".config/opencode/opencode.jsonc": '{\r\n\t// of a person\r\n\t"share": "disabled",\r\n}\r\n',
  ".gemini/.env": "# of a person\nDEBUG=false\n",
  ".qwen/settings.json": '{ "privacy": { "usageStatisticsEnabled": false } }',
  ".continue/config.yaml":
    "name: Own\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: Own # usual\n    provider: openai\n    model: own\n",
  ".aider.conf.yml": "# of a person\ndark-mode: true\n",
};
