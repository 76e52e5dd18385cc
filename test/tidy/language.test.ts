// The code's language as a test: comments are sentences in plain English, functions are verbs, and types are nouns.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");

/** Rooms of `src` that are exempt from a rule. The lists only shrink. */
const NOT_YET: Readonly<Record<"comments" | "names" | "types", readonly string[]>> = {
  comments: [],
  names: [],
  types: [],
};

/** A sentence may begin with these only as a question. */
const HEADLESS = /^(What|Who|Whose|Whoever|Whatever|How|Whether|Why|Which|So many|So much)\b/;

/** A comment that begins with these lacks its subject. */
const FRAGMENT = /^(Of|To be|Gives)\b/;

/** "When it ends, the hold is posted." is a sentence; "When it ends." isn't. */
const CLAUSE = /^(When|Where)\b[^,]*$/;

/** Words that make a native speaker stop, and words for persons used for things. */
const WORDS = new RegExp(
  [
    "(is|are|be|been|was|were) taken for",
    "anew",
    "of late",
    "goes? by (it|them)",
    "whoever",
    "whomever",
    "told(?! apart)",
    "as it were",
    "is to be had",
    "beyond all measure",
    "so to speak",
    "hereby",
    "thereof",
    "therein",
    "henceforth",
    "lest",
    "nought",
  ]
    .map((words) => `\\b${words}\\b`)
    .join("|"),
  "i",
);

/** `signIn` and `optIn` are verbs, `SignIn` is a component, and `allOf` a keyword of JSON Schema. */
const VERBS = /^(sign|opt|check|log)(In|For|By)$|^SignIn$|^mergeAllOf$|^(is|has|can)[A-Z]/;
const NOUN = /^\s*(export )?(?:async )?function\*? (\w+(?:Of|In|For|By))\b/;

/** Participles that don't end in -ed. `Bound` is left out: a bound is a thing. */
const IRREGULAR =
  "Begun|Bought|Brought|Built|Caught|Chosen|Cut|Done|Drawn|Found|Given|Gone|Held|Hidden|Kept|Known|Left|Lost|Made|Met|Paid|Put|Read|Seen|Sent|Shown|Sold|Sought|Spent|Split|Taken|Thought|Told|Understood|Written";
/** Nouns that only look like participles. */
const NOUNS = "Bed|Feed|Need|Seed|Speed";
const PARTICIPLE_TYPE = new RegExp(
  `^\\s*(?:export )?(?:abstract )?(?:interface|type|class) ((?!(?:${NOUNS})\\b)(?:[A-Z][a-z]*ed|${IRREGULAR}))\\b`,
);

interface Comment {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Returns each block comment, and each run of line comments, as one text without its code. */
function readComments(source: string): readonly Comment[] {
  const comments: { line: number; text: string }[] = [];
  let last: { line: number; text: string; end: number } | null = null;
  for (const [at, line] of source.split("\n").entries()) {
    const match = /^\s*(\/\/+|\/\*\*?|\*(?!\/))(.*)$/.exec(line);
    if (!match) continue;
    const [, mark = "", rest = ""] = match;
    const text = rest.replace(/\*\/\s*$/, "").trim();
    if (last && last.end === at - 1 && mark !== "/**") {
      last.text += ` ${text}`;
      last.end = at;
    } else {
      last = { line: at + 1, text, end: at };
      comments.push(last);
    }
  }
  return comments.map(({ line, text }) => ({ line, text: text.replace(/`[^`]*`/g, "code") }));
}

function splitSentences(text: string): readonly string[] {
  return text.trim().split(/(?<=[.?!])\s+(?=[A-Z])/);
}

/** Returns why a sentence is refused, or null. */
function judge(sentence: string): string | null {
  if (!sentence.endsWith("?") && (HEADLESS.test(sentence) || CLAUSE.test(sentence))) return "headless";
  return WORDS.exec(sentence)?.[0] ?? null;
}

function findComments(path: string, source: string): readonly string[] {
  return readComments(source).flatMap(({ line, text }) => [
    ...(path.startsWith("src/") && FRAGMENT.test(text.trim())
      ? [`${path}:${line}: "fragment": ${text}`]
      : []),
    ...splitSentences(text).flatMap((sentence) => {
      const reason = judge(sentence);
      return reason ? [`${path}:${line}: "${reason}": ${sentence}`] : [];
    }),
  ]);
}

function findNames(path: string, source: string): readonly string[] {
  return source.split("\n").flatMap((line, at) => {
    const [, exported, name] = NOUN.exec(line) ?? [];
    // The tests' own functions are held to the rule where other files call them.
    if (!name || VERBS.test(name) || (!exported && !path.startsWith("src/"))) return [];
    return [`${path}:${at + 1}: ${name}`];
  });
}

/** Finds types with a participle for a name, such as `Found`, which doesn't say what was found: `SearchHit` does. */
function findTypes(path: string, source: string): readonly string[] {
  if (!path.startsWith("src/")) return [];
  return source.split("\n").flatMap((line, at) => {
    const [, name] = PARTICIPLE_TYPE.exec(line) ?? [];
    return name === undefined ? [] : [`${path}:${at + 1}: ${name}`];
  });
}

const RULES = { comments: findComments, names: findNames, types: findTypes };

/** Returns a rule's findings in the rooms that aren't exempt. `test` is a room too. */
function findIn(rule: keyof typeof RULES): readonly string[] {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => !file.includes("node_modules"))
      .map((file) => join(folder, file)),
  );
  return files
    .filter((path) => /\.tsx?$/.test(path) && !NOT_YET[rule].includes(roomOf(path)))
    .flatMap((path) => RULES[rule](path, readFileSync(join(ROOT, path), "utf8")));
}

function roomOf(path: string): string {
  const [folder = "", room = ""] = path.split("/");
  return folder === "test" ? folder : room;
}

test("comments are whole sentences in plain English", () => {
  expect(findIn("comments")).toEqual([]);
});

test("functions are verbs", () => {
  expect(findIn("names")).toEqual([]);
});

test("types are nouns", () => {
  expect(findIn("types")).toEqual([]);
});

test.each([
  ["// What the client sent.", ["headless"]],
  ["/** When it ends. */", ["headless"]],
  ["/** When it ends, the hold is posted. */", []],
  ["// It ends. Who asked is told.", ["headless"]],
  ["  // An unknown name is taken for\n  // the newest model's.", ["is taken for"]],
  ["// Is it empty? Why not?", []],
  ["/** `whoever` is a name here. */", []],
])("%p", (source, reasons) => {
  expect(findComments("a.ts", source).map((found) => found.split('"')[1] ?? "")).toEqual([...reasons]);
});

test.each([
  ["export function usageOf(body: Json): Usage {", 1],
  ["function settingOf([found]: Result): string | null {", 1],
  ["export async function signIn(page: Page) {", 0],
  ["export function parseUsage(body: Json): Usage {", 0],
])("%s", (source, count) => {
  expect(findNames("src/a.ts", source)).toHaveLength(count);
});

test.each([
  ["export interface Found {", 1],
  ['type Asked<F extends Form> = Pick<Call<F>, "ask">;', 1],
  ["class Learned implements Knowledge {", 1],
  ["interface FailedAttempt {", 0],
  ["export type Feed = Readonly<Record<string, string>>;", 0],
  ["export interface SearchHit {", 0],
])("%s", (source, count) => {
  expect(findTypes("src/a.ts", source)).toHaveLength(count);
});
