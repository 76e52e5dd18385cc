// The phases of the assistant's messages: commentary, or the final answer. Models from gpt-5.3-codex on mark their messages so,
// and need the marks back (OpenAI, "Using GPT-5.3-Codex", November 2026).
import { asArray, asCount, asObject } from "../../core/json/json.ts";
import type { AssistantMessage, ReasoningDetail } from "../../operations/chat/form.ts";

/** Separates the messages of one answer, which are one text elsewhere. */
export const GAP = "\n\n";

/** An answer has a few messages. More would be compared with each text of its turn. */
const PHASES_MAX = 64;

/** A part of an answer's text that was a message of its own. */
interface PhasedMessage {
  /** Its characters, with those of the gap before it. */
  readonly size: number;
  readonly isFinal: boolean;
}

/** An item of an answer, in order. */
interface PhasedItem {
  readonly type: string | undefined;
  readonly phase: string | undefined;
  readonly size: number;
}

export function writePhase(isFinal: boolean): string {
  return isFinal ? "final_answer" : "commentary";
}

/**
 * Returns a detail that says which of an answer's messages were of which phase. Null if their places say it: the last message
 * of an answer is final, and those before something else are commentary.
 */
export function makePhaseDetail(
  items: readonly PhasedItem[],
  about: Pick<ReasoningDetail, "format" | "index">,
): ReasoningDetail | null {
  const shown = items.filter(({ type, size }) => type !== "message" || size > 0);
  const messages = shown.filter(({ type }) => type === "message");
  if (messages.length === 0 || messages.length > PHASES_MAX || messages.some(({ phase }) => !phase))
    return null;
  const isPlain = shown.every(({ type, phase }, at) => {
    const next = shown[at + 1];
    return type !== "message" || (next?.type !== "message" && phase === writePhase(next === undefined));
  });
  if (isPlain) return null;
  const phases = messages.map(({ size, phase }) => ({ size, is_final: phase === writePhase(true) }));
  return { type: "reasoning.summary", summary: "", ...about, phases };
}

export function isPhaseDetail(detail: ReasoningDetail): boolean {
  return Array.isArray(detail.phases);
}

/** Reads the messages of which a turn's text is made. Null if the answer didn't name them, or if the text has been changed since. */
export function readPhases(message: AssistantMessage, format: string): readonly PhasedMessage[] | null {
  const detail = message.reasoning_details?.find((one) => one.format === format && isPhaseDetail(one));
  if (!detail || typeof message.content !== "string" || asArray(detail.phases).length > PHASES_MAX)
    return null;
  const phases = asArray(detail.phases).map((one) => {
    const { size, is_final } = asObject(one);
    return { size: asCount(size), isFinal: is_final === true };
  });
  const characters = phases.reduce((sum, { size }) => sum + size, 0);
  return characters === message.content.length ? phases : null;
}

interface SplitMessage {
  readonly text: string;
  readonly phase: string;
}

/** Returns the messages of a text that begins at `start` in the turn's. */
export function splitText(
  text: string,
  start: number,
  phases: readonly PhasedMessage[],
): readonly SplitMessage[] {
  const messages: SplitMessage[] = [];
  let from = 0;
  for (const { size, isFinal } of phases) {
    const whole = text.slice(Math.max(0, from - start), Math.max(0, from + size - start));
    const said = from > 0 && from >= start && whole.startsWith(GAP) ? whole.slice(GAP.length) : whole;
    if (said !== "") messages.push({ text: said, phase: writePhase(isFinal) });
    from += size;
  }
  return messages;
}
