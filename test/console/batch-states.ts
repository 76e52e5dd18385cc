// Batches in each of their states, for pictures of their page: rows of a gateway that runs no line.
import { join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { type Batch, type BatchDetail, NO_COUNTS, NO_SUMS } from "../../src/core/batches/batch.ts";
import { makeBatch } from "../harness/batches.ts";
import { type ConsoleWorld, startConsoleWorld } from "./visitor.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NANO = 1e9;
const MANY = 500;

export interface Shown extends Partial<Omit<BatchDetail, "counts" | "sums" | "waiting">> {
  readonly status?: Batch["status"];
  /** The minutes since it was made. */
  readonly age?: number;
  readonly counts?: Partial<BatchDetail["counts"]>;
  readonly usd?: number;
  readonly wait?: string;
  /** The models that it waits for. */
  readonly models?: readonly string[];
  readonly endpoint?: string;
}

const MESSAGES: Readonly<Record<string, string>> = {
  insufficient_balance:
    "The account's balance is used up: the next line needs 0.0214 USD, and 0.0030 USD are left.",
  no_provider_available: "No provider answers for the models that are left.",
  invalid_api_key: "The key that made this batch was revoked.",
  storage_limit_exceeded: "The gateway has no room for more files. Please try again later.",
};

function makeShown(
  at: number,
  keyId: string,
  { status = "in_progress", age = 30, counts, usd = 0, wait, models, ...detail }: Shown,
): Batch {
  const nowMs = Date.now();
  const createdAtMs = nowMs - age * MINUTE_MS;
  const waiting =
    wait === undefined
      ? null
      : {
          code: wait,
          message: MESSAGES[wait] ?? "",
          resetsAtMs: nowMs + 2 * HOUR_MS,
          sinceMs: nowMs,
          ...(models ? { models, untilMs: nowMs + 6 * HOUR_MS } : {}),
        };
  const hasEnded = ["completed", "failed", "expired", "cancelled"].includes(status);
  return makeBatch(
    `batch_0mh2kq${String(at).padStart(4, "0")}xw3f7`,
    {
      keyId,
      status,
      createdAtMs,
      expiresAtMs: createdAtMs + 24 * HOUR_MS,
      endedAtMs: hasEnded ? nowMs - MINUTE_MS : null,
    },
    {
      estimatedNanoUsd: 12.4 * NANO,
      worstNanoUsd: 80 * NANO,
      ...detail,
      counts: { ...NO_COUNTS, ...counts },
      sums: { ...NO_SUMS, costNanoUsd: usd * NANO, chargedNanoUsd: usd * NANO },
      waiting,
    },
  );
}

const RUNNING: Shown = {
  counts: { total: 100_000, completed: 41_230, failed: 12 },
  usd: 5.13,
  maxCostNanoUsd: 20 * NANO,
};
const WAITING: Shown = {
  counts: { total: 2400, completed: 310 },
  usd: 0.42,
  wait: "insufficient_balance",
  age: 190,
};
const FAILED: Shown = {
  status: "failed",
  errors: [
    { code: "invalid_json_line", message: "This line is not a JSON object.", param: null, line: 17 },
    {
      code: "duplicate_custom_id",
      message: "The custom_id 'a' is there twice.",
      param: "custom_id",
      line: 19,
    },
  ],
  estimatedNanoUsd: null,
};
const OTHERS: readonly Shown[] = [
  { status: "completed", counts: { total: 5000, completed: 4988, failed: 12 }, usd: 1.92, age: 300 },
  { status: "cancelled", counts: { total: 800, completed: 200, cancelled: 600 }, usd: 0.11, age: 600 },
  { status: "expired", counts: { total: 800, completed: 640, expired: 160 }, usd: 0.3, age: 1800 },
  { status: "cancelled", counts: { total: 95_000, cancelled: 95_000 }, age: 50 },
  { status: "completed", counts: { total: 900, completed: 154, failed: 3, unpaid: 743 }, usd: 0.9, age: 70 },
  { status: "validating", estimatedNanoUsd: null, age: 0 },
  { status: "cancelling", counts: { total: 300, completed: 20 }, usd: 0.02, endpoint: "/v1/embeddings" },
  {
    counts: { total: 300, completed: 20 },
    usd: 0.02,
    wait: "no_provider_available",
    models: ["OpenAI#gpt-4.1-mini", "Mistral#mistral-large-latest"],
  },
  {
    counts: { total: 300, completed: 20 },
    usd: 0.02,
    wait: "storage_limit_exceeded",
    endpoint: "/v1/messages",
  },
];

const KINDS = OTHERS.length + 3;

const STATES: Readonly<Record<string, readonly Shown[]>> = {
  none: [],
  running: [RUNNING],
  waiting: [WAITING],
  failed: [FAILED],
  many: Array.from({ length: MANY }, (_, at) => ({
    ...([RUNNING, WAITING, FAILED, ...OTHERS][at % KINDS] ?? RUNNING),
    age: at,
  })),
};
export const BATCH_STATES = Object.keys(STATES);

/** Starts a gateway with the batches of a state. */
export async function startBatchState(name: string): Promise<ConsoleWorld> {
  const world = await startConsoleWorld({ more: "batches: { parallel: 0 }" });
  await addShown(world, STATES[name] ?? []);
  return world;
}

/** Adds batches of a key of their own, and returns their ids. */
export async function addShown({ gateway }: ConsoleWorld, all: readonly Shown[]): Promise<readonly string[]> {
  const { store } = await openStore(`sqlite:${join(gateway.directory, "poundkey.db")}`, undefined);
  const { id } = await gateway.newKey({ name: "Nightly reports" });
  const batches = all.map((shown, at) => makeShown(at, id, shown));
  for (const batch of batches) await store.batches.add(batch, MANY + 1);
  await store.close();
  return batches.map((batch) => batch.id);
}
