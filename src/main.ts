// The program's entry: prepares the process, then runs the command that the arguments name.
import { describeProgram, enterWorkingFolder } from "./app/program.ts";
import { readWords } from "./cli/bare-words.ts";

/** Bun's `fetch` runs at most 256 calls at once unless this is set before the process starts. */
const FETCH_CEILING = "BUN_CONFIG_MAX_HTTP_REQUESTS";
const FETCH_CEILING_MAX = "65535";
/**
 * The allocator's interval, in milliseconds, for returning memory. By default its thread takes 2 to 11% of the CPU
 * time under load. This cuts that to a third, and memory is still returned.
 */
const ALLOCATOR_REST = { MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "2000" };

const args = readWords(process.argv.slice(2), process.env.POUNDKEY_PLACES);
if (args[0] === "serve" && !process.env[FETCH_CEILING]) {
  // Restarts the process under the same id with the variables set.
  const [file = process.execPath, ...own] = describeProgram().command;
  const set = { ...ALLOCATOR_REST, ...process.env, [FETCH_CEILING]: FETCH_CEILING_MAX };
  process.execve?.(file, [file, ...own], set);
}
enterWorkingFolder();
// Everything else is imported only here, because above it would be loaded twice.
const { runCommandLine } = await import("./cli/commands.ts");
process.exit(await runCommandLine(args));
