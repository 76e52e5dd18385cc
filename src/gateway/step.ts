// The port of a step: something that stands before and around every answer, such as a hook or a cache.

import type { Fault } from "../core/faults/fault.ts";
import type { UnsettledRecord } from "../core/log/record.ts";
import type { ModelCard } from "../core/models/card.ts";
import type { Family } from "../core/models/dialect.ts";
import type { NanoUsd } from "../core/money/money.ts";
import type { Ending } from "../core/world/ending.ts";
import type { AnswerCollector } from "../operations/collected.ts";
import type { Form } from "../operations/form.ts";
import type { Call } from "./call.ts";

/** Nothing waits for a result that is there at once. */
export type Later<Result> = Result | Promise<Result>;

/** Has an effect once. Rejects with the Fault of the limit that refuses the request; the step passes it on. */
export type Enter = () => Promise<void>;

/** One object for all requests. To remember something of one, it can use the `Call`, which is the same object to the end. */
export interface Step {
  /**
   * True if `before` only looks something up here: it may then be called before the look at what is surely refused, which
   * is made with the request's admission.
   */
  readonly isLookup?: boolean;
  /** True if an answer that a later step gives itself, such as a cached one, passes this step too. */
  readonly isAroundKept?: true;
  /**
   * Called in the order of the list, after the replay of an earlier answer and a look at what is surely refused, and
   * before the admission. Returns null to let the request pass as it is. Throws the Fault that refuses it.
   *
   * `ending` ends when nobody needs the answer any more. From then on the result is not waited for.
   *
   * A request that a step refuses or answers is one of its minute: it is admitted by the limits on parallel requests and
   * on requests of the minute, and only those. A step that makes it wait asks for that first, by `enter`.
   *
   * `cards` are the models that may answer.
   */
  before<F extends Form>(
    call: Call<F>,
    ending: Ending,
    enter: Enter,
    cards: readonly ModelCard[],
  ): Later<ChangedCall<F> | OwnAnswer<F> | null>;
  /**
   * Called in the order of the list, once a provider has begun to answer. Returns what stands between it and the client, or
   * null for nothing. The answer passes them in the reverse order. One that was kept for repeats is shown as it is, and a
   * step's own passes the steps before it with `isAroundKept`.
   */
  around<F extends Form>(answer: AnsweredCall<F>): Around<F> | null;
  /**
   * Returns what the answer depends on beside the request as it is by now, for a cache behind the step: its name, its
   * version, and, if it works on the answer, the digest of the request as it came. Null or missing if nothing.
   */
  identify?<F extends Form>(call: Call<F>, digestAsked: () => string): string | null;
  /**
   * Returns an answer as it is logged and exported: the client may be shown another. It may be broken off, and comes as the
   * client was shown it or as the steps got it. The request may be over by then. If this throws, it is a bug, and nothing of
   * the answer is written.
   */
  hideLogged?<F extends Form>(call: Call<F>, reply: F["reply"]): Later<F["reply"]>;
  /** Called once when the request is over, however it ended, after the settlement. Must not throw. */
  ended?<F extends Form>(call: Call<F>): void;
}

/** The request to go on with. From then on, nothing is sent, held for, logged or kept of the other. */
export interface ChangedCall<F extends Form> extends Pick<Call<F>, "ask" | "raw" | "kept"> {
  readonly kind: "changed";
  /** The fields that are reported as left out, if it leaves out more of them. */
  readonly dropped?: Call<F>["dropped"];
  /** Set if the request is refused: it is logged in this form. */
  readonly refusal?: Fault | null;
  /** False if no provider may store the request or its answer. The gateway itself keeps both as it would. */
  readonly keepsUpstream?: false;
}

/** An answer given in the provider's place. It costs nothing. */
export interface OwnAnswer<F extends Form> {
  readonly kind: "answer";
  readonly reply: F["reply"];
  /** The card's id, as shown. */
  readonly model: string;
  /** The reply as a stream, without its usage. If missing, the reply is taken apart. */
  readonly pieces?: readonly F["piece"][];
  /** The completion that got it first, and what it cost then. Missing if the step has made the answer. */
  readonly from?: { readonly id: string; readonly costNanoUsd: NanoUsd };
}

/** An answer that has begun. */
export interface AnsweredCall<F extends Form> {
  readonly call: Call<F>;
  /**
   * The family of the provider's own events and document, which the client is shown. Null if they are translated. In a
   * step's own answer, they are the request's if there are any.
   */
  readonly family: Family | null;
  /** Collects the answer as the client is shown it. Null if a step that the answer passes later may show another. */
  readonly shown: AnswerCollector<F> | null;
}

/**
 * One step's part of one answer. The books count what comes in; the client, the log and the stored reply get what goes
 * out. A Fault thrown by any function but `over` refuses the rest of the answer.
 */
export interface Around<F extends Form> {
  /** Takes a whole answer and returns the one to show. A native one holds the provider's own document. */
  whole(reply: F["reply"]): Later<F["reply"]>;
  /**
   * Takes the next pieces of a stream and returns those to show now, none to hold them back. Not called again before its
   * result is there. Native ones hold the provider's own events.
   */
  pass(pieces: readonly F["piece"][]): Later<readonly F["piece"][]>;
  /** Called after the last piece of a whole stream. Returns what was held back. */
  end(): Later<readonly F["piece"][]>;
  /**
   * Called once, after the settlement, however the answer ended. A whole answer, and the end of a streamed one, waits for
   * it. Must not throw.
   */
  over(end: AnswerEnd<F>): Later<void>;
}

export interface AnswerEnd<F extends Form = Form> {
  /** The fault that ended it early, at the provider, at a step or at the client. Null if the answer is whole. */
  readonly fault: Fault | null;
  /** True if its row was written. False if the store could not be waited for. */
  readonly isStored: boolean;
  /** As the client saw it. Null if the answer isn't whole, or is a step's own. */
  readonly usage: F["usage"] | null;
  /** Its row. Null if there is none. */
  readonly record: UnsettledRecord | null;
  /** The reasons for which the answers ended, if the operation knows any. */
  readonly finishes: readonly string[];
}
