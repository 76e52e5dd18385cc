// The house plan as a test: rooms and what they may import, effects where they belong, sizes, dead files, tables whole.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { DIALECTS } from "../src/core/dialect.ts";
import { FAULTS } from "../src/core/fault.ts";
import { SELECTORS } from "../src/core/selector.ts";
import { ROUTES } from "../src/http/paths.ts";
import { PROVIDERS } from "../src/providers/index.ts";
import { SELECTOR_RULES } from "../src/selectors/index.ts";

const ROOT = join(import.meta.dir, "..");
const FILE_LINES_MAX = 300;
const FUNCTION_LINES_MAX = 60;

/** DESIGN §2: what each room may import beside itself. The empty name is `package.json`, for the version. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  operations: ["core", "transport/framing"],
  surfaces: ["core", "operations"],
  dialects: ["core", "operations", "transport/framing"],
  transport: ["core", "transport/framing"],
  "transport/framing": ["core"],
  catalogue: ["core"],
  providers: ["core", "dialects"],
  selectors: ["core", "operations"],
  health: ["core"],
  ledger: ["core"],
  store: ["core"],
  gateway: ["core", "operations", "dialects", "selectors", "health", "ledger", "transport"],
  http: [
    "core",
    "operations",
    "surfaces",
    "catalogue",
    "selectors",
    "health",
    "ledger",
    "admin",
    "gateway",
    "keys",
  ],
  config: ["core", "catalogue"],
  keys: ["core"],
  admin: ["core", "keys", "ledger"],
  telemetry: ["core"],
  console: [],
  docs: [],
  simulator: ["core", "operations"],
  app: [
    ...[
      "core",
      "dialects",
      "providers",
      "catalogue",
      "selectors",
      "health",
      "ledger",
      "store",
      "keys",
      "config",
    ],
    ...["operations", "transport", "gateway", "http", "admin", "telemetry", "simulator", "docs", ""],
  ],
  cli: [
    ...["core", "operations", "surfaces", "catalogue", "selectors", "store", "config"],
    ...["admin", "simulator", "app", ""],
  ],
  "main.ts": ["app", "cli"],
};

/** Clocks, chance, network, timers and the process are handed in everywhere but here. */
const EFFECTS_ALLOWED =
  /^src\/(main\.ts|store\/|app\/|cli\/|simulator\/server\.ts|(console|docs)\/browser\.ts)/;
