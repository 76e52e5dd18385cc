// Reads a request for choosing: its prediction, its length and whether it is a side call. While a conversation's messages only
// get answers and results of tools behind them, its task and its context are read once.
import { isGrowing, ListProgress } from "../../core/json/growing.ts";
import type { ChatMessage, ChatRequest } from "../../operations/chat/form.ts";
import { estimatePromptTokens, readTask } from "./features.ts";
import { HashCounts } from "./hash-index.ts";
import type { Parameters } from "./parameters.ts";
import { conclude, type WeighedTask, weighTask } from "./predictor.ts";
import { readShape, sumUp } from "./shape.ts";
import { findSideWords, isProbe, type SideCall } from "./side-calls.ts";

/** The messages that were read at a conversation's last turn. Their words aren't kept. */
interface KnownReading {
  readonly messages: number;
  readonly sums: ReturnType<typeof sumUp>;
  readonly task: WeighedTask;
  readonly sideWords: SideCall | null;
}

/** It goes with the earlier turn's body. */
const READ = new ListProgress<KnownReading>();
/** Emptied for each task: tables of thousands of numbers take longer to make than to fill. */
const ROOM = new HashCounts(0);

/** `parameters` are the shipped ones if missing. */
export function readRequest(request: ChatRequest, parameters?: Parameters) {
  const { messages } = request;
  const read =
    parameters === undefined && isGrowing(messages) ? readOn(messages) : readAll(messages, parameters);
  const { task, sums, sideWords } = read;
  const shape = readShape(request, sums);
  return {
    prediction: conclude(task, shape, parameters),
    promptTokens: estimatePromptTokens(shape, task.counts),
    sideCall: isProbe(messages, shape.outputTokensMax) ? "probe" : sideWords,
  } as const;
}

function readAll(messages: readonly ChatMessage[], parameters?: Parameters): KnownReading {
  return {
    messages: messages.length,
    sums: sumUp(messages),
    task: weighTask(readTask(messages, undefined, ROOM), parameters),
    sideWords: findSideWords(messages),
  };
}

/** Reads a conversation that goes on from an earlier turn. */
function readOn(messages: readonly ChatMessage[]): KnownReading {
  const before = READ.find(messages);
  const isLonger = before !== null && before.shared === before.state.messages;
  const read = isLonger ? readBehind(messages, before.state) : readAll(messages);
  READ.keep(messages, messages.length, read);
  return read;
}

function readBehind(messages: readonly ChatMessage[], before: KnownReading): KnownReading {
  for (let at = before.messages; at < messages.length; at++) {
    const { role } = messages[at] ?? {};
    if (role !== "assistant" && role !== "tool") return readAll(messages);
  }
  const sums = sumUp(messages, before.messages, before.sums);
  return { ...before, messages: messages.length, sums };
}
