// Made settings files and changes, by seeds: a change does what it says, and nothing else; SETTINGS_SEED=n replays one.
import { describe, expect, test } from "bun:test";
import { type SettingChange, SettingsError } from "../../../../src/cli/setup/formats/format.ts";
import { FORMATS, STRICT_JSON } from "../../../../src/cli/setup/formats/formats.ts";
import { changeSettings } from "../../../../src/cli/setup/formats/guard.ts";
import { applyChange, readField } from "../../../../src/cli/setup/formats/values.ts";
import { isObject, type JsonObject, parseJson } from "../../../../src/core/json/json.ts";
import { IS_LONG, sampleRows } from "../../../harness/long.ts";
import { Dice } from "../../../sim/dice.ts";
import { makeChanges, makeVariableChanges, pruneEmpty, undoChange } from "./made-changes.ts";
import { makeDotenv } from "./made-dotenv.ts";
import { makeJson } from "./made-json.ts";
import { makeToml } from "./made-toml.ts";
import type { MadeFile } from "./made-tree.ts";
import { makeYaml } from "./made-yaml.ts";

const FILES = 100;
const ONE_SEED = process.env.SETTINGS_SEED;
/** The first seeds of as many files. */
const PARTS = ONE_SEED
  ? [Number(ONE_SEED)]
  : Array.from({ length: IS_LONG ? 20 : 1 }, (_, at) => at * FILES + 1);
/** Names of texts and comments. */
const NAMES = /\b[cv]\d+[cv]\b/g;
const WRONG = [
  ..."{}[]\",:#/*\\'=\n\r\t -|>&!?%@`$\u2028\uFEFF",
  "//",
  "/*",
  '"""',
  "---\n",
  "? ",
  "[[",
  "__proto__",
];
const BARE_LINE_END = /(?<!\r)\n/;

const STRICT = "strict json";
const TRIED = { ...FORMATS, [STRICT]: STRICT_JSON };
type Name = keyof typeof TRIED;
const MAKERS: Readonly<Record<Name, (dice: Dice) => MadeFile>> = {
  json: makeJson,
  [STRICT]: makeJson,
  toml: makeToml,
  yaml: makeYaml,
  dotenv: makeDotenv,
};
/** The share of files that may be refused: lists of tables, anchors and tags, names that appear twice, comments in strict JSON. */
const REFUSED_MOST: Readonly<Record<Name, number>> = {
  json: 0,
  [STRICT]: 0.8,
  toml: 0.2,
  yaml: 0.2,
  dotenv: 0.2,
};

describe.each(Object.keys(MAKERS).filter((name): name is Name => name in MAKERS))("%s", (name) => {
  test.each(PARTS)("from seed %d: changes do what they say and no more, and can be undone", (first) => {
    const refused = listSeeds(first).filter((seed) => replay(seed, () => tryFile(name, seed) === "refused"));
    expect(refused.length / FILES).toBeLessThanOrEqual(REFUSED_MOST[name]);
  });

  test.each(PARTS)(
    "from seed %d: files with a few wrong characters are refused, or changed alike",
    (first) => {
      for (const seed of sampleRows(listSeeds(first), 2)) replay(seed, () => tryBroken(name, seed));
    },
  );
});

function listSeeds(first: number): readonly number[] {
  return Array.from({ length: ONE_SEED ? 1 : FILES }, (_, at) => first + at);
}

/** Names the seed of what fails. */
function replay<Result>(seed: number, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Error(`SETTINGS_SEED=${seed}: ${error}`);
  }
}

/** A change is refused or made whole. Any other error fails. */
function tryBroken(name: Name, seed: number): void {
  const dice = new Dice(-seed);
  const format = TRIED[name];
  const text = breakText(MAKERS[name](dice).text, dice);
  for (const change of makeSome(name, dice)) {
    const changed = attempt(() => changeSettings(format, text, [change]));
    if (changed === null) continue;
    expect(format.parse(changed)).toStrictEqual(applyChange(format.parse(text), change));
    if (parseJson(text) !== undefined) expect(parseJson(changed)).toBeDefined();
  }
}

function breakText(text: string, dice: Dice): string {
  const at = dice.int(0, text.length);
  const kind = dice.pick(["add", "add", "cut", "end"]);
  if (kind === "add") return text.slice(0, at) + dice.pick(WRONG) + text.slice(at);
  return text.slice(0, at) + (kind === "cut" ? text.slice(at + dice.int(1, 3)) : "");
}

function makeSome(name: Name, dice: Dice): readonly SettingChange[] {
  return name === "dotenv" ? makeVariableChanges(dice) : makeChanges(dice);
}

