// The part of `poundkey route` on lessons: learns from labels, shows, forgets, exports and imports them.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { forgetLessons } from "../admin/lessons.ts";
import { Learning, measureLogged, readLessons, roundLength } from "../app/learning.ts";
import type { Io } from "../app/terminal.ts";
import { clock } from "../app/world.ts";
import { buildCatalogue, type Catalogue } from "../catalogue/catalogue.ts";
import { Fault } from "../core/fault.ts";
import { asObject, asString, isObject, type JsonObject, parseJson } from "../core/json.ts";
import { LESSON_SOURCES, type Lesson } from "../core/rows.ts";
import type { Settings } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import type { ChatRequest } from "../operations/chat/form.ts";
import { readFeatures } from "../selectors/features.ts";
import { Learned } from "../selectors/learning/learned.ts";
import { isUnderstood, makeLesson } from "../selectors/learning/lesson.ts";
import { predict } from "../selectors/predictor.ts";
import { readChatRequest } from "../surfaces/openai-chat/read.ts";
import { formatJson, formatTable, UsageError } from "./administration.ts";

export interface LessonCall {
  readonly settings: Settings;
  readonly io: Io;
  readonly json: boolean;
  readonly open: () => Promise<Store>;
}

/** Readable by its owner alone, because the lessons come from prompts. */
const FILE_MODE = 0o600;

export async function readLearned(store: Store): Promise<Learned> {
  const learned = new Learned();
  const looking = {
    setting: store.setting.bind(store),
    lessons: store.lessons.bind(store),
    // Reading must not change the store.
    pruneLessons: async () => 0,
  };
  await new Learning(looking, learned, clock).refresh();
  await measureLogged(store, learned, () => {});
  return learned;
}

/** Each line is learned once, because a lesson's id is the digest of its line. */
export async function learn(call: LessonCall, file: string): Promise<void> {
  const catalogue = buildCatalogue(call.settings);
  const lessons = readLines(file, (line, wrong) => parseLabel(line, wrong, catalogue, call.settings));
  const store = await call.open();
  let taught = 0;
  for (const lesson of lessons) {
    // The time of writing, since gateways read recent lessons only, and writing many labels takes long.
    if (await store.teach({ ...lesson, atMs: Date.now() })) taught++;
  }
  const known = lessons.length - taught;
  printResult(call, { learned: taught, known }, `Learned from ${taught} labels; ${known} were known.`);
}

type Wrong = (what: string) => UsageError;

/** Reads every line that isn't empty. Throws a UsageError that names the first wrong line, so that nothing is stored. */
function readLines(file: string, read: (line: string, wrong: Wrong) => Lesson): readonly Lesson[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, at) =>
    line.trim() === "" ? [] : [read(line.trim(), (what) => new UsageError(`line ${at + 1}: ${what}`))],
  );
}

function parseLabel(line: string, wrong: Wrong, catalogue: Catalogue, settings: Settings): Lesson {
  const label = parseLine(line, wrong);
  const found = catalogue.resolve(asString(label.model) ?? "");
  if (found.kind !== "card") throw wrong(`'model' must be the id of an available model`);
  const score = readShare(label, "score", wrong);
  const { prompt } = label;
  const messages =
    label.messages ?? (typeof prompt === "string" ? [{ role: "user", content: prompt }] : undefined);
  if (messages === undefined) throw wrong("'prompt' or 'messages' is missing");
  let request: ChatRequest;
  try {
    request = readChatRequest({ model: found.card.id, messages }, settings.limits);
  } catch (error) {
    throw error instanceof Fault ? wrong(error.message) : error;
  }
  const id = `label_${createHash("sha256").update(line).digest("hex").slice(0, 32)}`;
  return makeLesson(
    { accountId: "default", keyId: "", id, atMs: Date.now(), source: "label", score, weight: 1 },
    found.card,
    predict(readFeatures(request)),
  );
}

export async function showLearned({ io, json, open }: LessonCall): Promise<void> {
  const learned = await readLearned(await open());
  const views = learned.views().map((view) => ({ ...view, length: roundLength(learned, view.model) }));
  if (json) return io.out(formatJson(views));
  const rows = views.map(({ model, labels, length, categories }) => [
    model,
    String(labels),
    `× ${length}`,
    Object.entries(categories)
      .map(([kind, { labels: count, score }]) => `${kind} ${score} (${count})`)
      .join(", "),
  ]);
  io.out(formatTable([["MODEL", "LABELS", "LENGTH", "MEAN SCORE BY KIND (LABELS)"], ...rows]));
}

