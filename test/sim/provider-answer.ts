// A simulated provider's answer, sent step by step on the clock to its end or its failure.

import type { CallTruth, Trouble } from "./call-truth.ts";
import { type Counted, formatId, MODELS, NOTHING_COUNTED } from "./cards.ts";
import type { Dice } from "./dice.ts";
import type { EventClock } from "./event-clock.ts";
import { SPEECH, type Speech } from "./shapes.ts";

class ConnectionError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The connection failed: ${code}`);
    this.code = code;
  }
}

const encoder = new TextEncoder();

/** One answer, sent step by step on the clock. */
export class Answer {
  readonly response: Promise<Response>;
  readonly #truth: CallTruth;
  readonly #clock: EventClock;
  readonly #dice: Dice;
  readonly #speech: Speech;
  readonly #isOver: () => boolean;
  readonly #onEnd: () => void;
  readonly #head = Promise.withResolvers<Response>();
  #body: ReadableStreamDefaultController<Uint8Array> | null = null;
  #ended = false;

  constructor(
    truth: CallTruth,
    clock: EventClock,
    dice: Dice,
    signal: AbortSignal | null,
    isOver: () => boolean,
    onEnd: () => void,
  ) {
    this.#truth = truth;
    this.#clock = clock;
    this.#dice = dice;
    this.#isOver = isOver;
    this.#onEnd = onEnd;
    const model = MODELS.find((one) => formatId(one) === truth.cardId);
    this.#speech = SPEECH[model?.shape ?? "openai"];
    this.response = this.#head.promise;
    signal?.addEventListener("abort", () => this.#break(signal.reason), { once: true });
    void this.#run();
  }

  /** The caller died. */
  cut(): void {
    this.#end();
  }

  async #run(): Promise<void> {
    const { trouble, asked } = this.#truth;
    await this.#pause(5, trouble === "slow" ? 4000 : 300);
    if (this.#ended) return;
    switch (trouble) {
      case "no_connection":
      case "reset_once":
        this.#truth.unconnected = true;
        return this.#break(new ConnectionError(trouble === "reset_once" ? "ECONNRESET" : "ECONNREFUSED"));
      case "silent":
      case "unreachable":
        return;
      case "refuses":
        return this.#refuse();
      default:
        return asked.stream ? await this.#stream() : await this.#whole();
    }
  }

  #refuse(): void {
    const status = this.#dice.pick([429, 500, 503, 400, 401]);
    const body = { error: { message: "No.", type: "error", code: "error" }, type: "error" };
    this.#end();
    this.#answer(new Response(JSON.stringify(body), { status }));
  }

  async #whole(): Promise<void> {
    const { trouble, texts, invoice } = this.#truth;
    await this.#pause(20, trouble === "slow" ? 4000 : 800);
    if (this.#ended || trouble === "stalls") return;
    const counted = trouble === "no_count" ? null : invoice;
    const text = JSON.stringify(this.#speech.whole(texts, counted));
    const broken: string =
      trouble === "garbage"
        ? "<html>busy</html>"
        : trouble === "error_event"
          ? '{"error":{"message":"No."}}'
          : text;
    const cut =
      trouble === "ends_early" || trouble === "breaks" ? broken.slice(0, this.#dice.int(1, 40)) : broken;
    this.#open("application/json");
    this.#send(cut);
    if (trouble === "breaks") return this.#break(new ConnectionError("ECONNRESET"));
    if (cut === text) {
      this.#truth.whole = true;
      this.#truth.reported = counted;
      for (const [choice, all] of texts.entries()) this.#truth.sent[choice] = all;
    }
    this.#close();
  }

  async #stream(): Promise<void> {
    const { trouble, texts, invoice } = this.#truth;
    const pieces = piecesOf(this.#dice, texts);
    // The piece at which the failure comes: before the first, or after some.
    const breaksAt = isBreaking(trouble) ? this.#dice.int(0, pieces.length) : -1;
    const isCounted = trouble !== "no_count";
    const least = { ...invoice, completion: Math.min(1, invoice.completion), reasoning: 0 };
    this.#open("text/event-stream");
    this.#report(isCounted ? least : null, "anthropic");
    this.#sendAll(this.#speech.start(isCounted ? least : null));
    for (const [at, [choice, text]] of pieces.entries()) {
      await this.#pause(1, trouble === "slow" ? 2000 : 120);
      if (at === breaksAt) return this.#trouble();
      if (this.#ended) return;
      const soFar = isCounted ? partOf(invoice, (at + 1) / (pieces.length + 1)) : null;
      this.#report(soFar, "gemini");
      this.#truth.sent[choice] += text;
      this.#sendAll(this.#speech.piece(choice, text, soFar));
    }
    await this.#pause(1, 60);
    if (breaksAt === pieces.length) return this.#trouble();
    if (this.#ended) return;
    this.#report(isCounted ? invoice : null);
    this.#truth.whole = true;
    this.#sendAll(this.#speech.finish(texts.length, isCounted ? invoice : null));
    const hasMark = this.#speech.mark().length > 0;
    // Without its dialect's end mark, an answer of Anthropic's is not whole.
    if (trouble === "stays_open") {
      this.#truth.whole = this.#truth.whole && this.#speech !== SPEECH.anthropic;
      return;
    }
    if (hasMark) this.#sendAll(this.#speech.mark());
    await this.#pause(0, 30);
    if (!this.#ended) this.#close();
  }

  /** Any other trouble is a stall: nothing more is sent. */
  #trouble(): void {
    if (this.#ended) return;
    const { trouble } = this.#truth;
    if (trouble === "garbage") this.#send("data: {not json\n\n");
    if (trouble === "error_event") this.#send(this.#speech.errorEvent());
    if (trouble === "ends_early") this.#close();
    if (trouble === "breaks") this.#break(new ConnectionError("ECONNRESET"));
  }

  #report(counted: Counted | null, only?: string): void {
    if (
      counted === null ||
      (only !== undefined && this.#speech !== SPEECH[only === "gemini" ? "gemini" : "anthropic"])
    )
      return;
    this.#truth.reported = counted;
  }

  #pause(least: number, most: number): Promise<void> {
    return this.#clock.wait(this.#dice.int(least, most));
  }

  #open(type: string): void {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      cancel: () => this.#end(),
    });
    this.#answer(new Response(body, { status: 200, headers: { "content-type": type } }));
  }

  #answer(response: Response): void {
    if (!this.#isOver()) this.#head.resolve(response);
  }

  /** Several events may arrive in one read, or one event in two. */
  #sendAll(events: readonly string[]): void {
    const text = events.join("");
    if (text === "") return;
    const cut = this.#dice.chance(0.2) ? this.#dice.int(0, text.length) : text.length;
    this.#send(text.slice(0, cut));
    this.#send(text.slice(cut));
  }

  #send(text: string): void {
    if (text !== "" && !this.#ended && !this.#isOver()) this.#body?.enqueue(encoder.encode(text));
  }

  #close(): void {
    if (this.#ended) return;
    this.#end();
    if (!this.#isOver()) this.#body?.close();
  }

  #break(reason: unknown): void {
    if (this.#ended) return;
    this.#end();
    if (this.#isOver()) return;
    if (this.#body) this.#body.error(reason);
    else this.#head.reject(reason);
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#truth.endedAtMs = this.#clock.monotonicMs;
    this.#onEnd();
  }
}

function isBreaking(trouble: Trouble): boolean {
  return ["stalls", "garbage", "breaks", "ends_early", "error_event"].includes(trouble);
}

/** Splits the texts into pieces and mixes those of several choices. */
function piecesOf(dice: Dice, texts: readonly string[]): readonly (readonly [number, string])[] {
  const rest = texts.map((text) => text);
  const pieces: [number, string][] = [];
  while (rest.some((text) => text !== "")) {
    const choice = dice.int(0, rest.length - 1);
    const text = rest[choice] ?? "";
    if (text === "") continue;
    const cut = dice.int(3, 40);
    pieces.push([choice, text.slice(0, cut)]);
    rest[choice] = text.slice(cut);
  }
  return pieces;
}

function partOf(whole: Counted, share: number): Counted {
  const completion = Math.floor(whole.completion * share);
  return { ...NOTHING_COUNTED, ...whole, completion, reasoning: Math.min(whole.reasoning, completion) };
}
