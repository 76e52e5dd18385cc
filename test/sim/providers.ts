// The simulated providers: they keep a separate count of each call, which is their invoice, and misbehave at random.
import { isObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import type { Fetch, Reach } from "../../src/core/world/world.ts";
import {
  type CallTruth,
  makeInvoice,
  makeText,
  REQUEST_HEADER,
  splitPrompt,
  type TroubleWeights,
} from "./call-truth.ts";
import { formatId, MODELS } from "./cards.ts";
import type { Dice } from "./dice.ts";
import type { EventClock } from "./event-clock.ts";
import { Answer } from "./provider-answer.ts";
import { readModelName, SPEECH } from "./shapes.ts";

export class Providers {
  readonly calls: CallTruth[] = [];
  readonly #clock: EventClock;
  readonly #dice: Dice;
  readonly #weights: TroubleWeights;
  readonly #attemptOf: (requestId: string) => number;
  #unreachableUntilMs = 0;
  #open = 0;

  constructor(parts: {
    readonly clock: EventClock;
    readonly dice: Dice;
    readonly weights: TroubleWeights;
    readonly attemptOf: (requestId: string) => number;
  }) {
    this.#clock = parts.clock;
    this.#dice = parts.dice;
    this.#weights = parts.weights;
    this.#attemptOf = parts.attemptOf;
  }

  /** The number of calls that haven't ended. */
  get open(): number {
    return this.#open;
  }

  readonly reach: Reach = async () => {
    await this.#clock.wait(10);
    return this.#clock.monotonicMs >= this.#unreachableUntilMs;
  };

  /** `isOver` is true once the calling process is dead and nothing reaches it. `onDeath` ends its open calls. */
  fetchFor(isOver: () => boolean, onDeath: Set<() => void>): Fetch {
    return (url, init) => this.#fetch(url, init, isOver, onDeath);
  }

  async #fetch(
    url: string,
    init: RequestInit,
    isOver: () => boolean,
    onDeath: Set<() => void>,
  ): Promise<Response> {
    // A cancelled call is not sent.
    init.signal?.throwIfAborted();
    const body = parseJson(String(init.body));
    if (!isObject(body)) throw new Error("A call without a body.");
    const truth = this.#truthOf(url, body, new Headers(init.headers).get(REQUEST_HEADER) ?? "");
    this.calls.push(truth);
    this.#open++;
    const cut = () => answer.cut();
    const answer = new Answer(truth, this.#clock, this.#dice, init.signal ?? null, isOver, () => {
      this.#open--;
      onDeath.delete(cut);
    });
    onDeath.add(cut);
    if (truth.trouble === "unreachable") this.#unreachableUntilMs = this.#clock.monotonicMs + 3000;
    return answer.response;
  }

  #truthOf(url: string, body: JsonObject, requestId: string): CallTruth {
    const model = MODELS.find(({ name }) => name === readModelName(url, body));
    if (!model) throw new Error(`A call for an unknown model: ${url}`);
    const dice = this.#dice;
    const speech = SPEECH[model.shape];
    const asked = speech.asked(url, body);
    const number = this.calls.length;
    const before = this.calls.findLast((call) => call.requestId === requestId);
    const drawn = dice.weighted(this.#weights);
    // A reset is retried on a new connection. Two in a row would be an outage.
    const trouble = drawn === "reset_once" && before?.trouble === "reset_once" ? "none" : drawn;
    const texts = Array.from({ length: asked.choices }, (_, choice) => makeText(dice, number, choice));
    const attempt = this.#attemptOf(requestId);
    const invoice = makeInvoice(dice, model, asked, trouble === "beyond_hold");
    // The calls for one answer's choices have the same prompt.
    const sister = before?.attempt === attempt ? before.invoice.prompt : invoice.prompt;
    return {
      requestId,
      attempt,
      number,
      cardId: formatId(model),
      atMs: this.#clock.nowMs,
      monotonicMs: this.#clock.monotonicMs,
      asked,
      trouble,
      honest: trouble !== "beyond_hold",
      texts,
      sent: texts.map(() => ""),
      reported: null,
      invoice: { ...invoice, ...splitPrompt(invoice, sister) },
      whole: false,
      unconnected: false,
      endedAtMs: null,
    };
  }
}
