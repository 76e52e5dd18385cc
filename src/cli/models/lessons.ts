// The subcommands of `poundkey route` that learn from labels, and show, forget, export and import them.
import { writeFileSync } from "node:fs";
import { forgetLessons, LESSONS_AT_ONCE, type LearnedView, readLessons } from "../../admin/models/lessons.ts";
import type { ActingWorld } from "../../admin/world.ts";
import {
  createLearning,
  type LessonStore,
  measureLengths,
  nameLabels,
  teachLabels,
  viewLearned,
} from "../../app/models/learning.ts";
import type { Io } from "../../app/terminal.ts";
import { buildCatalogue, type Catalogue } from "../../catalogue/catalogue.ts";
import { Fault } from "../../core/faults/fault.ts";
import { asObject, asString, isObject, type JsonObject, parseJson } from "../../core/json/json.ts";
import { writeJsonLine } from "../../core/json/json-line.ts";
import { LESSON_SOURCES, type Lesson } from "../../core/models/learned/lesson.ts";
import type { Settings } from "../../core/settings.ts";
import { LearnedModels } from "../../learning/learned.ts";
import { readRow } from "../../learning/lesson.ts";
import { packRow } from "../../selectors/row.ts";
import { readChatRequest } from "../../surfaces/openai-chat/read.ts";
import { formatJson } from "../administration.ts";
import { UsageError } from "../arguments.ts";
import { readInputFile } from "../input-file.ts";
import { formatTable } from "../table.ts";

export interface LessonCall {
  readonly settings: Settings;
  readonly io: Io;
  readonly json: boolean;
  /** For changes on record as the command's. */
  readonly open: () => Promise<ActingWorld>;
}

/** Readable by its owner alone, because the lessons come from prompts. */
const FILE_MODE = 0o600;

export async function readLearned(store: ActingWorld["store"], catalogue: Catalogue): Promise<LearnedModels> {
  const learned = new LearnedModels();
  const looking = {
    setting: store.setting.bind(store),
    lessons: store.lessons.bind(store),
    // Reading must not change the store.
    setSetting: async () => {},
    pruneLessons: async () => 0,
    dropLessons: async () => {},
  };
  await measureLengths(store, learned, () => {});
  const learning = openLessons(looking, learned, catalogue);
  const latestMs = await learning.recall();
  const isCurrent = latestMs !== null && (await store.lessons(latestMs + 1, 1)).length === 0;
  if (!isCurrent) await learning.refresh();
  return learned;
}

/** Fits all lessons and keeps what came out, so that the next gateway decides by it from its first request on. */
export async function refitLessons(store: ActingWorld["store"], { settings }: LessonCall): Promise<void> {
  const learned = new LearnedModels();
  await measureLengths(store, learned, () => {});
  const learning = openLessons(store, learned, buildCatalogue(settings));
  await learning.recall();
  await learning.refresh();
}

/** Only gateways report what they find while learning. */
function openLessons(store: LessonStore, learned: LearnedModels, catalogue: Catalogue) {
  const cards = () => catalogue.list();
  return createLearning({ store, learned, cards, choosable: () => [], log: () => {} });
}

/** Each score of a model for a prompt is learned once. The labels of a prompt are one lesson. */
export async function learnLabels(call: LessonCall, file: string): Promise<void> {
  const catalogue = buildCatalogue(call.settings);
  const labels = readLines(file, (line, wrong) => parseLabel(line, wrong, catalogue, call.settings));
  const { store } = await call.open();
  let learned = 0;
  for (const own of Map.groupBy(labels, ({ request }) => nameLabels(request)).values()) {
    const [first] = own;
    if (first !== undefined) learned += await teachLabels(store, first.request, own);
  }
  if (learned > 0) await refitLessons(store, call);
  const known = labels.length - learned;
  printResult(call, { learned, known }, `Learned from ${learned} labels; ${known} were already known.`);
}

type LineError = (what: string) => UsageError;

/** Reads every line that isn't empty. Throws a UsageError that names the file and the first wrong line, so that nothing is stored. */
function readLines<Read>(file: string, read: (line: string, wrong: LineError) => Read): readonly Read[] {
  const lines = readInputFile(file).toString("utf8").split("\n");
  return lines.flatMap((line, at) =>
    line.trim() === "" ? [] : [read(line.trim(), (what) => new UsageError(`${file}:${at + 1}: ${what}`))],
  );
}

function parseLabel(line: string, wrong: LineError, catalogue: Catalogue, settings: Settings) {
  const label = parseLine(line, wrong);
  const found = catalogue.resolve(asString(label.model) ?? "");
  if (found.kind !== "card") throw wrong(`'model' must be the id of an available model`);
  const score = readShare(label, "score", wrong);
  const { prompt } = label;
  const messages =
    label.messages ?? (typeof prompt === "string" ? [{ role: "user", content: prompt }] : undefined);
  if (messages === undefined) throw wrong("expected 'prompt' or 'messages'");
  try {
    const request = readChatRequest({ model: found.card.id, messages }, settings.limits);
    return { request, card: found.card, score };
  } catch (error) {
    throw error instanceof Fault ? wrong(error.message) : error;
  }
}

export async function showLearned({ io, json, open, settings }: LessonCall): Promise<void> {
  const learned = await readLearned((await open()).store, buildCatalogue(settings));
  printLearned(viewLearned(learned), { io, json });
}