function tryFile(name: Name, seed: number): "changed" | "refused" {
  const dice = new Dice(seed);
  const file = MAKERS[name](dice);
  const format = TRIED[name];
  if (name === STRICT && !isStandard(file.text)) {
    expect(attempt(() => changeSettings(format, file.text, []))).toBeNull();
    return "refused";
  }
  const before = format.parse(file.text);
  const steps = listSteps(before, makeSome(name, dice));
  const changes = steps.map(({ change }) => change);
  const after = steps.at(-1)?.after ?? before;
  const changed = attempt(() => changeSettings(format, file.text, changes));
  if (changed === null) return "refused";
  expect(format.parse(changed)).toStrictEqual(after);
  expect(
    changeSettings(
      format,
      changed,
      changes.filter((change) => isMade(after, change)),
    ),
  ).toBe(changed);
  if (parseJson(file.text) !== undefined) expect(parseJson(changed)).toStrictEqual(after);
  expectRest(file, changed, before, changes);
  const undone = attempt(() =>
    changeSettings(
      format,
      changed,
      steps.toReversed().map((step) => undoChange(step.change, step.before, step.after)),
    ),
  );
  if (undone === null) return "refused";
  expect(pruneEmpty(format.parse(undone))).toStrictEqual(pruneEmpty(before));
  return "changed";
}

/** True for JSON that every program reads, and for a file without a text. */
function isStandard(text: string): boolean {
  const body = text.replace("\uFEFF", "").trim();
  return body === "" || parseJson(body) !== undefined;
}

/** True for a change that changes nothing when made again: no later one has undone it. */
function isMade(after: JsonObject, change: SettingChange): boolean {
  const [step] = listSteps(after, [change]);
  return step !== undefined && Bun.deepEquals(step.after, after, true);
}

interface Step {
  readonly change: SettingChange;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Returns null if the changes were refused. */
function attempt(change: () => string): string | null {
  try {
    return change();
  } catch (error) {
    if (error instanceof SettingsError) return null;
    throw error;
  }
}

/** Leaves out changes that another value stands in the way of. */
function listSteps(value: JsonObject, changes: readonly SettingChange[]): readonly Step[] {
  let before = value;
  return changes.flatMap((change) => {
    try {
      const after = applyChange(before, change);
      const step = { change, before, after };
      before = after;
      return [step];
    } catch (error) {
      if (error instanceof SettingsError) return [];
      throw error;
    }
  });
}

/** All comments and texts outside of what was changed are there, in their order; lines without brackets are whole. */
function expectRest(
  file: MadeFile,
  changed: string,
  before: JsonObject,
  changes: readonly SettingChange[],
): void {
  const gone = new Set([...listTexts(before, changes), ...listComments(file, changes)]);
  const stays = (line: string) => (line.match(NAMES) ?? []).filter((name) => !gone.has(name));
  const left = (changed.match(NAMES) ?? []).filter((name) => !gone.has(name));
  expect(left).toEqual(stays(file.text));
  expect(changed.startsWith("\uFEFF")).toBe(file.text.startsWith("\uFEFF"));
  if (left.length > 0 && /\n/.test(file.text) && !BARE_LINE_END.test(file.text))
    expect(changed).not.toMatch(BARE_LINE_END);
  const isWhole = (line: string) =>
    (/\bv\d+v\b/.test(line) || /^\s*(#|\/\/)/.test(line)) && stays(line).length === line.match(NAMES)?.length;
  const lines = file.text.split("\n").filter((line) => isWhole(line) && !/[{}[\]]/.test(line));
  const made = changed.split("\n").map(trimComma);
  let at = -1;
  for (const line of lines.map(trimComma)) {
    at = made.indexOf(line, at + 1);
    if (at === -1) throw new Error(`This line is gone: ${line}`);
  }
}

/** The comma after an element belongs to the next one. */
function trimComma(line: string): string {
  return line.replace(/\uFEFF|\r/g, "").replace(/,(?=\s*(\/\/|\/\*|$))/, "");
}

function listTexts(before: JsonObject, changes: readonly SettingChange[]): readonly string[] {
  return changes.flatMap(({ kind, path }) => {
    const field = readField(before, path);
    const values =
      kind === "first" || kind === "drop"
        ? (Array.isArray(field) ? field : []).filter((entry) => isObject(entry) && entry.id === "ours")
        : field;
    return JSON.stringify(values ?? null).match(NAMES) ?? [];
  });
}

function listComments({ comments }: MadeFile, changes: readonly SettingChange[]): readonly string[] {
  return [...comments]
    .filter(([, place]) =>
      changes.some(({ kind, path }) => {
        const isIn = path.every((key, at) => key === place[at]);
        return isIn && (kind === "set" || kind === "remove" || place.length > path.length);
      }),
    )
    .map(([name]) => name);
}
