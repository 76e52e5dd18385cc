// Batches: a file of requests that the gateway answers as there is room, each as an ordinary request.
import type { OutboxEvent } from "../events/events.ts";
import type { KeptReply } from "../log/kept.ts";
import type { NanoUsd } from "../money/money.ts";
import type { Scope } from "../people/people.ts";
import type { Page } from "../world/page.ts";
import type { StoredFile } from "./file.ts";

/** The forms in which clients make batches. A batch is only seen in the one that made it. */
export const BATCH_FORMS = ["openai-batches", "anthropic-batches"] as const;
export type BatchForm = (typeof BATCH_FORMS)[number];

export const BATCH_STATUSES = [
  "validating",
  "failed",
  "in_progress",
  "finalizing",
  "completed",
  "expired",
  "cancelling",
  "cancelled",
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

const ENDED: ReadonlySet<BatchStatus> = new Set(["failed", "completed", "expired", "cancelled"]);

export function hasEnded({ status }: Pick<Batch, "status">): boolean {
  return ENDED.has(status);
}

/** A mistake in a line of the input, from 1. Null if it is the file's. */
export interface BatchMistake {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
}

/** The reason for which no line of a batch starts. */
export interface BatchWait {
  readonly code: string;
  readonly message: string;
  /** As clients see it. */
  readonly limit?: Readonly<Record<string, unknown>>;
  /** The models that lines wait for, as lines name them, those with the most lines first. Missing if none is the reason. */
  readonly models?: readonly string[];
  /** The time at which lines end that have waited for one of them. */
  readonly untilMs?: number;
  readonly resetsAtMs: number | null;
  readonly sinceMs: number;
}

/** Lines by their ends. The rest of `total` hasn't ended. */
export interface BatchCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly expired: number;
  /** Lines that the ceiling left no money for. */
  readonly unpaid: number;
}

export const NO_COUNTS: BatchCounts = {
  total: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  expired: 0,
  unpaid: 0,
};

