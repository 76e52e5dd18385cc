// The changes that `poundkey setup` would make for each agent. Nothing is written here.
import { join } from "node:path";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { AgentSetup, SetupChange, SetupFile, Template } from "../../docs/site/client-setups.ts";
import { type Filling, fillTemplate, fillText, holdsKey, namesKeyFile } from "./fill-template.ts";
import { type SettingChange, SettingsError } from "./formats/format.ts";
import { FORMATS, STRICT_JSON } from "./formats/formats.ts";
import { changeSettings } from "./formats/guard.ts";
import { isEqual, readField } from "./formats/values.ts";
import { hideKey } from "./hide.ts";
import type { FormatName } from "./journal.ts";
import { findFile, findFolder, findHome } from "./places.ts";
import { type FoundFile, findTarget, isInWorkTree, RefusedError, readSettings } from "./read-settings.ts";

const OTHERS = 0o077;
const NEW_MODE = 0o600;

export type SetupState = "connected" | "already" | "needs_person" | "refused" | "undone" | "left";

type SetupEnvironment = Readonly<Record<string, string | undefined>>;

/** A field as it is and as it becomes. Undefined stands for none. */
export interface PlannedField {
  readonly change: SettingChange;
  readonly from: unknown;
  readonly to: unknown;
  readonly isSecret: boolean;
  /** The fields within it that the agent itself changes. */
  readonly own: readonly string[];
}

export interface PlannedFile {
  readonly path: string;
  /** The file to which the path leads. */
  readonly target: string;
  readonly format: FormatName;
  readonly found: FoundFile | null;
  readonly next: Uint8Array;
  readonly mode: number;
  readonly fields: readonly PlannedField[];
  /** True if the file's bytes or its mode change. */
  readonly isChanged: boolean;
  readonly namesKeyFile: boolean;
}

export interface AgentPlan {
  readonly agent: string;
  readonly state: SetupState;
  readonly files: readonly PlannedFile[];
  readonly words: readonly string[];
}

interface SetupPlanning {
  readonly filling: Filling;
  /** True if the key is a sign-in's, which only a command can give. */
  readonly isSignIn: boolean;
  /** True if the file with the key isn't as it has to be. */
  readonly isKeyNew: boolean;
  readonly withTools: boolean;
  readonly intoGit: boolean;
  /** The models without which some agents can't work, of those that the gateway has. */
  readonly known: ReadonlySet<string>;
  readonly env: SetupEnvironment;
}

type NamedSetup = AgentSetup & { readonly name: string };

export function planAgent(setup: NamedSetup, asked: SetupPlanning): AgentPlan {
  const agent = setup.name;
  const stop = (words: string): AgentPlan => ({ agent, state: "needs_person", files: [], words: [words] });
  if (asked.isSignIn && setup.key !== "command")
    return stop("needs a key of its own: poundkey setup --key -");
  if (setup.needs !== undefined && !asked.known.has(setup.needs.model))
    return stop(fillText(setup.needs.words, asked.filling));
  const rows = mergeRows([...setup.files, ...listTools(setup, asked)], asked.env);
  const files = rows.map((row) => planFile(row, asked));
  const refused = files.flatMap(({ path, refusal }) => (refusal === null ? [] : [`${path}: ${refusal}`]));
  const planned = files.map(({ refusal: _, ...file }) => file);
  if (refused.length > 0) return { agent, state: "refused", files: planned, words: refused };
  const isChanged =
    planned.some((file) => file.isChanged) || (asked.isKeyNew && planned.some((file) => file.namesKeyFile));
  const state = setup.person !== undefined ? "needs_person" : isChanged ? "connected" : "already";
  return { agent, state, files: planned, words: listWords(setup, asked) };
}

function listTools({ tools = [] }: AgentSetup, { withTools, isSignIn }: SetupPlanning): readonly SetupFile[] {
  return withTools && !isSignIn ? tools : [];
}

function listWords(
  setup: AgentSetup,
  { filling, env, withTools, isSignIn }: SetupPlanning,
): readonly string[] {
  const shown = { ...filling, key: hideKey(filling.key) };
  const outranking = setup.outranking.filter((name) => env[name]);
  return [
    ...[setup.person, setup.says].flatMap((text) => (text === undefined ? [] : [fillText(text, shown)])),
    ...outranking.map((name) => `${name} in your environment counts before this: unset it.`),
    ...(setup.project === undefined ? [] : [`A project's own settings (${setup.project}) count first.`]),
    ...(withTools && isSignIn && setup.tools !== undefined
      ? ["Its tools need a key of their own: poundkey setup --tools --key -"]
      : []),
  ];
}

interface PlannedFileRow extends SetupFile {
  readonly path: string;
  readonly root: string;
}

