// Made-up steps, each set off by a word of the prompt or of the answer, and a record of their calls.
import { Fault } from "../../src/core/faults/fault.ts";
import type { AnswerEnd, Step } from "../../src/gateway/step.ts";

/** Calls of the steps, in order. */
export const told: string[] = [];
export const ends: AnswerEnd[] = [];
/** The requests that a step has replaced. */
export const replaced: object[] = [];

function refuse(): never {
  throw new Fault("content_filter", "A step refuses this.");
}

const has = (value: unknown, word: string) => JSON.stringify(value).includes(word);

function check<Shown>(shown: Shown): Shown {
  if (has(shown, "crash")) throw new TypeError("A step's bug.");
  return has(shown, "poison") ? refuse() : shown;
}

/** Refuses prompts with `forbidden`, and answers with `poison`. Has a bug that answers with `crash` meet. */
const guard: Step = {
  before({ ask }) {
    told.push("guard before");
    return has(ask, "forbidden") ? refuse() : null;
  },
  around: () => ({
    whole(reply) {
      told.push("guard whole");
      return check(reply);
    },
    pass(pieces) {
      told.push("guard pass");
      return check(pieces);
    },
    end: () => [],
    over: (end) => void ends.push(end),
  }),
};

/** Sends `hidden` for `secret` to the provider, and shows `fruit` for the answer's `banana`. */
const mask: Step = {
  async before({ ask, raw, kept, operation }) {
    told.push("mask before");
    if (!has(ask, "secret")) return null;
    replaced.push(ask);
    const hide = (text: string) => text.replaceAll("secret", "hidden");
    return {
      kind: "changed",
      ask: operation.mapTexts(ask, hide),
      raw: raw && { ...raw, body: raw.texts.mapRequest(raw.body, hide) },
      kept: kept && { ...kept, body: kept.texts.mapRequest(kept.body, hide) },
    };
  },
  around({ family, call: { operation, raw } }) {
    const show = (text: string) => text.replaceAll("banana", "fruit");
    const native = family === null ? null : (raw?.texts ?? null);
    told.push(`mask around ${family}`);
    return {
      async whole(reply) {
        told.push("mask whole");
        return operation.mapReply(reply, show, native);
      },
      async pass(pieces) {
        told.push("mask pass");
        return operation.mapPieces(pieces, show, native);
      },
      end: () => [],
      over: () => {},
    };
  },
};

/** Answers prompts with `canned` itself, and shows nothing of an answer to `wait` before its end. */
const keeper: Step = {
  before({ ask, operation }) {
    if (!has(ask, "canned")) return null;
    const message = { role: "assistant", content: "from the tin" };
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, cost: 9, charged: 9 };
    const reply = operation.restore({ choices: [{ index: 0, message, finish_reason: "stop" }], usage });
    return reply && { kind: "answer", model: "Tin#can", reply };
  },
  around({ call: { ask } }) {
    if (!has(ask, "wait")) return null;
    const held: object[] = [];
    return {
      whole: (reply) => reply,
      pass(pieces) {
        held.push(...pieces);
        return [];
      },
      end: () => held.splice(0),
      over: () => {},
    };
  },
};

/** Never returns from prompts with `stuck before`, and from answers to `stuck around`. */
const stuck: Step = {
  before: ({ ask }) => (has(ask, "stuck before") ? new Promise(() => told.push("stuck")) : null),
  around({ call: { ask } }) {
    if (!has(ask, "stuck around")) return null;
    const wait = () => new Promise<never>(() => told.push("stuck"));
    return { whole: wait, pass: wait, end: wait, over: (end) => void ends.push(end) };
  },
};

export const MADE_UP: readonly Step[] = [guard, mask, keeper, stuck];
