// `poundkey setup`: connects the coding agents of this machine with a gateway, and takes it back.

import { EXIT, type Io } from "../../app/terminal.ts";
import { fetchList } from "../../app/world.ts";
import { formatJson } from "../administration.ts";
import { type Arguments, COMMON_FLAGS, makeFlagCommand, UsageError } from "../arguments.ts";
import { LoginError } from "../people/device-grant.ts";
import { connectAgents } from "./connect.ts";
import { DISK } from "./disk.ts";
import { GatewayError } from "./gateway.ts";
import { RefusedError } from "./read-settings.ts";
import { askOnTerminal, isTerminal, readStandardInput } from "./terminal.ts";
import { findThisProgram } from "./this-program.ts";
import { undoAgents } from "./undo-agents.ts";
import type { SetupWorld } from "./world.ts";

const WAIT_MS = 10_000;

const HELP = `usage: poundkey setup [URL] [--agent NAME]... [options]
       poundkey setup --undo [--agent NAME]... [--dry-run]

Connects the coding agents on this machine with a gateway: shows what it would write in their settings, asks, and writes it.
URL is the gateway's; by default that of the last \`poundkey login\`, or a quick start that runs here. The key is that of
--key, of POUNDKEY_KEY, of the sign-in, or of the quick start.

  --agent NAME        only this agent, and again for others; by default each that is found: claude-code, codex,
                      opencode, gemini-cli, qwen-code, continue, aider, cline, zed, cursor
  --key FILE          a file with the key, or - for standard input
  --model ID          the model; by default Router#best, or Sim#sim-mini where only simulated models answer
  --small-model ID    the model for small tasks; by default Router#light, or the model
  --tools             also the gateway's tool servers
  --dry-run           only show what would be written
  --yes               don't ask
  --into-git          also write keys in files that lie in a git work tree
  --undo              bring back what stood before
  --json              print JSON: { gateway, agents: [{ agent, state, files, words }] }

Exits with 3 if something is left for you to do, and with 1 if nothing could be done.

examples:
  poundkey setup
  poundkey setup https://llm.example.com --agent codex --key -
  poundkey setup --undo`;

const FLAGS = {
  ...COMMON_FLAGS,
  agent: "list",
  key: "value",
  model: "value",
  "small-model": "value",
  tools: "switch",
  "dry-run": "switch",
  yes: "switch",
  "into-git": "switch",
  undo: "switch",
} as const;

export const runSetup = makeFlagCommand(
  { name: "setup", help: HELP, flags: FLAGS, wordsMax: 1 },
  (given, io, world: SetupWorld = makeWorld()) => setUp(given, io, world),
);

/** Runs the command in a world. Throws a UsageError for wrong arguments. */
async function setUp(args: Arguments, io: Io, world: SetupWorld): Promise<number> {
  const { values, switches, words } = args;
  const isUndo = switches.has("undo");
  if (isUndo && (words.length > 0 || CONNECTING.some((name) => values.has(name) || switches.has(name))))
    throw new UsageError("--undo takes --agent, --dry-run, --yes and --json alone");
  try {
    const done = isUndo ? undoAgents(args, world) : await connectAgents(args, io, world);
    if (done === null) return EXIT.failed;
    io.out(switches.has("json") ? formatJson(done.view) : done.text);
    return done.code;
  } catch (error) {
    if (![GatewayError, LoginError, RefusedError].some((kind) => error instanceof kind)) throw error;
    io.err(`poundkey: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.failed;
  }
}

const CONNECTING = ["key", "model", "small-model", "tools", "into-git"];

function makeWorld(): SetupWorld {
  return {
    env: process.env,
    disk: DISK,
    fetch: fetchList,
    waitMs: WAIT_MS,
    isTerminal: isTerminal(),
    ask: askOnTerminal,
    readInput: readStandardInput,
    program: findThisProgram(),
  };
}
