// The command line's entry: chooses the command, and prepares the process for it.
import { EXIT, type Io } from "./cli/administration.ts";
import { COMMANDS, HELP } from "./cli/commands.ts";
import { ownCommand } from "./cli/workers.ts";

/** Bun's `fetch` runs 256 calls at once unless this is set before the process starts. */
const FETCH_CEILING = "BUN_CONFIG_MAX_HTTP_REQUESTS";
const FETCH_CEILING_MAX = "65535";

const io: Io = {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
};

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    io.out(HELP);
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    io.err(`poundkey: there is no command '${name}'.\n\n${HELP}`);
    return EXIT.usage;
  }
  return command.run(rest, io);
}

const args = process.argv.slice(2);
if (args[0] === "serve" && !process.env[FETCH_CEILING]) {
  // The same process goes on under the same id, with the variable set.
  const [file = process.execPath, ...own] = ownCommand();
  process.execve?.(file, [file, ...own], { ...process.env, [FETCH_CEILING]: FETCH_CEILING_MAX });
}
process.exitCode = await main(args);
if (process.exitCode !== undefined) process.exit();
