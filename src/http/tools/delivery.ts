// A call's way back to its client: as JSON, or as events while the tool works.
import type { JsonObject } from "../../core/json/json.ts";
import type { ToolProgress } from "../../core/tools/tool-reply.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Deadline, Deadlines, Latecomer } from "../../core/world/world.ts";
import { writeNotification } from "../../tools/wire/rpc.ts";
import type { HeaderMap } from "../serve/answers.ts";
import { EventChannel } from "./events.ts";

/** The answer to a call, as a JSON-RPC message. */
export interface CallAnswer {
  readonly status: number;
  readonly message: JsonObject;
  readonly headers: HeaderMap;
}

/** The token under which a client hears of a call's progress. Null if it doesn't want to. */
export type ProgressToken = string | number | null;

interface ToolDeliveryParts {
  readonly deadlines: Deadlines;
  readonly keepAliveMs: number;
  readonly token: ProgressToken;
  /** True if the client takes an answer of events. */
  readonly takesEvents: boolean;
  /** Ends the call. */
  readonly ending: Ending;
}

export class CallDelivery implements Latecomer {
  readonly #parts: ToolDeliveryParts;
  readonly #first = Promise.withResolvers<CallAnswer | null>();
  #silence: Deadline | null = null;
  #channel: EventChannel | null = null;
  #answer: CallAnswer | null = null;

  constructor(parts: ToolDeliveryParts) {
    const { deadlines, keepAliveMs, token, takesEvents } = parts;
    this.#parts = parts;
    if (takesEvents && token === null) this.#silence = deadlines.watch(deadlines.nowMs() + keepAliveMs, this);
  }

  /** Null for an answer of events: at once if the client asks for progress, else once it takes long. */
  get first(): Promise<CallAnswer | null> {
    return this.#first.promise;
  }

  /** True if the client hears of each step. */
  get hasProgress(): boolean {
    return this.#parts.token !== null;
  }

  late(): void {
    this.#first.resolve(null);
  }

  /** The call is sent to its server. */
  begin(): void {
    if (this.hasProgress) this.#first.resolve(null);
  }

  report(progress: ToolProgress): void {
    const { token } = this.#parts;
    if (token === null) return;
    const params = { progressToken: token, ...progress };
    this.#open().send(JSON.stringify(writeNotification("notifications/progress", params)));
  }

  end(answer: CallAnswer): void {
    this.#silence?.clear();
    this.#answer = answer;
    this.#first.resolve(answer);
    this.#channel?.end(JSON.stringify(answer.message));
  }

  /** The client has left. */
  leave(): void {
    this.#open().cancel();
  }

  stream(): Response {
    const channel = this.#open();
    if (this.#answer !== null) channel.end(JSON.stringify(this.#answer.message));
    return channel.respond({});
  }

  #open(): EventChannel {
    const { deadlines, keepAliveMs, ending } = this.#parts;
    this.#channel ??= new EventChannel({ deadlines, keepAliveMs, onLeft: () => ending.end() });
    return this.#channel;
  }
}
