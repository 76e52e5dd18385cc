// The program's entry: prepares the process, then runs the command that the arguments name.
import { readOwnCommand } from "./app/own-command.ts";

/** Bun's `fetch` runs 256 calls at once unless this is set before the process starts. */
const FETCH_CEILING = "BUN_CONFIG_MAX_HTTP_REQUESTS";
const FETCH_CEILING_MAX = "65535";
/**
 * The interval in milliseconds at which the allocator looks for memory to return. By default its thread takes 2 to 11 % of
 * the CPU time under load; this cuts that to a third, and memory is returned as before.
 */
const ALLOCATOR_REST = { MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "2000" };

const args = process.argv.slice(2);
if (args[0] === "serve" && !process.env[FETCH_CEILING]) {
  // The process starts over under the same id, with the variables set.
  const [file = process.execPath, ...own] = readOwnCommand();
  const set = { ...ALLOCATOR_REST, ...process.env, [FETCH_CEILING]: FETCH_CEILING_MAX };
  process.execve?.(file, [file, ...own], set);
}
// Everything else is imported only here, because it would be loaded twice above.
const { runCommandLine } = await import("./cli/commands.ts");
process.exit(await runCommandLine(args));
