// Programs and packages that some tests need and not every machine has. A run says at its end which were missing.

const missing = new Set<string>();

/** Returns whether a test must be skipped, since this isn't there: `no NAME`, `no build of …`. */
export function isMissing(what: string, isThere: boolean): boolean {
  if (!isThere && !missing.has(what)) {
    missing.add(what);
    console.log(`skipped: ${what}`);
  }
  return !isThere;
}

/** Returns the path of a program. Null, and said, if it isn't installed. */
export function findTool(name: string, path = process.env.PATH ?? ""): string | null {
  const found = Bun.which(name, { PATH: path });
  isMissing(`no ${name}`, found !== null);
  return found;
}
