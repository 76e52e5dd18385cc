// Trains the model of tasks' kinds from everyday prompts in eight languages and the public rows: the same bytes for the
// same seed. `bun test/selectors/training/train-kinds.ts` writes src/selectors/text/kinds.data.json; `--try` trains without a fifth of the
// templates instead, and prints how many of their prompts it gets right. The shares of known words from which a prompt counts as
// familiar stay as they are, since which templates are left out would move them; `--support` measures them again.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS, type TaskKind } from "../../../src/core/models/skill.ts";
import { type Cues, SCRIPTS } from "../../../src/selectors/text/cues.ts";
import { readFeatures } from "../../../src/selectors/text/features.ts";
import {
  type KindFile,
  OUTPUTS,
  readKindModel,
  readTaskShape,
  understand,
} from "../../../src/selectors/text/kind-model.ts";
import shipped from "../../../src/selectors/text/kinds.data.json";
import { STRUCTURE_SIZE } from "../../../src/selectors/text/structure.ts";
import { TOPICS, type Topic, weighSkills } from "../../../src/selectors/text/topics.ts";
import { makeDice, shuffled } from "../dice.ts";
import { type EverydayPrompt, listEverydayPrompts } from "./everyday.ts";
import { makeRequest } from "./pools.ts";
import { percent } from "./statistics.ts";
import { listTasks, type Task } from "./tasks.ts";

const SEED = 7;
const PER_TEMPLATE = 2;
const VOCABULARY_SIZE = 24_000;
/** A cue of public rows is learned if it occurs in this many of one set. Everyday prompts' cues all are. */
const IN_SET_MIN = 5;
/** Limited, so that long sets don't fill the vocabulary. */
const PER_SET_MAX = 40;
/** A cue of an everyday template comes before one that fewer rows of a public set have. */
const EVERYDAY_CUE = 40;
const EPOCHS = 15;
const RATE = 0.5;
const DECAY = 1e-4;
/** Rows of a public set weigh less the more there are. */
const PUBLIC_WEIGHT = 0.2;
const SET_SIZE = 60;
/** The share of certainty that is spread over all kinds. */
const SMOOTHING = 0.05;
const DIFFICULTY_AT = KINDS.length;
const TOKENS_AT = KINDS.length + 1;
const COPIES_AT = KINDS.length + 2;
const TESTED_AT = KINDS.length + 3;
const FOLDS = 5;
/** Of the older prompts of our own, written for topics, those whose kind is plain. */
const KIND_OF_TOPIC: Readonly<Partial<Record<Topic, TaskKind>>> = {
  translation: "translation",
  coding: "coding",
  debugging: "coding",
  chat: "chat",
  advice: "knowledge",
  rules: "instruction",
};

interface Example {
  readonly cues: Cues;
  readonly shape: Float32Array;
  /** The wanted shares of KINDS. */
  readonly kinds: Float32Array;
  /** NaN if unknown, like the next. */
  readonly difficulty: number;
  readonly logTokens: number;
  readonly copies: number;
  readonly weight: number;
  /** Examples of a set are alike. */
  readonly set: string;
  /** Null for public rows. */
  readonly everyday: EverydayPrompt | null;
}

function read(prompt: string): Pick<Example, "cues" | "shape"> {
  const features = readFeatures(makeRequest(prompt));
  // Shipped hashes are unsigned.
  const hashes = Uint32Array.from(features.cues.hashes);
  return { cues: { ...features.cues, hashes }, shape: readTaskShape(features) };
}

function listExamples(): readonly Example[] {
  const everyday = listEverydayPrompts(PER_TEMPLATE, SEED).map((one): Example => {
    const kinds = Float32Array.from(KINDS, (kind) => Number(kind === one.kind));
    const logTokens = one.copies ? Number.NaN : Math.log(one.outputTokens);
    const set = String(one.template);
    const judged = { difficulty: one.difficulty, logTokens, copies: Number(one.copies) };
    return { ...read(one.prompt), kinds, ...judged, weight: 1, set, everyday: one };
  });
  const tasks = listTasks().tasks.filter((task) => !isOwn(task) || task.topic in KIND_OF_TOPIC);
  const sizes = Map.groupBy(tasks, ({ set }) => set);
  const open = tasks.map((task): Example => {
    const own = isOwn(task) ? KIND_OF_TOPIC[task.topic] : undefined;
    const kinds = Float32Array.from(KINDS, (kind) => Number(kind === own));
    if (own === undefined) kinds.set(weighSkills(TOPICS.map((topic) => Number(topic === task.topic))));
    const size = sizes.get(task.set)?.length ?? 1;
    return {
      ...read(task.prompt),
      kinds,
      difficulty: task.difficulty,
      copies: 0,
      everyday: null,
      logTokens: Math.log(task.tokens),
      set: task.set,
      weight: PUBLIC_WEIGHT * Math.min(1, (SET_SIZE / size) ** 0.5),
    };
  });
  return [...everyday, ...open];
}

