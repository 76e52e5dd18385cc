// The text and the JSON of `poundkey setup`: our fields alone, and of keys their last four characters.
import type { JsonObject } from "../../core/json/json.ts";
import { showInvisible } from "../../core/text/names.ts";
import { isEqual } from "./formats/values.ts";
import { hideValue } from "./hide.ts";
import { findTemplate, hideSetupValue } from "./hide-setup-value.ts";
import type { AgentPlan, PlannedFile, SetupState } from "./plan.ts";
import type { UndoneFile } from "./undo.ts";

interface ShownChange {
  readonly field: string;
  /** Null stands for none. */
  readonly from: unknown;
  readonly to: unknown;
}

export interface ShownAgent {
  readonly agent: string;
  readonly state: SetupState;
  readonly files: readonly { readonly path: string; readonly changes: readonly ShownChange[] }[];
  readonly words: string;
}

/** All fields of a refused agent are shown, so that a person can write them. */
export function showPlan({ agent, state, files, words }: AgentPlan, key: string): ShownAgent {
  const isWhole = state === "refused";
  const shown = files.map((file) => ({ path: file.path, changes: listChanges(file, isWhole, key) }));
  return {
    agent,
    state,
    files: shown.filter(({ changes }) => changes.length > 0),
    words: showInvisible(words.join(" ")),
  };
}

function listChanges({ fields }: PlannedFile, isWhole: boolean, key: string): readonly ShownChange[] {
  return fields.flatMap(({ change, from, to, isSecret }) => {
    if (!isWhole && isEqual(from, to)) return [];
    const field = change.path.join(".");
    return [{ field, from: hideFormer(from, isSecret, key), to: hideValue(to, false, key) ?? null }];
  });
}

function hideFormer(value: unknown, isSecret: boolean, key: string | null): unknown {
  return hideValue(value, isSecret, key) ?? null;
}

/** Returns the agents of the files, each with what became of it. */
export function showUndone(files: readonly UndoneFile[]): readonly ShownAgent[] {
  return [...Map.groupBy(files, ({ file }) => file.agent)].map(([agent, own]) => {
    const words = own.flatMap((one) => one.words);
    return {
      agent,
      state: words.length === 0 ? ("undone" as const) : ("left" as const),
      files: own.map(({ file, fields }) => ({
        path: file.path,
        changes: fields.map(({ field, from, to }) => ({
          field: field.path.join("."),
          from: field.isSecret
            ? (hideSetupValue(from, findTemplate(agent, field)) ?? null)
            : hideFormer(from, false, null),
          to: hideFormer(to, field.isSecret, null),
        })),
      })),
      words: showInvisible(words.join(" ")),
    };
  });
}

export function viewAgent({ agent, state, files, words }: ShownAgent): JsonObject {
  return { agent, state, files, words };
}

/** The states of what is still to be written, where they are others. */
const PLANNED: Readonly<Partial<Record<SetupState, string>>> = {
  connected: "to be connected",
  undone: "to be undone",
};

/**
 * Returns an agent's lines for people: the files with their fields, then what there is to say. `isPlanned` if nothing is
 * written yet.
 */
export function describeAgent(
  { agent, state, files, words }: ShownAgent,
  home: string,
  isPlanned: boolean,
): string {
  const shorten = (path: string) => (path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
  const width = Math.max(0, ...files.flatMap(({ changes }) => changes.map(({ field }) => field.length)));
  const lines = files.flatMap(({ path, changes }) => [
    `  ${shorten(path)}`,
    ...changes.map(({ field, from, to }) => `    ${field.padEnd(width)}  ${describeChange(from, to)}`),
  ]);
  const shown = (isPlanned ? PLANNED[state] : undefined) ?? state;
  return [`${agent}: ${shown}`, ...lines, ...(words === "" ? [] : [`  ${words}`])].join("\n");
}

function describeChange(from: unknown, to: unknown): string {
  const was = from === null ? "" : `  (was ${describeValue(from)})`;
  return `${to === null ? "taken out" : describeValue(to)}${was}`;
}

function describeValue(value: unknown): string {
  return typeof value === "string" ? value : showInvisible(JSON.stringify(value));
}