/** The sums of the rows of a batch's lines. */
export interface BatchSums {
  readonly costNanoUsd: NanoUsd;
  readonly chargedNanoUsd: NanoUsd;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

export const NO_SUMS: BatchSums = {
  costNanoUsd: 0,
  chargedNanoUsd: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
};

/** Times in Unix milliseconds, of the steps that a batch has reached. */
export interface BatchTimes {
  readonly runningMs?: number;
  readonly cancellingMs?: number;
  readonly finalizingMs?: number;
}

/** Columns that lists are narrowed by, and `detail` with the rest. */
export interface Batch {
  readonly accountId: string;
  readonly id: string;
  readonly keyId: string;
  /** The person whose personal key made it. Null for a service key's. */
  readonly memberId: string | null;
  readonly surface: BatchForm;
  readonly status: BatchStatus;
  readonly createdAtMs: number;
  /** The end of its window. */
  readonly expiresAtMs: number;
  /** Null before its end. */
  readonly endedAtMs: number | null;
  /** The digest of the Idempotency-Key that made it. Null without one. */
  readonly claim: string | null;
  /** The bytes that it keeps beside files: its own input, and results. */
  readonly bytes: number;
  readonly detail: BatchDetail;
}

export interface BatchDetail {
  readonly bodyDigest: string;
  readonly endpoint: string;
  readonly window: string;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** The headers that each line is sent with. */
  readonly headers: Readonly<Record<string, string>>;
  /** The file with the lines. Null if they lie in pieces of the batch's own. */
  readonly inputFileId: string | null;
  readonly inputBytes: number;
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
  readonly outputSeconds: number | null;
  /** The model that all lines ask for, as they name it. Null before validation, and if they ask for several. */
  readonly model: string | null;
  readonly maxCostNanoUsd: NanoUsd | null;
  readonly estimatedNanoUsd: NanoUsd | null;
  readonly worstNanoUsd: NanoUsd | null;
  readonly counts: BatchCounts;
  readonly sums: BatchSums;
  readonly errors: readonly BatchMistake[];
  readonly times: BatchTimes;
  readonly waiting: BatchWait | null;
  /** Since when models that lines wait for have given nobody an answer, by the names that lines give them. Missing if there are none. */
  readonly silentSince?: Readonly<Record<string, number>>;
}

export interface BatchRef {
  readonly accountId: string;
  readonly id: string;
}

/**
 * Returns the id of a line's stored answer, until its result is written. It isn't hexadecimal, as the digests of Idempotency-Keys
 * are, so no client's answer has it.
 */
export function nameLineReply(batchId: string, line: number): string {
  return `${batchId}/${line}`;
}

/** Where a line's body lies in the input, and its id there. */
export interface LinePlace {
  readonly from: number;
  readonly to: number;
  readonly customId: string;
  /** The model that it asks for. Empty if it names none. */
  readonly model: string;
}

/** Lines of the output (`o`) or of the errors (`e`). */
export type ResultKind = "o" | "e";

/** A piece of the results. */
export interface ResultPiece {
  readonly number: number;
  readonly kind: ResultKind;
  readonly bytes: number;
}

/** Lines that lie side by side, which one node runs at a time. */
export interface BatchBlock {
  readonly accountId: string;
  readonly batchId: string;
  /** From 0. */
  readonly block: number;
  /** The node whose lines they are. Null if they are nobody's. */
  readonly node: string | null;
  /** The number of times that it was taken, so that a node that lost it overwrites nothing of the next one's. */
  readonly lease: number;
  /** The lines that haven't ended. */
  readonly remaining: number;
  /** A character for each line (`jobs/lines.ts`). */
  readonly states: string;
  readonly places: readonly LinePlace[];
  readonly pieces: readonly ResultPiece[];
}

export interface BatchFilter {
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  /** With null, those of service keys. */
  readonly memberId?: string | null | undefined;
  readonly status?: BatchStatus | undefined;
  readonly surface?: BatchForm | undefined;
  readonly isUnfinished?: boolean | undefined;
  readonly endedBeforeMs?: number | undefined;
  readonly inputFileId?: string | undefined;
  readonly scope?: Scope | undefined;
}

/** The rows that a change of a batch writes. Missing for nothing. */
export interface BatchChange<T> {
  readonly batch?: Batch;
  readonly blocks?: readonly BatchBlock[];
  readonly events?: readonly OutboxEvent[];
  /**
   * Stored replies of lines that end now: their results are written, or they have none. With them go the claims of tries
   * whose settlements are still to come, which find by it that their lines have ended.
   */
  readonly repliesGone?: readonly string[];
  /** Files that its results become. They are added whatever room their account has. */
  readonly files?: readonly StoredFile[];
  readonly result: T;
}

/** Looks for a block with lines left that is nobody's, or one of these nodes'. */
interface FreeBlock {
  readonly nodes: readonly string[];
  /** These are under way. */
  readonly except: readonly number[];
  /** The first that is looked at. */
  readonly from: number;
}

/** Stored replies that a change reads. Their texts may be long. */
export interface RepliesWanted {
  readonly ids: readonly string[];
  readonly hasTexts: boolean;
}

/** The blocks that a change reads: those named, the first with lines left, or the first of these that is free. */
export type BlocksWanted =
  | { readonly numbers: readonly number[]; readonly replies?: RepliesWanted }
  | { readonly remaining: number }
  | { readonly free: FreeBlock }
  | { readonly from: number; readonly most: number };

export interface BatchStore {
  /**
   * Adds a batch unless the claim has one already, which is returned. Null if the account has `unfinishedMax` unfinished
   * ones, or the batch's payer has `ownMax`: as many if it is missing.
   */
  add(batch: Batch, unfinishedMax: number, ownMax?: number): Promise<Batch | null>;
  find(id: string, scope?: Scope): Promise<Batch | null>;
  /** Newest first. */
  list(filter: BatchFilter, page: Page): Promise<readonly Batch[]>;
  /**
   * Changes a batch and blocks of it in one transaction. `decide` is pure: it may run more than once. Of the replies that
   * were asked for, it gets those that hold an answer, by their ids.
   */
  change<T>(
    of: BatchRef,
    wanted: BlocksWanted,
    decide: (
      batch: Batch | null,
      blocks: readonly BatchBlock[],
      answered: ReadonlyMap<string, KeptReply>,
    ) => BatchChange<T>,
  ): Promise<T>;
  /** Deletes a batch with its blocks. */
  remove(of: BatchRef): Promise<void>;
  /** Adds up what batches keep beside files: an account's, or with null all. */
  countBytes(accountId: string | null): Promise<number>;
  /** Adds up the log's rows of its lines. */
  sum(of: BatchRef): Promise<BatchSums>;
}