function isOwn({ set }: Pick<Task, "set">): boolean {
  return set.startsWith("own/");
}

/** Returns the cues to learn, ascending. */
function chooseCues(examples: readonly Example[]): Uint32Array {
  const scores = new Map<number, number>();
  const add = (hash: number, score: number) => scores.set(hash, (scores.get(hash) ?? 0) + score);
  const everyday = examples.filter((one) => one.everyday !== null);
  for (const own of Map.groupBy(everyday, ({ set }) => set).values())
    for (const hash of new Set(own.flatMap(({ cues }) => [...cues.hashes]))) add(hash, EVERYDAY_CUE);
  const open = examples.filter((one) => one.everyday === null);
  for (const own of Map.groupBy(open, ({ set }) => set).values()) {
    const counts = new Map<number, number>();
    for (const { cues } of own) for (const hash of cues.hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
    for (const [hash, count] of counts) if (count >= IN_SET_MIN) add(hash, Math.min(count, PER_SET_MAX));
  }
  const first = [...scores].toSorted(([one, a], [other, b]) => b - a || one - other);
  return Uint32Array.from(first.slice(0, VOCABULARY_SIZE), ([hash]) => hash).sort();
}

interface Weights {
  readonly hashes: Uint32Array;
  /** A row of OUTPUTS for each cue, for each number of the structure, and for the constant. */
  readonly values: Float32Array;
}

function fit(examples: readonly Example[]): Weights {
  const hashes = chooseCues(examples);
  const places = new Map([...hashes].map((hash, place) => [hash, place]));
  const values = new Float32Array((hashes.length + STRUCTURE_SIZE + 1) * OUTPUTS);
  const squares = new Float32Array(values.length).fill(1e-2);
  const inputs = examples.map((one) => makeInput(one, places, hashes.length));
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const rate = RATE * (1 - epoch / EPOCHS) + 0.01;
    for (const at of shuffled(examples.length, SEED + epoch)) {
      const example = examples[at];
      const input = inputs[at];
      if (example !== undefined && input !== undefined) step({ values, squares }, example, input, rate);
    }
  }
  return { hashes, values };
}

interface Input {
  readonly rows: Int32Array;
  readonly values: Float32Array;
}

function makeInput(
  { cues, shape }: Example,
  places: ReadonlyMap<number, number>,
  structureFrom: number,
): Input {
  const known = [...cues.hashes].flatMap((hash) => places.get(hash) ?? []);
  const norm = 1 / Math.sqrt(known.length + 1);
  const formed = [...shape.keys()].filter((at) => shape[at] !== 0);
  return {
    rows: Int32Array.from([
      ...known,
      ...formed.map((at) => structureFrom + at),
      structureFrom + STRUCTURE_SIZE,
    ]),
    values: Float32Array.from([...known.map(() => norm), ...formed.map((at) => shape[at] ?? 0), 1]),
  };
}

function step(
  model: { readonly values: Float32Array; readonly squares: Float32Array },
  example: Example,
  { rows, values }: Input,
  rate: number,
): void {
  const sums = new Float64Array(OUTPUTS);
  for (let at = 0; at < rows.length; at++) {
    const from = (rows[at] ?? 0) * OUTPUTS;
    for (let output = 0; output < OUTPUTS; output++)
      sums[output] = (sums[output] ?? 0) + (values[at] ?? 0) * (model.values[from + output] ?? 0);
  }
  const errors = findErrors(sums, example);
  for (let at = 0; at < rows.length; at++) {
    const from = (rows[at] ?? 0) * OUTPUTS;
    for (let output = 0; output < OUTPUTS; output++) {
      const place = from + output;
      const old = model.values[place] ?? 0;
      const gradient = (errors[output] ?? 0) * (values[at] ?? 0) - DECAY * old;
      const squares = (model.squares[place] ?? 0) + gradient * gradient;
      model.squares[place] = squares;
      model.values[place] = old + (rate * gradient) / Math.sqrt(squares);
    }
  }
}

function findErrors(sums: Float64Array, { kinds, weight, ...wanted }: Example): Float64Array {
  const errors = new Float64Array(OUTPUTS);
  const most = Math.max(...sums.subarray(0, KINDS.length));
  const powers = sums.subarray(0, KINDS.length).map((sum) => Math.exp(sum - most));
  const all = powers.reduce((sum, power) => sum + power, 0);
  for (let at = 0; at < KINDS.length; at++) {
    const share = (kinds[at] ?? 0) * (1 - SMOOTHING) + SMOOTHING / KINDS.length;
    errors[at] = (share - (powers[at] ?? 0) / all) * weight;
  }
  const set = (at: number, error: number) => {
    errors[at] = Number.isNaN(error) ? 0 : Math.max(-1.5, Math.min(1.5, error)) * weight;
  };
  set(DIFFICULTY_AT, 0.3 * (wanted.difficulty - (sums[DIFFICULTY_AT] ?? 0)));
  set(TOKENS_AT, 0.5 * (wanted.logTokens - (sums[TOKENS_AT] ?? 0)));
  set(COPIES_AT, wanted.copies - 1 / (1 + Math.exp(-(sums[COPIES_AT] ?? 0))));
  const isTested = wanted.everyday === null && !isOwn(wanted);
  set(TESTED_AT, Number(isTested) - 1 / (1 + Math.exp(-(sums[TESTED_AT] ?? 0))));
  return errors;
}