export function printLearned(
  views: readonly LearnedView[],
  { io, json }: Pick<LessonCall, "io" | "json">,
): void {
  if (json) {
    io.out(formatJson(views));
    return;
  }
  const rows = views.map(({ model, labels, length, categories, changed }) => [
    model,
    String(labels),
    `× ${length}`,
    changed === null ? "-" : `${changed.before} → ${changed.after} on ${changed.on}`,
    Object.entries(categories)
      .flatMap(([kind, own]) => (own === undefined ? [] : [`${kind} ${own.score} (${own.labels})`]))
      .join(", "),
  ]);
  io.out(formatTable([["MODEL", "LABELS", "LENGTH", "CHANGED", "MEAN SCORE BY KIND (LABELS)"], ...rows]));
}

/** Forgets lessons. Running gateways do so within a few seconds. */
export async function forgetModelLessons(call: LessonCall, name: string | undefined): Promise<void> {
  const catalogue = buildCatalogue(call.settings);
  const found = name === undefined ? null : catalogue.resolve(name);
  const model = found?.kind === "card" ? found.card.id : name;
  const world = await call.open();
  const { store } = world;
  if (model !== undefined && found?.kind !== "card") {
    const isKnown = (await readLearned(store, catalogue)).views().some((view) => view.model === model);
    if (!isKnown) throw new UsageError(`there is no model with the id '${model}'`);
  }
  const done = await forgetLessons(world, model ?? null);
  await refitLessons(store, call);
  printForgotten(call, done, model);
}

export function printForgotten(call: LessonCall, done: object, model: string | undefined): void {
  printResult(call, done, `Forgot ${model === undefined ? "all labels" : `the labels of ${model}`}.`);
}

/** Writes one score per line, in the form that `importLessons` reads. */
export async function exportLessons(call: LessonCall, file: string): Promise<void> {
  const lines = new Map<string, readonly string[]>();
  const { store } = await call.open();
  for await (const lessons of readLessons(store, 0, LESSONS_AT_ONCE)) {
    for (const lesson of lessons) lines.set(`${lesson.accountId} ${lesson.id}`, formatLesson(lesson));
  }
  const all = [...lines.values()].flat();
  writeFileSync(file, all.join(""), { mode: FILE_MODE });
  printResult(call, { exported: all.length }, `Wrote ${all.length} lessons to ${file}.`);
}

function formatLesson({ accountId, keyId, atMs, request, marks, ...rest }: Lesson): readonly string[] {
  const fields = { account_id: accountId, key_id: keyId, at: new Date(atMs).toISOString() };
  return marks.map((mark) =>
    writeJsonLine(JSON.stringify({ ...fields, ...rest, ...mark, request: parseJson(request) })),
  );
}

/** Known scores stay as they are. Running gateways read the new ones within a few seconds. */
export async function importLessons(call: LessonCall, file: string): Promise<void> {
  const lessons = readLines(file, parseLesson);
  const { store } = await call.open();
  const accounts = new Set<string>();
  for (const id of new Set(lessons.map(({ accountId }) => accountId)))
    if ((await store.account(id)) !== null) accounts.add(id);
  const given = lessons.map((lesson) => ({
    ...lesson,
    accountId: accounts.has(lesson.accountId) ? lesson.accountId : "default",
  }));
  let imported = 0;
  for (const lesson of joinLabels(given)) imported += await store.teach(lesson);
  if (imported > 0) {
    // Makes all nodes read every lesson again.
    await store.setSetting("lessons_forgotten", String(Date.now()));
    await refitLessons(store, call);
  }
  const known = lessons.length - imported;
  printResult(call, { imported, known }, `Imported ${imported} lessons; ${known} were already known.`);
}

/** The labels of one prompt as one lesson, as the store keeps them. */
function joinLabels(lessons: readonly Lesson[]): readonly Lesson[] {
  const byId = Map.groupBy(lessons, ({ accountId, id }) => `${accountId} ${id}`);
  return [...byId.values()].flatMap((own) => {
    const [first] = own;
    if (first?.source !== "label") return own;
    const atMs = Math.max(...own.map((one) => one.atMs));
    return { ...first, atMs, marks: own.flatMap(({ marks }) => marks) };
  });
}

function parseLesson(line: string, wrong: LineError): Lesson {
  const fields = parseLine(line, wrong);
  const textIn = (field: string) => {
    const value = asString(fields[field]);
    if (value !== undefined) return value;
    throw wrong(`'${field}' must be a string`);
  };
  const atMs = Date.parse(textIn("at"));
  if (Number.isNaN(atMs)) throw wrong("'at' must be a time like 2026-11-20T12:00:00.000Z");
  const source = LESSON_SOURCES.find((one) => one === fields.source);
  if (source === undefined) throw wrong(`'source' must be one of ${LESSON_SOURCES.join(", ")}`);
  const row = readRow(JSON.stringify(asObject(fields.request)));
  if (row === null) throw wrong("'request' was written by an incompatible version of Poundkey");
  const mark = {
    model: textIn("model"),
    score: readShare(fields, "score", wrong),
    expected: readShare(fields, "expected", wrong),
  };
  return {
    accountId: textIn("account_id"),
    keyId: textIn("key_id"),
    id: textIn("id"),
    atMs,
    source,
    request: JSON.stringify({ row: packRow(row) }),
    weight: readShare(fields, "weight", wrong),
    marks: [mark],
  };
}

function parseLine(line: string, wrong: LineError): JsonObject {
  const value = parseJson(line);
  if (isObject(value)) return value;
  throw wrong("expected a JSON object");
}

function readShare(row: JsonObject, field: string, wrong: LineError): number {
  const value = row[field];
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw wrong(`'${field}' must be a number from 0 to 1`);
}

function printResult({ io, json }: LessonCall, data: object, words: string): void {
  io.out(json ? formatJson(data) : words);
}
