// The coding agents as programs: how each is started headless with the gateway as its only address.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_SETUPS, fillSnippet } from "../../src/docs/site/client-setups.ts";
import { until } from "../whole/world/until.ts";

export interface Agent {
  readonly name: string;
  /** The program, if it isn't installed under its name with the others. */
  readonly path?: string;
  /** The tool that runs a shell command, and its arguments. */
  readonly tool: string;
  readonly input: (command: string) => object;
  /** The tool that shows the model a picture, and that which has another agent work on a prompt. Null if it has none. */
  readonly look: (path: string) => ToolCall;
  readonly delegate: ((prompt: string) => ToolCall) | null;
  /** The tool that has a model search the web in a request of its own. Missing if it has none. */
  readonly search?: (query: string) => ToolCall;
  /** The tool that loads another, which the model is shown by name only. Missing if it is shown them all. */
  readonly load?: (tool: string) => ToolCall;
  /** The model's name in the agent's form. */
  readonly modelName: (id: string) => string;
  readonly command: (run: AgentRun) => readonly string[];
  /** True if it speaks chat completions, which have their own tests for each provider: two models are enough. */
  readonly isPlain?: boolean;
  /** True if it reads the prompt from standard input. */
  readonly readsPrompt?: boolean;
  readonly environment: (run: AgentRun) => Readonly<Record<string, string>>;
  /** Files below its home folder. */
  readonly files: (run: AgentRun) => Readonly<Record<string, string>>;
}

/** A tool's name and its arguments. */
export type ToolCall = readonly [tool: string, input: object];

/** Returns the words in a prompt at which the simulated models call the tool. */
export function writeCall([tool, input]: ToolCall): string {
  return `call ${tool}(${JSON.stringify(input)})`;
}

export interface AgentRun {
  readonly url: string;
  readonly secret: string;
  readonly model: string;
  readonly prompt: string;
  /** A separate folder. A second run in the same one may continue the conversation. */
  readonly home: string;
  readonly goesOn?: boolean;
  /** Further variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends the agent. */
  readonly signal?: AbortSignal;
  /** Files instead of the agent's own. */
  readonly files?: Readonly<Record<string, string>>;
}

const BIN = process.env.AGENT_PROGRAMS ?? join(import.meta.dir, "node_modules", ".bin");
const AIDER = join(import.meta.dir, "..", "..", ".venv", "aider", "bin", "aider");
/** A turn takes a second and a long session half a minute, but the agents' own timeouts are minutes. */
const RUN_MS = 480_000;
/** The timeout of tests that run agents: how long a start takes depends on what else the machine does. */
export const PATIENT_MS = 600_000;

