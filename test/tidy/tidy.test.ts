// The house plan as a test: rooms and their imports, effects in their places, sizes, dead files, complete tables.
import { test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ROOMS } from "./rooms.ts";
import { expectNone, findRoom, ROOT, readSources } from "./sources.ts";

/** With the lines of their signature, which Biome doesn't count. */
const FUNCTION_LINES_MAX = { src: 50, test: 60 } as const;
/** Of code: blank lines and comments don't count. */
const FILE_LINES_MAX = 300;
const FOLDER_FILES_MAX = 30;
/** Tables and histories grow by a row for each thing that they list, and are read by looking one up. */
const TABLES: ReadonlySet<string> = new Set([
  "src/core/faults/fault.ts",
  "src/telemetry/metric-table.ts",
  "src/surfaces/anthropic-messages/known.ts",
  "src/store/sqlite/migrations.ts",
  "src/store/postgres/migrations.ts",
]);

/** Everywhere else clocks, chance, network, timers and the process are passed in. */
const EFFECTS_ALLOWED =
  /^src\/(main\.ts|store\/|app\/|cli\/|simulator\/server\.ts|console\/browser\.ts|docs\/site\/(browser|load-data)\.ts)/;
const EFFECTS =
  /\b(Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|setTimeout\(|setInterval\(|setImmediate\(|process\.|Bun\.sleep|(?<![.\w])fetch\()/;

const sources = readSources("src");
const tests = readSources("test");
test("rooms import only what the house plan allows", () => {
  expectNone(
    sources.flatMap(({ path, room, imports }) => {
      const allowed = ROOMS[room];
      if (!allowed) return [`${path}: no such room`];
      return imports
        .map(findRoom)
        .filter((target) => target !== room && !allowed.includes(target))
        .map((target) => `${path} imports ${target}`);
    }),
  );
});

test("no dialect imports another, and nothing outside imports more than the port", () => {
  // Folders that begin with `_` hold code shared by several dialects.
  const folderOf = (path: string) => /^src\/dialects\/([^/]+)\//.exec(path)?.[1];
  const isForeign = (path: string, target: string) => {
    const folder = folderOf(target);
    const isShared = path.startsWith("src/dialects/") && folder?.startsWith("_") === true;
    return folder !== undefined && folder !== folderOf(path) && !isShared;
  };
  const composing = new Set(["providers", "cli", "main.ts"]);
  expectNone(
    sources.flatMap(({ path, room, imports }) =>
      composing.has(room)
        ? []
        : imports.filter((target) => isForeign(path, target)).map((to) => `${path} → ${to}`),
    ),
  );
});

test("the gateway knows learning by the types of its port only", () => {
  expectNone(
    sources.flatMap(({ path, room, imports, codeImports }) => {
      if (room !== "gateway") return [];
      const code = codeImports.filter((target) => findRoom(target) === "learning");
      const others = imports.filter(
        (target) => findRoom(target) === "learning" && target !== "src/learning/port.ts",
      );
      return [...code, ...others].map((target) => `${path}: ${target}`);
    }),
  );
});

test("the console takes its types from the routes' schemas, and code only from the manual, tables of fields, things and limits, and the rules of names", () => {
  const page = sources.filter(({ room }) => room === "console");
  expectNone(
    page.flatMap(({ path, codeImports }) =>
      codeImports
        .filter(
          (target) =>
            !/^src\/(console|docs|core\/(fields|things))\/|^src\/core\/(limits\/limit-table|text\/names)\.ts$/.test(
              target,
            ),
        )
        .map((target) => `${path}: ${target}`),
    ),
  );
  // Fields of answers are the only names in the page spelled with underscores.
  expectNone(
    page.flatMap(({ path, lines }) =>
      lines.flatMap((line, at) =>
        /^\s+readonly \w+_\w+\??:/.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [],
      ),
    ),
  );
});

test("there are no import cycles, not even of types", () => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const state = new Map<string, "open" | "done">();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === "open") cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    if (state.has(path)) return;
    state.set(path, "open");
    for (const target of byPath.get(path)?.imports ?? []) visit(target, [...trail, path]);
    state.set(path, "done");
  };
  for (const { path } of sources) visit(path, []);
  expectNone(cycles);
});

test("there are no dead files", () => {
  const used = new Set([...sources, ...tests].flatMap(({ imports }) => imports));
  // The pages name their scripts, and the build names its step.
  const entries = new Set([
    "src/main.ts",
    "src/console/main.tsx",
    "src/docs/site/browser.ts",
    "src/app/build/build.ts",
  ]);
  expectNone(
    sources
      .map(({ path }) => path)
      .filter((path) => !used.has(path) && !entries.has(path) && !path.endsWith(".d.ts")),
  );
});

test("effects only occur where they are allowed", () => {
  expectNone(
    sources.flatMap(({ path, lines }) =>
      EFFECTS_ALLOWED.test(path)
        ? []
        : lines.flatMap((line, at) =>
            EFFECTS.test(withoutComment(line)) ? [`${path}:${at + 1}: ${line.trim()}`] : [],
          ),
    ),
  );
});

function withoutComment(line: string): string {
  return line.replace(/^\s*(\*|\/\/|\/\*).*/, "").replace(/"[^"]*"/g, '""');
}

test("files and functions stay short, and each file says what it is", () => {
  expectNone(
    [...sources, ...tests].flatMap(({ path, lines }) => [
      ...(lines[0]?.startsWith("// ") ? [] : [`${path}: does not open with a sentence on what it is`]),
      ...(countCode(lines) > FILE_LINES_MAX && !TABLES.has(path)
        ? [`${path}: ${countCode(lines)} lines`]
        : []),
      ...listLongFunctions(path, lines),
    ]),
  );
});

test("no folder holds more files than one finds a file in", () => {
  const counts = Map.groupBy([...sources, ...tests], ({ path }) => dirname(path));
  expectNone(
    [...counts]
      .filter(([, files]) => files.length > FOLDER_FILES_MAX)
      .map(([folder, files]) => `${folder}: ${files.length} files, ${FOLDER_FILES_MAX} at most`),
  );
});

/** Comments of several lines begin with an asterisk in each. */
function countCode(lines: readonly string[]): number {
  return lines.filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line)).length;
}

