// The operator's use-cases on what a model refuses: words set at run time, which are kept in the store and shared by all nodes.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Fault } from "../../core/faults/fault.ts";
import { asObject, parseJson } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { DialectName } from "../../core/models/dialect-names.ts";
import type { LessonCondition } from "../../core/models/learned/condition.ts";
import { type RefusalLesson, WORD_CHARACTERS_MAX } from "../../core/models/learned/refusal-lesson.ts";
import {
  describeRefusal,
  explainNoEffect,
  parseRefusal,
  type Refusal,
  type RefusalRules,
} from "../../core/models/refusals.ts";
import { findFieldWord } from "../../core/models/refused-fields.ts";
import type { ModelOverlay } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import { formatInstant } from "../format.ts";
import { allowNull, allowWords, boolean, closeObject, count, instant, text, type View } from "../schema.ts";
import type { ActingWorld } from "../world.ts";

/** Every process reads all of them at each change. */
const MODELS_MAX = 1000;
const WORDS_MAX = 50;
const ALWAYS: ReadonlySet<string> = new Set(["model", "messages", "input", "contents", "prompt"]);

export const modelChangeSchema = closeObject({
  refuses: Type.Array(Type.String({ minLength: 1, maxLength: 1 + WORD_CHARACTERS_MAX }), {
    maxItems: WORDS_MAX,
    uniqueItems: true,
  }),
});

export const modelRulesSchema = Type.Object({
  id: text,
  refuses: Type.Array(text),
  // Null for a model of which nothing is said.
  source: allowNull(allowWords(["configured", "stored"])),
  lessons: Type.Array(
    Type.Object({
      refuses: text,
      // The end of the sentence "The model refuses …".
      meaning: text,
      // True for the operator's own words. Those that the gateway has learned by itself have a host and times.
      pinned: boolean,
      host: allowNull(text),
      first_seen: allowNull(instant),
      last_seen: allowNull(instant),
      // True once a call without it was answered.
      confirmed: boolean,
      // `some` are those members and accounts whose requests met it.
      known_to: allowWords(["all", "some"]),
      // It is left out of requests that have everything of `beside`, and else at most what is in `perhaps` (null: anything). Empty: of all.
      conditions: Type.Array(Type.Object({ beside: Type.Array(text), perhaps: allowNull(Type.Array(text)) })),
    }),
  ),
  refused_fields: Type.Array(
    Type.Object({
      field: text,
      count,
      // The word that leaves the field out. Null if there is none.
      refuses: allowNull(text),
    }),
  ),
});
export type ModelRulesView = View<typeof modelRulesSchema>;

export interface ModelRulesParts {
  readonly store: Pick<Store, "setting">;
  /** Returns the file's changes to models. */
  readonly configured: () => readonly ModelOverlay[];
  /** Undefined if no enabled model has the id. */
  readonly findModel: (id: string) => ModelCard | undefined;
  /** Returns the dialects in which the model may be called. */
  readonly findDialects: (card: ModelCard) => readonly DialectName[];
  /** Returns what the model was found to refuse. */
  readonly lessons: (id: string) => readonly RefusalLesson[];
  /** Returns how often the model's provider refused each field. */
  readonly refusedFields: (id: string) => ReadonlyMap<string, number>;
  /** Applies what the store holds to this process. The others find it on their own. */
  readonly refresh: () => Promise<void>;
}

type ModelRulesChangeParts = ModelRulesParts & Pick<ActingWorld, "changes">;

export async function getModelRules(parts: ModelRulesParts, wanted: string): Promise<ModelRulesView> {
  const { id } = requireModel(parts, wanted);
  const own = findConfigured(parts, id);
  const stored = own ? undefined : readStoredRules(await parts.store.setting("model_rules")).get(id);
  const refuses = own ? listWords(own) : (stored ?? []);
  const fields = [...parts.refusedFields(id)].map(([field, count]) => ({
    field,
    count,
    refuses: findFieldWord(field),
  }));
  const source = own ? "configured" : stored ? "stored" : null;
  const said = new Set(refuses.map((word) => word.replace(/^-/, "")));
  const learned = parts.lessons(id).filter(({ word }) => !said.has(word));
  const lessons = [...listPinned(refuses), ...learned.map(viewLesson)];
  return { id, refuses, source, lessons, refused_fields: fields.toSorted((a, b) => b.count - a.count) };
}

type LessonView = ModelRulesView["lessons"][number];

/** Words behind a minus sign are no refusals. */
function listPinned(words: readonly string[]): readonly LessonView[] {
  return words
    .filter((word) => !word.startsWith("-"))
    .map((word) => ({
      refuses: word,
      meaning: describeRefusal(word),
      pinned: true,
      host: null,
      first_seen: null,
      last_seen: null,
      confirmed: true,
      known_to: "all",
      conditions: [],
    }));
}

