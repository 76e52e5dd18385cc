// The command that starts this very program once more.

/** This process's own command line: the binary alone, or Bun with the entry file. */
export function readOwnCommand(): readonly string[] {
  return [process.execPath, ...process.argv.slice(Bun.isStandaloneExecutable ? 2 : 1)];
}
