// The length that an answer is expected to have: the mean of the account's own, else what is usual.
import type { Store } from "../core/store.ts";
import usual from "./usual-outputs.data.json";

/** The output tokens of a request with all its answers, by the id of the card. */
export type MeanOutputs = ReadonlyMap<string, number>;

const DAY_MS = 86_400_000;
const LOOKED_BACK_MS = 30 * DAY_MS;
/** With fewer, the mean says little. */
const ANSWERS_MIN = 20;
/** The table has no row for some operations and lengths of prompts. */
const UNKNOWN_TOKENS = 300;

interface OutputQuery {
  readonly accountId: string;
  readonly surface: string;
  readonly nowMs: number;
}

/** Returns the means of an account's answers on a surface over 30 days, from 20 answers on. Those from the cache don't count. */
export async function readMeanOutputs(
  store: Pick<Store, "usage">,
  { accountId, surface, nowMs }: OutputQuery,
): Promise<MeanOutputs> {
  const only = { accountId, surface, outcome: "answered" } as const;
  const fromMs = nowMs - LOOKED_BACK_MS;
  const sums = await store.usage({ fromMs, toMs: nowMs + 1, groupBy: ["model"], only });
  const means = sums.flatMap(({ model, requests, cached, amounts }) => {
    const answers = requests - cached;
    return answers < ANSWERS_MIN ? [] : [[model, amounts.completion / answers] as const];
  });
  return new Map(means);
}

/** Returns the usual output tokens of one answer. */
export function findUsualOutput(operation: string, promptTokens: number): number {
  const found = usual.find(
    (row) => row.operation === operation && promptTokens <= (row.promptTokensMax ?? Number.POSITIVE_INFINITY),
  );
  return found?.outputTokens ?? UNKNOWN_TOKENS;
}
