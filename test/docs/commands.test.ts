// Every call of the command line in the documents is one that the command takes: its name, its action and its flags.
import { expect, test } from "bun:test";
import { runCommandLine } from "../../src/cli/commands.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { DOCUMENTS, readDocument } from "./documents.ts";

interface Call {
  readonly path: string;
  readonly line: string;
}

/** Calls within backticks, and lines of blocks, which may begin with a prompt, a path or `sudo`, or call the sources. */
const CALLS =
  /`(?:poundkey|npx bun src\/main\.ts) ([^`]+)`|^(?:\$ |sudo |\.\/dist\/)*(?:poundkey|npx bun src\/main\.ts) ([^#\n]+)/gm;
/** The words that `npm start` hands on to `poundkey serve`. */
const STARTS = /\bnpm start -- ([^`#\n]+)/g;

const calls: readonly Call[] = DOCUMENTS.flatMap((path) =>
  [...readDocument(path).matchAll(CALLS)].map(([, inline, block]) => ({
    path,
    line: (inline ?? block ?? "").trim(),
  })),
);

const helps = new Map<string, string>();

async function readHelp(name: string): Promise<string> {
  const known = helps.get(name);
  if (known !== undefined) return known;
  const { code, out } = await runPrinting((io) => runCommandLine([name, "--help"], io));
  const help = code === 0 ? out : "";
  helps.set(name, help);
  return help;
}

/** Returns the words of a call that the command's help doesn't know. */
async function findUnknown({ path, line }: Call): Promise<readonly string[]> {
  const words = line.replaceAll("\\|", " ").split(/[\s[\]|]+/);
  const [name = "", action = ""] = words;
  const named = (word: string) => `${path}: poundkey ${line}: ${word}`;
  if (/^(--version|COMMAND|[A-Z])/.test(name)) return [];
  const help = await readHelp(name);
  if (help === "") return [named(name)];
  const flags = [...line.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([flag]) => flag);
  const wrong = flags.filter((flag) => flag !== "--help" && !help.includes(flag));
  const hasActions = new RegExp(`^(usage:|  *) *poundkey ${name} [a-z]+ `, "m").test(help);
  const isUnknown = hasActions && /^[a-z]+$/.test(action) && !help.includes(`poundkey ${name} ${action}`);
  return [...wrong, ...(isUnknown ? [action] : [])].map(named);
}

const starts = DOCUMENTS.flatMap((path) =>
  [...readDocument(path).matchAll(STARTS)].map(([, words = ""]) => ({ path, words: words.trim() })),
);

test("`npm start` gets flags of serve, and no other command", async () => {
  expect(starts.length).toBeGreaterThan(0);
  expect(starts.filter(({ words }) => !words.startsWith("--"))).toEqual([]);
  const wrong = await Promise.all(
    starts.map(({ path, words }) => findUnknown({ path, line: `serve ${words}` })),
  );
  expect(wrong.flat()).toEqual([]);
});

test("every call of poundkey in the documents has a command, an action and flags that exist", async () => {
  expect(calls.length).toBeGreaterThan(100);
  const wrong = await Promise.all(calls.map(findUnknown));
  expect(wrong.flat()).toEqual([]);
});
