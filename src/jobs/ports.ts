// The ports of the room of batches: the store, files, a clock, and the door through which lines go.

import type { Batch, BatchDetail, BatchForm, BatchMistake, LinePlace } from "../core/batches/batch.ts";
import type { LinePlacing, SingleRequests } from "../core/batches/line-pace.ts";
import type { LineTerms } from "../core/demand.ts";
import type { Fault } from "../core/faults/fault.ts";
import type { GatewayKey } from "../core/keys/key.ts";
import type { KeptReply } from "../core/log/kept.ts";
import type { NanoUsd } from "../core/money/money.ts";
import type { BatchRules, FileRules } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import type { Ending } from "../core/world/ending.ts";
import type { Clock, Log } from "../core/world/world.ts";
import type { Files } from "../files/port.ts";
import type { MeanOutputs } from "./outputs.ts";

/** A line as it goes through the gateway's door. */
export interface LineCall {
  readonly key: GatewayKey;
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
  readonly terms: LineTerms;
  /** From 1. */
  readonly line: number;
  readonly customId: string;
  /** Takes note of where it goes. */
  readonly placing: LinePlacing;
  /** True for refusals that let it wait. */
  readonly waitsFor: (fault: Fault) => boolean;
  /** Ends it early. */
  readonly ending: Ending;
}

/** A line that isn't to be sent. */
export type UnsentLine = Omit<LineCall, "waitsFor" | "ending" | "placing">;

export interface LineResult {
  readonly requestId: string;
  readonly status: number;
  /** JSON. */
  readonly body: string;
  /** Null for an answer. */
  readonly fault: Fault | null;
  readonly costNanoUsd: NanoUsd;
  readonly chargedNanoUsd: NanoUsd;
}

/** A line that was answered, and whose answer is stored. */
export interface AnsweredLine extends Pick<LineCall, "path" | "body" | "headers"> {
  readonly owner: Pick<Batch, "accountId" | "memberId" | "keyId">;
  readonly reply: KeptReply;
  readonly chargedNanoUsd: NanoUsd;
}

/** An answer to a line, as a form writes it. */
interface LineAnswer extends Pick<LineResult, "requestId" | "status" | "body"> {
  readonly batchId: string;
  readonly line: number;
  readonly customId: string;
}

/** A line that has no answer. */
interface UnansweredLine {
  readonly batchId: string;
  readonly line: number;
  readonly customId: string;
  readonly end: "cancelled" | "expired" | "unpaid";
}

/** A line of the input, or what is wrong with it. */
export type ReadLine = { readonly place: LinePlace } | { readonly mistake: BatchMistake };

/** The part of a client's form that reads and writes batches. */
export interface BatchWords {
  /** Reads the lines of an input that aren't blank. */
  readLines(batch: Batch, input: AsyncIterable<Uint8Array>, bytesMax: number): AsyncIterable<ReadLine>;
  /** Each is a line with its end. */
  writeAnswer(answer: LineAnswer): string;
  writeUnanswered(line: UnansweredLine): string;
}

/** A line's key, and how many tokens and how much money it would take. */
export type Estimate = Pick<BatchDetail, "estimatedNanoUsd" | "worstNanoUsd">;

export interface JobPorts {
  readonly store: Pick<Store, "batches" | "account" | "request" | "node" | "listDead">;
  readonly files: Files;
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs" | "after">;
  readonly log: Log;
  readonly rules: () => BatchRules;
  readonly fileRules: () => FileRules;
  /** The longest body. */
  readonly bodyBytesMax: number;
  readonly words: Readonly<Record<BatchForm, BatchWords>>;
  /** Returns the key as it may be used now. Throws the Faults of one that may not. */
  readonly findKey: (id: string) => Promise<GatewayKey>;
  readonly call: (line: LineCall) => Promise<LineResult>;
  /** Writes a stored answer as it was shown: nobody is asked, and nobody's right to ask is needed any more. */
  readonly replay: (line: AnsweredLine) => Promise<Pick<LineResult, "status" | "body">>;
  /** Returns the lengths of answers that the batch's account had at its endpoint. */
  readonly readOutputs: (batch: Batch) => Promise<MeanOutputs>;
  /** Returns what a line would cost, as if it were asked now. Null if that can't be said. */
  readonly estimate: (line: UnsentLine, outputs: MeanOutputs) => Promise<LineEstimate | null>;
  /** True while the node has no room for lines: a late event loop, little memory. */
  readonly isBusy: () => boolean;
  readonly singles: SingleRequests;
  /** Runs a task in the next turn of the event loop. */
  readonly nextTurn: (task: () => void) => void;
}

export interface LineEstimate {
  readonly expectedNanoUsd: NanoUsd;
  readonly worstNanoUsd: NanoUsd;
}
