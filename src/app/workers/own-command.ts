// The command line that starts this program again.

/** Returns this process's command line: the binary alone, or Bun with the entry file. */
export function readOwnCommand(): readonly string[] {
  return [process.execPath, ...process.argv.slice(Bun.isStandaloneExecutable ? 2 : 1)];
}
