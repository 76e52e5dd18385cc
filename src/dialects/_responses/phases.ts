// The phases of the assistant's messages: commentary, or the final answer. Models from gpt-5.3-codex on mark their messages so,
// and need the marks back (OpenAI, "Using GPT-5.3-Codex", November 2026).
import { asArray, asCount, asObject, type JsonObject } from "../../core/json/json.ts";
import type { AssistantMessage, ReasoningDetail } from "../../operations/chat/form.ts";
import { joinText } from "../../operations/chat/prompt/content-text.ts";

/** Separates the messages of one answer, which are one text elsewhere. */
export const GAP = "\n\n";

/** An answer has a few messages. More would be compared with each text of its turn. */
const PHASES_MAX = 64;

/** A part of an answer's text that was a message of its own. */
interface PhasedMessage {
  /** Its characters, with those of the gap before it. Null if it ends with its part of the turn. */
  readonly size: number | null;
  readonly isFinal: boolean;
}

/** A message of an answer under way. */
interface OpenPhase {
  readonly phase: string | undefined;
  readonly size: number;
}

export function writePhase(isFinal: boolean): string {
  return isFinal ? "final_answer" : "commentary";
}

/**
 * Says which of an answer's messages were of which phase where their places may not: the last message of an answer is final,
 * and those before something else are commentary. Commentary is named before its text, and a final answer as soon as
 * something follows, since streams of Messages have no place for it behind the text.
 */
export class PhaseNotes {
  readonly #messages: OpenPhase[] = [];
  /** True if the latest item is a message. */
  #isSpeaking = false;
  /** True once a message stands where its place doesn't say its phase. */
  #isNeeded = false;
  /** The number of messages whose phases have been said. */
  #noted = 0;

  /** Takes a message before its text. Returns the phases to say before it, or null. */
  beginMessage(message: OpenPhase): readonly JsonObject[] | null {
    const isTold = !this.#isSpeaking && message.phase !== writePhase(false);
    this.#isSpeaking = true;
    this.#messages.push(message);
    return isTold ? null : this.#listPhases();
  }

  /** Takes the beginning of anything else. */
  beginOther(): readonly JsonObject[] | null {
    const isEarly = this.#endsFinally();
    this.#isSpeaking = false;
    return isEarly ? this.#listPhases() : null;
  }

  end(): readonly JsonObject[] | null {
    if (this.#noted === this.#messages.length) return null;
    const isPlain = !this.#isNeeded && (!this.#isSpeaking || this.#endsFinally());
    return isPlain ? null : this.#listPhases();
  }

  #endsFinally(): boolean {
    return this.#isSpeaking && this.#messages.at(-1)?.phase === writePhase(true);
  }

  #listPhases(): readonly JsonObject[] | null {
    this.#isNeeded = true;
    const messages = this.#messages;
    if (messages.length > PHASES_MAX || messages.some(({ phase }) => !phase)) return null;
    this.#noted = messages.length;
    return messages.map(({ size, phase }) => ({
      ...(size === 0 ? {} : { size }),
      is_final: phase === writePhase(true),
    }));
  }
}

export function makePhaseDetail(
  phases: readonly JsonObject[],
  about: Pick<ReasoningDetail, "format" | "index">,
): ReasoningDetail {
  return { type: "reasoning.summary", summary: "", ...about, phases };
}

export function isPhaseDetail(detail: ReasoningDetail): boolean {
  return Array.isArray(detail.phases);
}

/**
 * Reads the first messages of which a turn's text is made. Null if the answer didn't name them, or if the text has been
 * changed since.
 */
export function readPhases(message: AssistantMessage, format: string): readonly PhasedMessage[] | null {
  const detail = message.reasoning_details?.findLast((one) => one.format === format && isPhaseDetail(one));
  if (!detail || asArray(detail.phases).length > PHASES_MAX) return null;
  const phases = asArray(detail.phases).map((one) => {
    const { size, is_final } = asObject(one);
    return { size: size === undefined ? null : asCount(size), isFinal: is_final === true };
  });
  return isMadeOf(joinText(message.content), phases) ? phases : null;
}

/** True if each message ends where a gap begins, or the text ends. */
function isMadeOf(text: string, phases: readonly PhasedMessage[]): boolean {
  let end = 0;
  return phases.every(({ size }) => {
    end += size ?? 0;
    return size === null || end === text.length || text.startsWith(GAP, end);
  });
}

interface SplitMessage {
  readonly text: string;
  readonly phase: string;
}

/** Returns the messages of a text that begins at `start` in the turn's. The rest is of the phase `otherwise`. */
export function splitText(
  text: string,
  start: number,
  phases: readonly PhasedMessage[],
  otherwise: string,
): readonly SplitMessage[] {
  const messages: SplitMessage[] = [];
  const add = (from: number, to: number, phase: string) => {
    const whole = text.slice(Math.max(0, from - start), Math.max(0, to - start));
    const said = from > 0 && from >= start && whole.startsWith(GAP) ? whole.slice(GAP.length) : whole;
    if (said !== "") messages.push({ text: said, phase });
  };
  let from = 0;
  for (const { size, isFinal } of phases) {
    const isHere = from >= start && from < start + text.length;
    const to = size === null ? (isHere ? start + text.length : from) : from + size;
    add(from, to, writePhase(isFinal));
    from = to;
  }
  add(Math.max(from, start), start + text.length, otherwise);
  return messages;
}
