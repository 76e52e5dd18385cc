// A request's row of numbers that learning works with: made from a prediction, read, and stored as text.
import { SKILLS } from "../core/models/skill.ts";
import { loadShippedParameters, type Parameters } from "./text/parameters.ts";
import { readLogTokens, STRUCTURE_SIZE } from "./text/structure.ts";
import { TOPICS, weighSkills } from "./text/topics.ts";

/** A row holds a constant, the difficulty, the topics, the words, the structure and, last, the answer's length. */
const TOPICS_FROM = 2;
const TOPICS_END = TOPICS_FROM + TOPICS.length;
/** Each part is scaled by what it is likely to say about a model. */
const SCALES = { constant: 0.14, difficulty: 0.05, topics: 0.17, words: 0.06, shape: 0.06, length: 0.15 };
/** The natural logarithm of a usual answer's tokens. */
const USUAL_LOG_TOKENS = 5.3;
const OUTPUT_TOKENS_MIN = 4;
const OUTPUT_TOKENS_MAX = 8_000;
/** Tools in the request call for the skill of using them, whatever the words are. */
const TOOLS_SHARE = 0.4;
const SCHEMA_SHARE = 0.15;
const TOOLS_AT = 16;
const SCHEMA_AT = 17;

/** Returns the length of a row. */
export function computeRowWidth({ plain }: Parameters = loadShippedParameters()): number {
  return TOPICS_END + plain + STRUCTURE_SIZE + 1;
}

/** `input` holds the embedded words, then the structure. */
export function makeRow(
  input: Float32Array,
  topics: Float64Array,
  difficultyLogit: number,
  logTokens: number,
  parameters: Parameters,
): Float32Array {
  const { plain, size } = parameters;
  const row = new Float32Array(computeRowWidth(parameters));
  row[0] = SCALES.constant;
  row[1] = SCALES.difficulty * difficultyLogit;
  for (let at = 0; at < topics.length; at++) row[TOPICS_FROM + at] = SCALES.topics * (topics[at] ?? 0);
  for (let at = 0; at < plain; at++) row[TOPICS_END + at] = SCALES.words * (input[at] ?? 0);
  for (let at = 0; at < STRUCTURE_SIZE; at++)
    row[TOPICS_END + plain + at] = SCALES.shape * (input[size + at] ?? 0);
  row[row.length - 1] = SCALES.length * (logTokens - USUAL_LOG_TOKENS);
  return row;
}

/** Returns the topics' shares, which sum to 1. */
export function readTopics(row: Float32Array): Float32Array {
  const topics = row.slice(TOPICS_FROM, TOPICS_END);
  for (let at = 0; at < topics.length; at++) topics[at] = (topics[at] ?? 0) / SCALES.topics;
  return topics;
}

/** Like `Math.max(...values)`, without a list of them. */
export function findHighest(values: Float32Array | Float64Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < values.length; at++) highest = Math.max(highest, values[at] ?? 0);
  return highest;
}

/** Returns the shares of SKILLS that the request calls for. */
export function readSkills(row: Float32Array): readonly number[] {
  const structure = row.subarray(row.length - STRUCTURE_SIZE - 1);
  return mixSkills(readTopics(row), (structure[TOOLS_AT] ?? 0) > 0, (structure[SCHEMA_AT] ?? 0) > 0);
}

/** Returns the shares of SKILLS that the topics call for, along with tools or a schema. */
function mixSkills(topics: ArrayLike<number>, hasTools: boolean, hasSchema: boolean): readonly number[] {
  const tools = hasTools ? TOOLS_SHARE : 0;
  const schema = hasSchema ? SCHEMA_SHARE : 0;
  const added: Readonly<Record<string, number>> = { tools, data: schema / 2, instruction: schema / 2 };
  const left = 1 - tools - schema;
  const shares = weighSkills(topics);
  return SKILLS.map((skill, at) => (shares[at] ?? 0) * left + (added[skill] ?? 0));
}

/** The part of a request that decides its answer's length, and so its cost and time. */
export interface Lengths {
  readonly promptTokens: number;
  /** The length of a plain answer without thinking. */
  readonly outputTokens: number;
  readonly difficultyLogit: number;
}

/** Returns the lengths of a request. The prompt's is that of its last turn. */
export function readLengths(row: Float32Array): Lengths {
  return {
    promptTokens: Math.exp(readLogLength(row)),
    outputTokens: expectTokens((row[row.length - 1] ?? 0) / SCALES.length + USUAL_LOG_TOKENS),
    difficultyLogit: (row[1] ?? 0) / SCALES.difficulty,
  };
}

/** Returns the natural logarithm of the last turn's tokens. */
function readLogLength(row: Float32Array): number {
  return readLogTokens((row[row.length - STRUCTURE_SIZE - 1] ?? 0) / SCALES.shape);
}

/** Returns an answer's expected tokens from their predicted logarithm. */
export function expectTokens(logTokens: number): number {
  return Math.min(OUTPUT_TOKENS_MAX, Math.max(OUTPUT_TOKENS_MIN, Math.exp(logTokens)));
}

/** Their squares are the prior share of a score's variance that a block may explain, relative to the topics. */
const WORDS_SCALE = Math.sqrt(0.5);
const LENGTH_SCALE = 0.5;
/** Centres of radial basis functions, in log tokens: requests near the same centre count as similarly long. */
const LENGTHS = [3, 4, 5, 6, 7, 8] as const;

/** A request as the learner sees it: topics, words and length, each as a block with its own weight. */
export type Design = Readonly<ReturnType<typeof readDesign>>;

export function readDesign(row: Float32Array) {
  const topics = readTopics(row);
  const words = row.slice(TOPICS_END, row.length - STRUCTURE_SIZE - 1);
  const logLength = readLogLength(row);
  let squares = 0;
  for (let at = 0; at < words.length; at++) squares += (words[at] ?? 0) ** 2;
  const norm = Math.sqrt(squares) || 1;
  const phi = new Float32Array(topics.length + words.length + LENGTHS.length);
  phi.set(topics);
  for (let at = 0; at < words.length; at++) phi[topics.length + at] = (WORDS_SCALE * (words[at] ?? 0)) / norm;
  for (const [at, length] of LENGTHS.entries())
    phi[topics.length + words.length + at] = LENGTH_SCALE * Math.exp(-((logLength - length) ** 2) / 2);
  /** The share of the likeliest topic. */
  const top = findHighest(topics);
  return { phi: new Float64Array(phi), topic: topics.indexOf(top), top };
}

/** Encodes the row for `unpackRow`: the name of the parameters that made it, then Float16 in base64. */
export function packRow(row: Float32Array): string {
  return `${fingerprintParameters()}:${Buffer.from(Float16Array.from(row).buffer).toString("base64")}`;
}

/** Decodes a row. Null if it is malformed, or made by other parameters, whose numbers mean something else. */
export function unpackRow(text: string): Float32Array | null {
  const [mark, numbers = ""] = text.split(":");
  if (mark !== fingerprintParameters()) return null;
  const bytes = Buffer.from(numbers, "base64");
  if (bytes.length === 0 || bytes.length % Float16Array.BYTES_PER_ELEMENT !== 0) return null;
  const row = Float32Array.from(new Float16Array(new Uint8Array(bytes).buffer));
  // A single NaN or infinity would spread to every model, because all are learned together.
  return row.every(Number.isFinite) ? row : null;
}

/** Returns the name of the parameters. Rows made by others mean something else. */
export function fingerprintParameters(): string {
  return loadShippedParameters().fingerprint;
}