const EFFECTS =
  /\b(Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|setTimeout\(|setInterval\(|setImmediate\(|process\.|Bun\.sleep|(?<![.\w])fetch\()/;

interface Source {
  readonly path: string;
  readonly room: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly imports: readonly string[];
}

function sourcesIn(folder: string): readonly Source[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules"))
    .map((file) => sourceOf(join(folder, file)));
}

function sourceOf(path: string): Source {
  const text = readFileSync(join(ROOT, path), "utf8");
  const room = findRoom(path);
  const from = [...text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)].map((match) => match[1] ?? "");
  const imports = from.map((one) => normalize(join(dirname(path), one)));
  return { path, room, text, lines: text.split("\n"), imports };
}

/** The room of a file: its first folder, and `transport/framing`, which others may import without the rest of transport. */
function findRoom(path: string): string {
  return /^src\/(transport\/framing|[^/]+)/.exec(path)?.[1] ?? "";
}

const sources = sourcesIn("src");
const tests = sourcesIn("test");
const manual = readdirSync(join(ROOT, "src/docs"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => readFileSync(join(ROOT, "src/docs", file), "utf8"))
  .join("\n");

/** Asserts that a rule finds nothing, and shows what it found. */
function none(found: readonly string[]): void {
  expect(found).toEqual([]);
}

test("rooms import only what the house plan allows", () => {
  none(
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

test("no dialect imports another dialect, and nothing outside imports more of the room than its port", () => {
  // Folders that begin with `_` hold code that several dialects share.
  const folderOf = (path: string) => /^src\/dialects\/([^/]+)\//.exec(path)?.[1];
  const isForeign = (own: string | undefined, target: string) => {
    const folder = folderOf(target);
    return folder !== undefined && folder !== own && !(own !== undefined && folder.startsWith("_"));
  };
  const composing = new Set(["providers", "cli", "main.ts"]);
  none(
    sources.flatMap(({ path, room, imports }) =>
      composing.has(room)
        ? []
        : imports.filter((target) => isForeign(folderOf(path), target)).map((to) => `${path} → ${to}`),
    ),
  );
});

test("no import cycles", () => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const state = new Map<string, "open" | "done">();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === "open") cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    if (state.has(path)) return;
    state.set(path, "open");
    const source = byPath.get(path);
    for (const target of runtimeImports(source)) visit(target, [...trail, path]);
    state.set(path, "done");
  };
  for (const { path } of sources) visit(path, []);
  none(cycles);
});

/** Imports of types alone leave nothing at run time, so they make no cycle. */
function runtimeImports(source: Source | undefined): readonly string[] {
  if (!source) return [];
  const statements = source.text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+"(\.[^"]+)"/gm);
  return [...statements].map((match) => normalize(join(dirname(source.path), match[1] ?? "")));
}

test("the source stays readable by one person", () => {
  const LINES_MAX = 60_000;
  expect(sources.reduce((sum, { lines }) => sum + lines.length, 0)).toBeLessThanOrEqual(LINES_MAX);
});

test("no dead files", () => {
  const used = new Set([...sources, ...tests].flatMap(({ imports }) => imports));
  // The pages name their scripts, the build its step.
  const entries = new Set([
    "src/main.ts",
    "src/console/main.tsx",
    "src/docs/browser.ts",
    "src/app/bundle-console.ts",
  ]);
  none(
    sources
      .map(({ path }) => path)
      .filter((path) => !used.has(path) && !entries.has(path) && !path.endsWith(".d.ts")),
  );
});

test("effects only where they are handed out", () => {
  none(
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

test("files and functions stay short, each file says what it is", () => {
  none(
    [...sources, ...tests].flatMap(({ path, lines }) => {
      const found: string[] = [];
      if (lines.length - 1 > FILE_LINES_MAX) found.push(`${path}: ${lines.length - 1} lines`);
      if (!lines[0]?.startsWith("// ")) found.push(`${path}: does not open with a sentence on what it is`);
      return [...found, ...longFunctions(path, lines)];
    }),
  );
});

/** A function or method ends, for this rule, at the first line that closes at the indentation at which it began. */
function longFunctions(path: string, lines: readonly string[]): readonly string[] {
  const start =
    /^(\s*)(export )?(async )?(function\*? |static |\*?#?\w+\(.*\).*\{$|async \*?#?\w+\(|const \w+ = (async )?\(.*=> \{$)/;
  return lines.flatMap((line, at) => {
    const match = start.exec(line);
    if (!match || /^\s*(if|for|while|switch|return|describe|test|else)\b/.test(line)) return [];
    const closing = new RegExp(`^${match[1]}[}\\])]`);
    const length = lines.slice(at + 1).findIndex((one) => closing.test(one)) + 2;
    return length > FUNCTION_LINES_MAX ? [`${path}:${at + 1}: ${length} lines`] : [];
  });
}

test("no forbidden names, escapes or leftovers", () => {
  const names = /(utils|helpers?|manager|service|common|handler)s?\.ts$/;
  // Written so that a search for the words themselves doesn't find this line.
  const leftovers = /\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b|@ts-(ignor[e]|expect-erro[r])/;
  const escapes = /\bas any\b|: any\b|export default/;
  none([
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

test("Elysia stays in http/, SQL in store/", () => {
  none(
    sources
      .filter(
        ({ room, text }) =>
          (room !== "http" && /from "(elysia|@elysiajs)/.test(text)) ||
          (room !== "store" && /from "bun:sqlite"/.test(text)),
      )
      .map(({ path }) => relative("src", path)),
  );
});

test("every provider with its variables, dialect, fault and route is in the manual, once registered", () => {
  const missing = (words: readonly string[]) => words.filter((word) => !manual.includes(word));
  none(missing(PROVIDERS.map(({ name }) => `| ${name} |`)));
  none(missing(PROVIDERS.flatMap(({ keyVariables }) => keyVariables.map((variable) => `\`${variable}\``))));
  none(missing([...DIALECTS]));
  none(missing(Object.keys(FAULTS).map((code) => `### ${code}\n`)));
  none(missing(ROUTES.map(({ path }) => `\`${path}\``)));
  expect(new Set(PROVIDERS.map(({ name }) => name)).size).toBe(PROVIDERS.length);
  expect(new Set(ROUTES.map(({ path }) => path)).size).toBe(ROUTES.length);
});

test("every selector has its row once, under its own name, and is in the manual", () => {
  expect(Object.keys(SELECTOR_RULES)).toEqual([...SELECTORS]);
  none(
    Object.entries(SELECTOR_RULES).flatMap(([row, { name }]) => (row === name ? [] : `${name} is ${row}`)),
  );
  const files = sources.filter(({ text }) => text.includes(": SelectorRule = {")).map(({ path }) => path);
  const rules = Object.keys(SELECTOR_RULES).map((name) => `src/selectors/${name}.ts`);
  expect(files.toSorted()).toEqual(rules.toSorted());
  none(SELECTORS.filter((name) => !manual.includes(`Router#${name}`)));
});

test("every fault of the table is raised somewhere", () => {
  const raising = sources.filter(({ path, room }) => path !== "src/core/fault.ts" && room !== "simulator");
  const text = raising.map((source) => source.text).join("\n");
  // The bounds put these together from the kind of number.
  const composed = /^(decimal|integer)_(above_max|below_min)_value$/;
  none(Object.keys(FAULTS).filter((code) => !composed.test(code) && !text.includes(`"${code}"`)));
});

test("the lock file is whole and names no registry", () => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string; resolved?: string }>;
  };
  const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
  none(packages.filter(([, { version }]) => !version).map(([path]) => `${path} has no version`));
  none(packages.filter(([, { resolved }]) => resolved).map(([path]) => `${path} names where it came from`));
});