/** The changes of one file stand in several rows if some are for tools. */
function mergeRows(rows: readonly SetupFile[], env: SetupEnvironment): readonly PlannedFileRow[] {
  const merged = new Map<string, PlannedFileRow>();
  for (const row of rows) {
    const path = findFile(row, env);
    const earlier = merged.get(path);
    const root = findFolder(row.folder, env);
    merged.set(path, { ...row, path, root, changes: [...(earlier?.changes ?? []), ...row.changes] });
  }
  return [...merged.values()];
}

type FileOutcome = PlannedFile & { readonly refusal: string | null };

function planFile(row: PlannedFileRow, asked: SetupPlanning): FileOutcome {
  const { path, root, format, changes } = row;
  const editor = row.isStrict ? STRICT_JSON : FORMATS[format];
  const templates = changes.flatMap(listTemplates);
  const isKeyed = templates.some(holdsKey);
  const named = { path, format, namesKeyFile: !asked.isSignIn && templates.some(namesKeyFile) };
  const filled = changes.map((change) => fillChange(change, asked.filling));
  try {
    const target = findTarget(path, findHome(asked.env), root);
    const found = readSettings(target);
    if (isKeyed && !asked.intoGit && isInWorkTree(target))
      throw new RefusedError(
        "it lies in a git work tree, from where the key could be published (--into-git allows it)",
      );
    const text = found?.text || (row.begins ?? "");
    const value = editor.parse(text);
    const kept = filled.map((one) => keepAgentFields(value, one));
    const next = changeSettings(
      editor,
      text,
      kept.map(({ change }) => change),
    );
    const fields = kept.flatMap((one) => describeField(value, one));
    const mode = (found?.mode ?? NEW_MODE) & (isKeyed ? ~OTHERS : ~0);
    const isChanged = found === null || next !== found.text || mode !== found.mode;
    return { ...named, target, found, next: Buffer.from(next), mode, fields, isChanged, refusal: null };
  } catch (error) {
    if (!(error instanceof RefusedError) && !(error instanceof SettingsError)) throw error;
    const fields = filled.flatMap((one) => describeField({}, one));
    const nothing = { target: path, found: null, next: new Uint8Array(), mode: NEW_MODE, isChanged: false };
    return { ...named, ...nothing, fields, refusal: error.message };
  }
}

function listTemplates(change: SetupChange): readonly Template[] {
  return "remove" in change ? [] : [change.to];
}

interface FilledChange {
  readonly change: SettingChange;
  readonly isSecret: boolean;
  readonly own: readonly string[];
}

/** Leaves a field as it is if the agent alone has changed it. */
function keepAgentFields(value: JsonObject, filled: FilledChange): FilledChange {
  const { change, own } = filled;
  const before = readField(value, change.path);
  if (change.kind !== "set" || own.length === 0) return filled;
  return isEqual(omitAgentFields(before, own), omitAgentFields(change.value, own))
    ? { ...filled, change: { ...change, value: before } }
    : filled;
}

/** Returns the value without the fields that the agent itself changes. */
export function omitAgentFields(value: unknown, own: readonly string[]): unknown {
  return isObject(value) ? omitFields(value, own) : value;
}

const omitFields = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

function fillChange(row: SetupChange, filling: Filling): FilledChange {
  const isSecret = row.isSecret === true;
  if ("remove" in row) return { change: { kind: "remove", path: row.remove.split(".") }, isSecret, own: [] };
  const value = fillTemplate(row.to, filling);
  if ("set" in row)
    return { change: { kind: "set", path: row.set.split("."), value }, isSecret, own: row.own ?? [] };
  const entry = isObject(value) ? value : {};
  const path = row.first.split(".");
  return { change: { kind: "first", path, value: entry, same: row.same }, isSecret, own: [] };
}

/** A field that isn't there can't be removed. */
function describeField(value: JsonObject, { change, ...more }: FilledChange): readonly PlannedField[] {
  const before = readField(value, change.path);
  if (change.kind === "remove")
    return before === undefined ? [] : [{ change, from: before, to: undefined, ...more }];
  const from = change.kind === "first" ? findSame(before, change) : before;
  return [{ change, from, to: change.value, ...more }];
}

/** Returns the entry that a new one replaces. */
function findSame(list: unknown, { value, same }: SameEntry): JsonObject | undefined {
  return listSame(list, { value, same })[0];
}

interface SameEntry {
  readonly value: JsonObject;
  readonly same: readonly string[];
}

export function listSame(list: unknown, { value, same }: SameEntry): readonly JsonObject[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).filter((entry) => same.every((name) => isEqual(entry[name], value[name])));
}

/** Returns the path of the file with the key of a gateway. */
export function findKeyFile(folder: string, address: string): string {
  const { hostname, port, protocol } = new URL(address);
  const usual = protocol === "https:" ? "443" : "80";
  return join(folder, `${hostname.replace(/^\[|\]$/g, "")}_${port || usual}`);
}