/**
 * For this rule, a function or method ends at the first line that closes at its own indentation and opens nothing: a
 * signature of several lines closes before its body begins.
 */
function listLongFunctions(path: string, lines: readonly string[]): readonly string[] {
  const start =
    /^(\s*)(export )?(async )?(function\*? |static |\*?#?\w+\(.*\).*\{$|async \*?#?\w+\(|#?\w+(<.*>)?\($|const \w+ = (async )?\(.*(=> \{|\()$)/;
  const most = path.startsWith("src/") ? FUNCTION_LINES_MAX.src : FUNCTION_LINES_MAX.test;
  return lines.flatMap((line, at) => {
    const match = start.exec(line);
    if (!match || /^\s*(if|for|while|switch|return|describe|test|else|await|expect)\b/.test(line)) return [];
    const closing = new RegExp(`^${match[1]}[}\\])](?!.*[{([]$)`);
    const length = lines.slice(at + 1).findIndex((one) => closing.test(one)) + 2;
    return length > most ? [`${path}:${at + 1}: ${length} lines`] : [];
  });
}

test("lists, objects and declarations are not folded to save lines", () => {
  const folds =
    /(?<!\{)\.\.\.\{(?! *\})|\.\.\.\[(?!\.\.\.)[^[\]]*\](?=[,)\]]|$)|^\s*(const|let) \[[^\]]*\] = \[[^[\]]*\];/;
  expectNone(
    sources.flatMap(({ path, lines }) =>
      lines.flatMap((line, at) => (folds.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
    ),
  );
});

test("there are no forbidden names, escapes or leftovers", () => {
  const names = /(utils|helpers?|manager|service|common|handler)s?\.ts$/;
  // Written so that a search for these words doesn't find this line.
  const leftovers = /\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b|@ts-(ignor[e]|expect-erro[r])/;
  const escapes = /\bas any\b|: any\b|export default/;
  expectNone([
    ...sources.filter(({ path }) => names.test(path)).map(({ path }) => path),
    ...sources
      .filter(({ path }) => !path.endsWith(".d.ts"))
      .flatMap(({ path, lines }) =>
        lines.flatMap((line, at) =>
          leftovers.test(line) || escapes.test(withoutComment(line))
            ? [`${path}:${at + 1}: ${line.trim()}`]
            : [],
        ),
      ),
  ]);
});

test("Elysia stays in http/, and SQL in store/", () => {
  expectNone(
    sources
      .filter(
        ({ room, text }) =>
          (room !== "http" && /from "(elysia|@elysiajs)/.test(text)) ||
          (room !== "store" && /from "bun:sqlite"/.test(text)),
      )
      .map(({ path }) => relative("src", path)),
  );
});

test("the lock file is complete and names no registry", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string; resolved?: string }>;
  };
  const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
  expectNone(packages.filter(([, { version }]) => !version).map(([path]) => `${path} has no version`));
  expectNone(
    packages.filter(([, { resolved }]) => resolved).map(([path]) => `${path} names where it came from`),
  );
});