function viewLesson(lesson: RefusalLesson): LessonView {
  const { word, host, firstSeenAtMs, seenAtMs, confirmedAtMs, sharedAtMs, conditions } = lesson;
  return {
    refuses: word,
    meaning: describeRefusal(word),
    pinned: false,
    host,
    first_seen: formatInstant(firstSeenAtMs),
    last_seen: formatInstant(seenAtMs),
    confirmed: confirmedAtMs !== null,
    known_to: sharedAtMs === null ? "some" : "all",
    conditions: (conditions ?? []).map((one) => viewCondition(one, word)),
  };
}

/** The fields that every request has, and the refused one itself, say nothing. */
function viewCondition({ all, some }: LessonCondition, word: string) {
  const own = word.replace(/^field:/, "");
  const says = (name: string) => !ALWAYS.has(name) && name.replace(/=.*/, "").split(".").at(-1) !== own;
  return {
    beside: all.filter(says),
    perhaps: some?.filter((name) => says(name) && !all.includes(name)) ?? null,
  };
}

/** Replaces a model's words. An empty list takes them away. */
export async function changeModelRules(
  parts: ModelRulesChangeParts,
  wanted: string,
  { refuses }: Static<typeof modelChangeSchema>,
): Promise<ModelRulesView> {
  const card = requireModel(parts, wanted);
  const { id } = card;
  refuseConfigured(parts, id);
  checkWords(refuses, parts.findDialects(card));
  await parts.changes.changeOperatorSetting("model_rules", (value) => {
    const all = new Map(readStoredRules(value));
    if (refuses.length === 0) all.delete(id);
    else all.set(id, refuses);
    if (all.size > MODELS_MAX) throw invalidValue("refuses", `at most ${MODELS_MAX} models can have words`);
    return JSON.stringify(Object.fromEntries(all));
  });
  await parts.refresh();
  return getModelRules(parts, id);
}

function requireModel({ findModel }: ModelRulesParts, id: string): ModelCard {
  const found = findModel(id);
  if (found) return found;
  throw new Fault("not_found", `There is no enabled model '${id}'. GET /v1/models lists them.`);
}

function findConfigured({ configured }: ModelRulesParts, id: string): ModelOverlay | undefined {
  return configured().find((one) => one.id === id && hasWords(one));
}

function hasWords({ refuses, accepts }: RefusalRules): boolean {
  return (refuses?.size ?? 0) + (accepts?.size ?? 0) > 0;
}

function listWords({ refuses, accepts }: RefusalRules): readonly string[] {
  return [...(refuses ?? []), ...[...(accepts ?? [])].map((word) => `-${word}`)];
}

function refuseConfigured(parts: ModelRulesParts, id: string): void {
  if (findConfigured(parts, id) === undefined) return;
  const message = "What this model refuses is defined in the configuration file. Change it there.";
  throw new Fault("model_configured", message, { param: "refuses" });
}

function checkWords(words: readonly string[], spoken: readonly DialectName[]): void {
  for (const [at, word] of words.entries()) {
    const param = `refuses[${at}]`;
    const parsed = parseRefusal(word);
    if (parsed === null)
      throw invalidValue(
        param,
        `'${word.slice(0, 40)}' is no word for what a model refuses; see /docs/refuses`,
      );
    if (words.includes(`-${word}`)) throw invalidValue(param, `'${word}' contradicts '-${word}'`);
    const problem = explainNoEffect(parsed, spoken);
    if (problem !== null) throw invalidValue(param, `'${word}' ${problem}`);
  }
}

/** Returns a lesson that came from another gateway as it is on record. */
export function describeLesson({ model, host, word }: RefusalLesson) {
  const target = { type: "model", id: model, name: model } as const;
  return { action: "model.changed", target, before: {}, after: { lesson: word, host } } as const;
}

const stored = Type.Record(Type.String(), Type.Array(Type.String()));

/** Returns the words by model. A malformed value counts as none. */
export function readStoredRules(value: string | null): ReadonlyMap<string, readonly string[]> {
  const found = asObject(parseJson(value ?? "{}"));
  return new Map(Value.Check(stored, found) ? Object.entries(found) : []);
}

/** Returns stored words as a model's rules. Words that this version doesn't know are skipped. */
export function parseRules(words: readonly string[]): RefusalRules {
  const refuses = new Set<Refusal>();
  const accepts = new Set<Refusal>();
  for (const text of words) {
    const parsed = parseRefusal(text);
    if (parsed) (parsed.isTaken ? accepts : refuses).add(parsed.word);
  }
  return { refuses, accepts };
}