export const AGENTS: readonly Agent[] = [
  {
    name: "claude",
    tool: "Bash",
    input: (command) => ({ command, description: "runs it" }),
    look: (file_path) => ["Read", { file_path }],
    delegate: (prompt) => ["Agent", { description: "helps", prompt, subagent_type: "general-purpose" }],
    search: (query) => ["WebSearch", { query }],
    load: (tool) => ["ToolSearch", { query: `select:${tool}`, max_results: 1 }],
    modelName: (id) => id,
    command: ({ prompt, goesOn }) => [
      "-p",
      prompt,
      "--dangerously-skip-permissions",
      ...(goesOn ? ["--continue"] : []),
    ],
    environment: ({ url, secret, model }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: secret,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      IS_SANDBOX: "1",
    }),
    files: () => ({}),
  },
  {
    name: "codex",
    tool: "exec_command",
    input: (cmd) => ({ cmd }),
    look: (path) => ["view_image", { path }],
    delegate: null,
    modelName: (id) => id,
    command: ({ prompt, goesOn }) =>
      goesOn
        ? ["exec", "--skip-git-repo-check", "resume", "--last", prompt]
        : ["exec", "--skip-git-repo-check", prompt],
    environment: ({ secret, home }) => ({ CODEX_HOME: join(home, ".codex"), POUNDKEY_KEY: secret }),
    files: ({ url, model }) => ({
      ".codex/config.toml": [
        `model = "${model}"`,
        'model_provider = "poundkey"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        "[model_providers.poundkey]",
        'name = "Poundkey"',
        `base_url = "${url}/v1"`,
        'env_key = "POUNDKEY_KEY"',
        'wire_api = "responses"',
      ].join("\n"),
    }),
  },
  {
    name: "opencode",
    tool: "bash",
    input: (command) => ({ command, description: "runs it" }),
    look: (filePath) => ["read", { filePath }],
    delegate: (prompt) => ["task", { description: "helps", prompt, subagent_type: "general" }],
    modelName: (id) => id,
    command: ({ model, goesOn }) => [
      "run",
      "--model",
      `poundkey/${model}`,
      ...(goesOn ? ["--continue"] : []),
    ],
    // An argument with spaces would arrive with quotes around it.
    readsPrompt: true,
    isPlain: true,
    environment: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    files: ({ url, secret, model }) => {
      const config = JSON.parse(readSnippet("opencode", url, secret));
      const modalities = { input: ["text", "image"], output: ["text"] };
      config.provider.poundkey.models[model] = { limit: { context: 128_000, output: 8_000 }, modalities };
      return { "work/opencode.json": JSON.stringify({ ...config, permission: "allow" }) };
    },
  },
  {
    name: "qwen",
    tool: "run_shell_command",
    isPlain: true,
    input: (command) => ({ command, is_background: false }),
    look: (file_path) => ["read_file", { file_path }],
    delegate: (prompt) => ["agent", { description: "helps", prompt, subagent_type: "general-purpose" }],
    modelName: (id) => id,
    command: ({ prompt, goesOn }) => ["--yolo", ...(goesOn ? ["--continue"] : []), "-p", prompt],
    environment: ({ url, secret, model }) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: secret,
      OPENAI_MODEL: model,
      // As a program of its own it couldn't be ended.
      QWEN_CODE_NO_RELAUNCH: "true",
    }),
    files: () => ({
      ".qwen/settings.json": JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        model: { generationConfig: { modalities: { image: true } } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    }),
  },
  {
    // Continue's command line.
    name: "cn",
    tool: "Bash",
    isPlain: true,
    input: (command) => ({ command }),
    look: (filepath) => ["Read", { filepath }],
    delegate: null,
    modelName: (id) => id,
    command: ({ prompt, home, goesOn }) => [
      "-p",
      prompt,
      "--auto",
      "--config",
      join(home, "config.yaml"),
      ...(goesOn ? ["--resume"] : []),
    ],
    environment: () => ({}),
    files: ({ url, secret, model }) => ({
      "config.yaml": readSnippet("continue", url, secret).replace('"Router#best"', JSON.stringify(model)),
    }),
  },
  {
    name: "gemini",
    tool: "run_shell_command",
    input: (command) => ({ command }),
    look: (file_path) => ["read_file", { file_path }],
    delegate: null,
    search: (query) => ["google_web_search", { query }],
    modelName: (id) => (id.startsWith("Router#") ? "gemini-3.5-flash" : id.replace("#", "/")),
    command: ({ prompt, model, goesOn }) => [
      "-m",
      model,
      "--yolo",
      ...(goesOn ? ["--resume", "latest"] : []),
      "-p",
      prompt,
    ],
    environment: ({ url, secret }) => ({
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: secret,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      // As a program of its own it couldn't be ended.
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
    files: () => ({
      ".gemini/settings.json": JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    }),
  },
];

/** It runs no tools in the middle of a turn, so that it is only tried with prompts. */
export const AIDER_AGENT: Agent = {
  name: "aider",
  path: AIDER,
  tool: "",
  input: () => ({}),
  look: () => ["", {}],
  delegate: null,
  modelName: (id) => id,
  isPlain: true,
  command: ({ prompt, model }) => [
    "--model",
    `openai/${model}`,
    "--weak-model",
    `openai/${model}`,
    "--no-git",
    "--yes-always",
    "--no-show-model-warnings",
    "--no-check-update",
    "--analytics-disable",
    "--no-stream",
    "--message",
    prompt,
  ],
  environment: ({ url, secret }) => ({ OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: secret }),
  files: () => ({}),
};

/** Returns the first snippet of a client's page in the manual, filled in. */
function readSnippet(client: string, url: string, secret: string): string {
  const [snippet] = CLIENT_SETUPS.find(({ name }) => name === client)?.snippets ?? [];
  if (!snippet) throw new Error(`The manual has no snippet for ${client}.`);
  return fillSnippet(snippet, url, secret);
}

export function findProgram({ name, path = join(BIN, name) }: Agent): string {
  return path;
}

export function isInstalled(agent: Agent): boolean {
  return existsSync(findProgram(agent));
}

/** Runs the agent to its end. Returns its whole output. */
export async function runAgent(agent: Agent, run: AgentRun): Promise<string> {
  const work = join(run.home, "work");
  mkdirSync(work, { recursive: true });
  for (const [path, text] of Object.entries({ ...agent.files(run), ...run.files }))
    await Bun.write(join(run.home, path), text);
  const child = Bun.spawn([findProgram(agent), ...agent.command(run)], {
    cwd: work,
    env: { PATH: process.env.PATH ?? "", HOME: run.home, ...agent.environment(run), ...run.environment },
    stdin: agent.readsPrompt ? new Blob([run.prompt]) : "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: RUN_MS,
    ...(run.signal ? { signal: run.signal } : {}),
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return out + err;
}

/**
 * Waits for something that a running agent does, for as long as it may run: beside other agents the start of one takes
 * minutes. Rejects with what it printed if it ends before.
 */
export async function untilAgent(
  what: string,
  running: Promise<string>,
  look: () => Promise<unknown> | unknown,
): Promise<void> {
  const ended = running.then((printed) => {
    throw new Error(`the agent ended before ${what}: ${printed.slice(-PRINTED_MAX)}`);
  });
  await Promise.race([until(what, look, RUN_MS), ended]);
}
const PRINTED_MAX = 2000;
