// The material that the predictor is trained on: the public rows that may be learned from, and our own prompts, with
// their topics, difficulties and lengths.
import type { Topic } from "../../../src/selectors/text/topics.ts";
import { hashPrompt, isTrial, type Row, readTable, type Table, TEST_PART } from "./data.ts";
import { fitDifficulties } from "./difficulty.ts";
import { ownPrompts } from "./prompts.ts";

export const SEED = 4;
const OWN_PER_TEMPLATE = 12;
/** Judged by hand: tokens of plain answers for sets whose answers' lengths are unknown. */
const TOKENS_OF_SET: Readonly<Record<string, number>> = {
  trivia_qa: 40,
  natural_qa: 60,
  commonsense_qa: 80,
  openbook_qa: 80,
  arc_challenge: 120,
  gpqa: 600,
  mbpp: 250,
  human_eval: 300,
  commongen: 60,
  logicgrid: 600,
  mmlu: 100,
  gsm8k: 200,
  "agentverse-mgsm": 220,
};
/** Sets scored by word overlap. Even a good answer scores below 1, so their mean difficulty is estimated. */
const DIFFICULTY_OF_SET: Readonly<Record<string, number>> = {
  trivia_qa: -0.3,
  natural_qa: 0,
  commongen: -0.7,
};
/** Pools to learn outcomes from. `routellm` is not one: only the subjects of its questions outside the trial are used. */
const TRAINING_POOLS = ["llmrouter9", "zeroeval", "mmlu_pro", "reasoning_gym"] as const;

export interface Training {
  /** Selects the rows to learn from, in addition to what is always excluded. */
  readonly keep?: (row: Row) => boolean;
  readonly seed?: number;
}

export interface Task {
  readonly prompt: string;
  readonly topic: Topic;
  readonly set: string;
  readonly difficulty: number;
  readonly tokens: number;
  readonly head: number;
  readonly scores: Float32Array | null;
}

/** Rows of the test part, and questions that the trial contains too, are never learned from. */
export function listTasks({ keep = () => true, seed = SEED }: Training = {}) {
  const trial = new Set(
    readTable("routellm")
      .rows.filter(isTrial)
      .map(({ prompt }) => hashPrompt(prompt)),
  );
  const tables = TRAINING_POOLS.map((pool) => {
    const table = readTable(pool);
    const rows = table.rows.filter(
      (row) => row.part !== TEST_PART && !trial.has(hashPrompt(row.prompt)) && keep(row),
    );
    return { ...table, rows };
  });
  const difficulties = shiftToJudged(tables, fitDifficulties(tables));
  let heads = 0;
  const tasks: Task[] = [];
  for (const [t, { models, rows }] of tables.entries()) {
    for (const [r, row] of rows.entries()) {
      const { prompt, topic, set, scores } = row;
      tasks.push({
        prompt,
        topic,
        set,
        difficulty: difficulties[t]?.[r] ?? 0,
        tokens: tokensOf(row),
        head: heads,
        scores,
      });
    }
    heads += models.length;
  }
  for (const row of readTable("routellm").rows) {
    if (isTrial(row) || trial.has(hashPrompt(row.prompt)) || !keep(row)) continue;
    const { prompt, topic, set } = row;
    tasks.push({ prompt, topic, set, difficulty: Number.NaN, tokens: tokensOf(row), head: 0, scores: null });
  }
  for (const { topic, prompt, difficulty, outputTokens } of ownPrompts(OWN_PER_TEMPLATE, seed)) {
    tasks.push({
      prompt,
      topic,
      set: `own/${topic}`,
      difficulty,
      tokens: outputTokens,
      head: 0,
      scores: null,
    });
  }
  return { tasks, heads };
}

/** Returns the difficulties, with the sets of `DIFFICULTY_OF_SET` shifted to their judged means. */
function shiftToJudged(
  tables: readonly Table[],
  difficulties: readonly Float32Array[],
): readonly Float32Array[] {
  return tables.map(({ rows }, t) => {
    const values = difficulties[t] ?? new Float32Array(0);
    const shifts = new Map<string, number>();
    for (const [set, wanted] of Object.entries(DIFFICULTY_OF_SET)) {
      const own = [...values].filter((_, r) => rows[r]?.set === set);
      if (own.length > 0) shifts.set(set, wanted - own.reduce((sum, value) => sum + value, 0) / own.length);
    }
    return values.map((value, r) => value + (shifts.get(rows[r]?.set ?? "") ?? 0));
  });
}

function tokensOf({ tokens, set }: Row): number {
  const known = [...(tokens ?? [])].filter((count) => count > 0);
  if (known.length === 0) return TOKENS_OF_SET[set.replace(/\/.*/, "")] ?? 300;
  return Math.exp(known.reduce((sum, count) => sum + Math.log(count), 0) / known.length);
}
