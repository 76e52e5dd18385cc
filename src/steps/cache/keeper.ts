// Collects an answer, whole or streamed, to keep it at its end: as its client sees it, or as a step around it gets it that may
// show another.
import type { NativeTexts } from "../../core/text/texts.ts";
import type { AnswerEnd, AnsweredCall, Around } from "../../gateway/step.ts";
import { AnswerCollector, type CollectedReader } from "../../operations/collected.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import type { CollectedMemory } from "./collected-memory.ts";
import type { KeptAnswer } from "./kept.ts";

/** The ends of an answer that has all of what was asked for. */
const ORDINARY: ReadonlySet<string> = new Set(["stop", "tool_calls"]);

type AnswerForm<F extends Form> = Pick<F, "piece" | "reply">;

interface Collecting<F extends Form> extends Pick<AnsweredCall<F>, "shown"> {
  readonly operation: Operation<F>;
  readonly memory: CollectedMemory;
  readonly isNative: boolean;
  /** Null if no provider's own request was sent, which alone has tools that a provider runs. */
  readonly texts: Pick<NativeTexts, "hasToolRun"> | null;
  /** Keeps a whole answer with an ordinary end. Called with null if there is none. */
  readonly keep: (answer: Omit<KeptAnswer<F>, "id"> | null) => Promise<void>;
}

export class Keeper<F extends Form> implements Around<F> {
  readonly #parts: Collecting<F>;
  #reply: F["reply"] | null = null;
  /** Null if what is collected for others has all that is stored. */
  readonly #own: AnswerCollector<AnswerForm<F>> | null;
  readonly #answer: CollectedReader<AnswerForm<F>>;
  #pieces: unknown[] = [];
  /** As taken from the memory of all. */
  #bytes = 0;

  constructor(parts: Collecting<F>) {
    this.#parts = parts;
    const { operation, shown } = parts;
    const { keeping } = operation;
    const accepts = (added: number, characters: number) => this.#count(added, characters);
    const isOwn = shown === null || keeping?.fold !== undefined;
    const collector = isOwn ? new AnswerCollector(keeping?.fold ?? (() => operation.fold())) : shown;
    this.#own = isOwn ? collector : null;
    this.#answer = collector.read(accepts);
  }

  whole(reply: F["reply"]): F["reply"] {
    this.#reply = reply;
    return reply;
  }

  pass(pieces: readonly F["piece"][]): readonly F["piece"][] {
    const { operation, isNative } = this.#parts;
    this.#own?.add(pieces);
    if (isNative && !this.#answer.isCut)
      for (const one of operation.keeping?.native?.write(pieces) ?? []) this.#pieces.push(one);
    return pieces;
  }

  /** Drops the answer if it, or all that are collected together, became too large. Returns false then. */
  #count(added: number, characters: number): boolean {
    const isTaken = this.#take(added, characters);
    if (!isTaken) this.#drop();
    return isTaken;
  }

  #take(added: number, characters: number): boolean {
    const { operation, memory } = this.#parts;
    const { bytesMax, collectedMax } = operation.kept;
    if (characters > collectedMax) return false;
    // Pieces that count many times their reply take less once they are folded.
    const bytes = Math.ceil((added * bytesMax) / collectedMax);
    if (!memory.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  #drop(): void {
    this.#answer.leave();
    this.#pieces = [];
    this.#parts.memory.release(this.#bytes);
    this.#bytes = 0;
  }

  end(): readonly F["piece"][] {
    return [];
  }

  async over(end: AnswerEnd<F>): Promise<void> {
    const answer = this.#finish(end);
    this.#drop();
    await this.#parts.keep(answer);
  }

  /** Returns null if there is no whole answer with an ordinary end, or if the provider ran a tool for it. */
  #finish({ fault, isStored, usage, record, finishes }: AnswerEnd<F>): Omit<KeptAnswer<F>, "id"> | null {
    const { operation, isNative, texts } = this.#parts;
    const isWhole = fault === null && isStored && record?.ended === "done" && usage !== null;
    const isOrdinary = finishes.every((finish) => ORDINARY.has(finish));
    if (!isWhole || !isOrdinary || record.amounts.searches > 0) return null;
    const reply = this.#reply ?? this.#answer.makeReply();
    if (reply === null) return null;
    const pieces = isNative && this.#reply === null ? this.#pieces : null;
    const shown = operation.withUsage(reply, usage);
    const hasToolRun = (json: string) => texts?.hasToolRun(json) ?? false;
    if (texts && (hasToolRun(JSON.stringify(shown)) || pieces?.some((one) => hasToolRun(String(one)))))
      return null;
    const { modelUsed, costNanoUsd } = record;
    return { model: modelUsed ?? "", costNanoUsd, reply: shown, pieces };
  }
}