/** Forgets lessons. Running gateways do so within a few seconds. */
export async function forget(call: LessonCall, name: string | undefined): Promise<void> {
  const found = name === undefined ? null : buildCatalogue(call.settings).resolve(name);
  const model = found?.kind === "card" ? found.card.id : name;
  const store = await call.open();
  if (model !== undefined && found?.kind !== "card") {
    const isKnown = (await readLearned(store)).views().some((view) => view.model === model);
    if (!isKnown) throw new UsageError(`expected the id of a model, not '${model}'`);
  }
  const done = await forgetLessons({ store, clock }, model ?? null);
  printResult(call, done, `Forgot ${model === undefined ? "all labels" : `the labels of ${model}`}.`);
}

/** Writes one lesson per line, in the form that `importLessons` reads. */
export async function exportLessons(call: LessonCall, file: string): Promise<void> {
  const lines = new Map<string, string>();
  for await (const lessons of readLessons(await call.open(), 0)) {
    for (const lesson of lessons) lines.set(`${lesson.accountId} ${lesson.id}`, formatLesson(lesson));
  }
  writeFileSync(file, [...lines.values()].join(""), { mode: FILE_MODE });
  printResult(call, { exported: lines.size }, `Wrote ${lines.size} lessons to ${file}.`);
}

function formatLesson({ accountId, keyId, atMs, request, ...rest }: Lesson): string {
  const fields = { account_id: accountId, key_id: keyId, at: new Date(atMs).toISOString() };
  return `${JSON.stringify({ ...fields, ...rest, request: parseJson(request) })}\n`;
}

/** Known lessons stay as they are. Running gateways read the new ones within a few seconds. */
export async function importLessons(call: LessonCall, file: string): Promise<void> {
  const lessons = readLines(file, parseLesson);
  const store = await call.open();
  const accounts = new Set<string>();
  for (const id of new Set(lessons.map(({ accountId }) => accountId)))
    if ((await store.account(id)) !== null) accounts.add(id);
  let taken = 0;
  for (const lesson of lessons) {
    const accountId = accounts.has(lesson.accountId) ? lesson.accountId : "default";
    if (await store.teach({ ...lesson, accountId })) taken++;
  }
  if (taken > 0) await markChanged(store);
  const known = lessons.length - taken;
  printResult(call, { imported: taken, known }, `Took in ${taken} lessons; ${known} were known.`);
}

function parseLesson(line: string, wrong: Wrong): Lesson {
  const row = parseLine(line, wrong);
  const textIn = (field: string) => {
    const value = asString(row[field]);
    if (value !== undefined) return value;
    throw wrong(`'${field}' must be a string`);
  };
  const atMs = Date.parse(textIn("at"));
  if (Number.isNaN(atMs)) throw wrong("'at' must be a time like 2026-11-20T12:00:00.000Z");
  const source = LESSON_SOURCES.find((one) => one === row.source);
  if (source === undefined) throw wrong(`'source' must be one of ${LESSON_SOURCES.join(", ")}`);
  const request = JSON.stringify(asObject(row.request));
  if (!isUnderstood(request))
    throw wrong("'request' was made by another version, whose numbers mean something else");
  return {
    ...{ accountId: textIn("account_id"), keyId: textIn("key_id"), id: textIn("id"), model: textIn("model") },
    ...{ atMs, source, request },
    score: readShare(row, "score", wrong),
    weight: readShare(row, "weight", wrong),
    expected: readShare(row, "expected", wrong),
  };
}

function parseLine(line: string, wrong: Wrong): JsonObject {
  const value = parseJson(line);
  if (isObject(value)) return value;
  throw wrong("expected a JSON object");
}

function readShare(row: JsonObject, field: string, wrong: Wrong): number {
  const value = row[field];
  if (typeof value === "number" && value >= 0 && value <= 1) return value;
  throw wrong(`'${field}' must be a number from 0 to 1`);
}

/** Makes all nodes read every lesson again. */
async function markChanged(store: Store): Promise<void> {
  await store.setSetting("lessons_forgotten", String(Date.now()));
}

function printResult({ io, json }: LessonCall, data: object, words: string): void {
  io.out(json ? formatJson(data) : words);
}