type Support = Pick<KindFile, "supportFrom" | "supportTo">;

/** `known` are shares of known cues by script, of material that wasn't learned from. */
function readSupport(known: readonly (readonly number[])[]): Support {
  const all = known.flat();
  const at = (own: readonly number[], share: number) => {
    const sorted = (own.length < 50 ? all : own).toSorted((a, b) => a - b);
    return sorted[Math.floor(share * sorted.length)] ?? 1;
  };
  return {
    supportFrom: known.map((own) => Number((at(own, 0.1) * 0.4).toFixed(4))),
    supportTo: known.map((own) => Number(at(own, 0.25).toFixed(4))),
  };
}

function pack({ hashes, values }: Weights, { supportFrom, supportTo }: Support): KindFile {
  const cues = values.subarray(0, hashes.length * OUTPUTS);
  const scales = Array.from({ length: OUTPUTS }, (_, output) => {
    let most = 1e-9;
    for (let at = output; at < cues.length; at += OUTPUTS) most = Math.max(most, Math.abs(cues[at] ?? 0));
    return Number((most / 127).toPrecision(6));
  });
  const bytes = Int8Array.from(cues, (value, at) => Math.round(value / (scales[at % OUTPUTS] ?? 1)));
  const shape = values.slice(hashes.length * OUTPUTS);
  return {
    about:
      "Made by test/selectors/training/train-kinds.ts from our own prompts and public rows (LICENSES.md); not to be edited.",
    hashes: base64(new Uint8Array(hashes.buffer)),
    weights: base64(new Uint8Array(bytes.buffer)),
    scales,
    structure: base64(new Uint8Array(shape.buffer)),
    supportFrom,
    supportTo,
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

/** Every fifth template, with all of its prompts. */
function splitTemplates(examples: readonly Example[]) {
  const dice = makeDice(SEED);
  const folds = new Map<string, number>();
  for (const { set } of examples) if (!folds.has(set)) folds.set(set, Math.floor(dice() * FOLDS));
  const isOut = ({ everyday, set }: Example) => everyday !== null && folds.get(set) === 0;
  return { kept: examples.filter((one) => !isOut(one)), out: examples.filter(isOut) };
}

/** Returns the shares of known cues of prompts whose templates were left out, by script. */
function measureKnown(out: readonly Example[], hashes: Uint32Array): readonly (readonly number[])[] {
  const known = new Set(hashes);
  return SCRIPTS.map((_, script) =>
    out.flatMap(({ cues }) =>
      cues.script === script
        ? [[...cues.hashes].filter((hash) => known.has(hash)).length / Math.max(1, cues.hashes.length)]
        : [],
    ),
  );
}

function printTrial(examples: readonly Example[]): void {
  const { kept, out } = splitTemplates(examples);
  const weights = fit(kept);
  const model = readKindModel(pack(weights, readSupport(measureKnown(out, weights.hashes))));
  const marks = out.map(({ cues, shape, everyday }) => {
    const { kinds } = understand(cues, shape, model);
    const kind = KINDS[kinds.indexOf(Math.max(...kinds))];
    return { ...everyday, isRight: kind === everyday?.kind, share: Math.max(...kinds) };
  });
  const line = (name: string, own: readonly { isRight: boolean }[]) =>
    `${name} ${percent(own.filter(({ isRight }) => isRight).length / own.length)} of ${own.length}`;
  console.log(line("prompts of templates that were left out:", marks));
  for (const [name, own] of Map.groupBy(marks, ({ language = "" }) => language)) console.log(line(name, own));
  for (const [name, own] of Map.groupBy(marks, ({ kind = "" }) => kind)) console.log(line(name, own));
  const tenths = Map.groupBy(marks, ({ share }) => Math.floor(share * 10));
  for (const [tenth, own] of [...tenths].sort(([a], [b]) => a - b))
    console.log(line(`share ${tenth / 10}`, own));
}

if (import.meta.main) {
  const examples = listExamples();
  const everyday = examples.filter((one) => one.everyday !== null).length;
  console.log(`${everyday} everyday prompts, ${examples.length - everyday} public rows`);
  if (process.argv.includes("--try")) printTrial(examples);
  else {
    const { kept, out } = splitTemplates(examples);
    const isMeasured = process.argv.includes("--support");
    const support = isMeasured ? readSupport(measureKnown(out, chooseCues(kept))) : shipped;
    const path = join(import.meta.dir, "..", "..", "..", "src", "selectors", "text", "kinds.data.json");
    const text = `${JSON.stringify(pack(fit(examples), support), null, 1)}\n`;
    writeFileSync(path, text);
    console.log(`${path}: ${text.length} bytes`);
  }
}
