// Trains the predictor's parameters from the public rows and our own prompts: the same bytes for the same seed. `bun
// test/selectors/training/train.ts` writes src/selectors/text/parameters.data.json.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readFeatures } from "../../../src/selectors/text/features.ts";
import type { ParameterFile } from "../../../src/selectors/text/parameters.ts";
import { readStructure } from "../../../src/selectors/text/structure.ts";
import { TOPICS } from "../../../src/selectors/text/topics.ts";
import { type Example, embed, type Fitted } from "./fit.ts";
import { listTasks, SEED, type Task, type Training } from "./tasks.ts";
import { buildVocabulary } from "./vocabulary.ts";

const VOCABULARY_SIZE = 10_000;

export function train(training: Training = {}): ParameterFile {
  const { tasks, heads } = listTasks(training);
  return fileOf(tasks, heads, training.seed ?? SEED);
}

function fileOf(tasks: readonly Task[], heads: number, seed: number): ParameterFile {
  const features = tasks.map(({ prompt }) =>
    readFeatures({ model: "", messages: [{ role: "user", content: prompt }] }, null),
  );
  const vocabulary = buildVocabulary(
    features.map(({ grams }) => grams),
    tasks.map(({ set }) => set),
    VOCABULARY_SIZE,
  );
  const bySet = new Map<string, number>();
  for (const { set } of tasks) bySet.set(set, (bySet.get(set) ?? 0) + 1);
  const examples = tasks.map((task, at): Example => {
    const one = features[at];
    if (one === undefined) throw new Error("There is a task without features.");
    return {
      ...vocabulary.rowOf(one.grams),
      structure: readStructure(one, one.shape),
      topic: TOPICS.indexOf(task.topic),
      difficulty: task.difficulty,
      logTokens: Math.log(task.tokens),
      head: task.head,
      scores: task.scores,
      weight: Math.min(3, (200 / (bySet.get(task.set) ?? 1)) ** 0.5),
    };
  });
  const known = examples.map(({ known: share }) => share).toSorted((a, b) => a - b);
  const fitted = embed(examples, vocabulary.hashes.length, heads, seed);
  return packed(fitted, vocabulary, known[Math.floor(known.length * 0.15)] ?? 0.6);
}

function packed(
  fitted: Fitted,
  vocabulary: ReturnType<typeof buildVocabulary>,
  knownUsual: number,
): ParameterFile {
  const { size, embedding } = fitted;
  const scales = Array.from({ length: size }, (_, dim) => {
    let most = 1e-9;
    for (let at = dim; at < embedding.length; at += size) most = Math.max(most, Math.abs(embedding[at] ?? 0));
    return Number((most / 127).toPrecision(6));
  });
  const bytes = Int8Array.from(embedding, (value, at) => Math.round(value / (scales[at % size] ?? 1)));
  return {
    about:
      "Made by test/selectors/training/train.ts from public rows (LICENSES.md) and our own prompts; not to be edited.",
    size,
    plain: fitted.plain,
    hashes: base64(new Uint8Array(vocabulary.hashes.buffer)),
    rarity: base64(vocabulary.rarity),
    embedding: base64(new Uint8Array(bytes.buffer)),
    scales,
    unknownRarity: vocabulary.unknownRarity,
    supportFrom: Number((knownUsual * 0.35).toFixed(4)),
    supportTo: Number(knownUsual.toFixed(4)),
    topics: base64(new Uint8Array(fitted.topics.buffer)),
    difficulty: base64(new Uint8Array(fitted.difficulty.buffer)),
    outputTokens: base64(new Uint8Array(fitted.outputTokens.buffer)),
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

if (import.meta.main) {
  const path = join(import.meta.dir, "..", "..", "..", "src", "selectors", "text", "parameters.data.json");
  const text = `${JSON.stringify(train(), null, 1)}\n`;
  writeFileSync(path, text);
  console.log(`${path}: ${text.length} bytes`);
}
