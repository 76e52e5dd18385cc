// A hook around an answer: nothing of it is shown before the hook has judged it.

import { Fault } from "../../core/faults/fault.ts";
import type { NativeTexts } from "../../core/text/texts.ts";
import type { Call } from "../../gateway/call.ts";
import type { Around } from "../../gateway/step.ts";
import type { Folding } from "../../operations/folding.ts";
import type { Form } from "../../operations/form.ts";
import type { Judgement } from "./judge.ts";
import { endsSentence } from "./sentence.ts";
import { changeCalls, changeReply, collectReply, JoinedTexts, listCalls } from "./texts.ts";

/** A question about an answer, or about a part of it. */
interface Part {
  readonly texts: readonly string[];
  readonly toolCalls: ReturnType<typeof listCalls>;
  readonly isWhole: boolean;
  /** The longest that the hook may take. */
  readonly timeoutMs: number;
}

interface AnswerTerms<F extends Form> {
  readonly call: Pick<Call<F>, "operation">;
  /** Reaches the texts of the provider's own events. Null if they are translated. */
  readonly native: NativeTexts | null;
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  readonly judge: (part: Part) => Promise<Judgement>;
}

export class HookedAnswer<F extends Form> implements Around<F> {
  protected readonly terms: AnswerTerms<F>;
  protected readonly joined: JoinedTexts<F>;
  readonly #held: F["piece"][] = [];
  readonly #folding: Folding<F>;
  #length = 0;

  constructor(terms: AnswerTerms<F>) {
    const { operation } = terms.call;
    this.terms = terms;
    this.joined = new JoinedTexts(operation, terms.native);
    this.#folding = operation.fold();
  }

  async whole(reply: F["reply"]): Promise<F["reply"]> {
    const { call, native, judge, timeoutMs } = this.terms;
    const texts = collectReply(call.operation, reply, native).list();
    const judged = await judge({ texts, toolCalls: listCalls(reply), isWhole: true, timeoutMs });
    return isSame(judged) ? reply : this.#change(reply, judged);
  }

  /** A change may concern any text of the stream, and what is shown can't be taken back. */
  pass(pieces: readonly F["piece"][]): readonly F["piece"][] | Promise<readonly F["piece"][]> {
    this.hold(pieces);
    return [];
  }

  protected hold(pieces: readonly F["piece"][]): void {
    this.joined.add(pieces);
    for (const piece of pieces) this.#held.push(piece);
    this.#length += this.#folding.add(pieces);
    if (this.#length <= this.terms.call.operation.answerBytesMax) return;
    throw new Fault("hook_unavailable", "The answer is too long to be judged by a hook.");
  }

  protected release(): readonly F["piece"][] {
    return this.#held.splice(0);
  }

  async end(): Promise<readonly F["piece"][]> {
    const { call, judge } = this.terms;
    const reply = this.#folding.reply();
    const own = reply === null ? null : collectReply(call.operation, reply, null);
    const texts = own === null ? this.joined.list() : [...own.list(), ...this.joined.listBeside(own)];
    const toolCalls = reply === null ? [] : listCalls(reply);
    const judged = await judge({ texts, toolCalls, isWhole: true, timeoutMs: this.leftMs() });
    if (isSame(judged)) return this.release();
    if (reply === null)
      throw new Fault("hook_unavailable", "A hook changed an answer that can't be written again.");
    return call.operation.unfold(this.#change(reply, judged));
  }

  protected leftMs(): number {
    return this.terms.timeoutMs;
  }

  over(): void {}

  #change(reply: F["reply"], { changes, calls }: Judgement): F["reply"] {
    return changeCalls(changeReply(this.terms.call.operation, reply, changes), calls);
  }
}

function isSame({ changes, calls }: Judgement): boolean {
  return changes.size === 0 && calls.size === 0;
}

/** The calls to one hook for one stream, with the last for all of it. */
const CALLS_MAX = 64;
const STREAM_MS = 10_000;
/** A text is judged at the end of each sentence, or after this many characters. */
const CHARACTERS = 500;
/** After this many calls, a long answer is judged in parts that double in length every few calls. */
const SHORT_CALLS = 16;
const CALLS_PER_LENGTH = 8;

/** A hook that never changes a text: the stream goes on with each sentence that it lets pass. */
export class HookedSentences<F extends Form> extends HookedAnswer<F> {
  #calls = 0;
  #spentMs = 0;
  #judged = 0;

  override pass(pieces: readonly F["piece"][]): readonly F["piece"][] | Promise<readonly F["piece"][]> {
    this.hold(pieces);
    return this.#isDue() ? this.#judgePart() : [];
  }

  /** The time left must suffice for the last call. */
  #isDue(): boolean {
    const { timeoutMs } = this.terms;
    if (this.#calls >= CALLS_MAX - 1 || this.#spentMs + 2 * timeoutMs > STREAM_MS) return false;
    const { characters, latest } = this.joined;
    const news = characters - this.#judged;
    if (this.#calls < SHORT_CALLS && news > 0 && endsSentence(latest)) return true;
    return news >= CHARACTERS * 2 ** Math.max(0, Math.floor((this.#calls - SHORT_CALLS) / CALLS_PER_LENGTH));
  }

  async #judgePart(): Promise<readonly F["piece"][]> {
    const { judge, timeoutMs, nowMs } = this.terms;
    const startMs = nowMs();
    this.#calls++;
    this.#judged = this.joined.characters;
    await judge({ texts: this.joined.list(), toolCalls: [], isWhole: false, timeoutMs });
    this.#spentMs += nowMs() - startMs;
    return this.release();
  }

  protected override leftMs(): number {
    return Math.max(1, Math.min(this.terms.timeoutMs, STREAM_MS - this.#spentMs));
  }
}
