// Legacy completions as an operation: counted, charged and read like chat, with prompts instead of messages.
import { AnswerReader } from "../chat/answer/answer.ts";
import { Fold } from "../chat/answer/fold.ts";
import { readOutputLimit } from "../chat/form.ts";
import { ChatMeter } from "../chat/meter.ts";
import { CHAT } from "../chat/operation.ts";
import { type Operation, shareAnswers } from "../operation.ts";
import { mapTextsBut } from "../text-walk.ts";
import { type CompletionForm, type CompletionRequest, toChat } from "./form.ts";

/** Prompts are texts: they have no pictures to cut, and can't be emptied in place, so they are dropped with their request. */
const {
  forgetPrompt: _forgetPrompt,
  cuts: _cuts,
  thoughts: _thoughts,
  hasJsonAnswer: _always,
  ...SHARED
} = CHAT;

const WORDS: ReadonlySet<string> = new Set(["model", "service_tier"]);

export const COMPLETION: Operation<CompletionForm> = {
  ...SHARED,
  name: "completion",
  fold: () => new Fold(),
  meter: ({ n, bestOf = n }) => new BestMeter(Math.max(1, bestOf / n)),
  findCodec: ({ completion }) => completion ?? null,
  choosing: null,

  countAnswers: (ask) => CHAT.countAnswers(toChat(ask)),
  refuseUnable: () => {},
  findUrl: () => null,
  findSearch: () => null,
  offer: (ask, card, terms) => CHAT.offer(toChat(ask), card, terms),
  offerLeast: null,
  bound(ask, card, outputTokens, isWish) {
    const { ask: fitted, dropped } = CHAT.bound(toChat(ask), card, outputTokens, isWish);
    const { maxTokens: _given, ...rest } = ask;
    const limit = readOutputLimit(fitted);
    return { ask: limit === undefined ? rest : { ...rest, maxTokens: limit }, dropped };
  },
  split,
  identify: ({ stream: _stream, ...ask }) => ask,
  toLog({ prompts, ...request }) {
    return { request, messages: prompts };
  },
  mapTexts: (ask, change) => mapTextsBut(ask, WORDS, change),
  conversations: { name: (ask, session) => CHAT.conversations.name(toChat(ask), session) },
  estimatePrompt: (ask) => CHAT.estimatePrompt(toChat(ask)),
  estimateLoad: (ask) => CHAT.estimateLoad(toChat(ask)),

  fit: (codec, ask, card, operator) => codec.fit(ask, card, operator),
  encode: (codec, ask, card, target) => codec.encode(ask, card, target),
  readWhole(codec, delivered, options) {
    const { card, ask } = options;
    const reply = (body: unknown) => codec.reply(body, card, ask, delivered.headers);
    const chat = { decoder: () => codec.decoder(card, ask), reply };
    return CHAT.readWhole(chat, delivered, { ...options, ask: toChat(ask) });
  },
  reader(codec, { ask, card, offset }) {
    const decoder = codec.decoder(card, ask);
    const terms = { choiceOffset: offset, stops: [], splices: false };
    return new AnswerReader({ decoder, request: toChat(ask), ...terms });
  },
  cutUsage: (usage, sent) => CHAT.cutUsage(usage, { ...sent, ask: toChat(sent.ask) }),
  estimate: (sent, bytes, reported) => CHAT.estimate({ ...sent, ask: toChat(sent.ask) }, bytes, reported),
};

/** Each answer is the best of several. */
class BestMeter extends ChatMeter {
  readonly #madeForEach: number;

  constructor(madeForEach: number) {
    super();
    this.#madeForEach = madeForEach;
  }

  override get begun(): number {
    return super.begun * this.#madeForEach;
  }
}

/** Answers are numbered prompt by prompt. */
function split(ask: CompletionRequest, answersPerCall: number): readonly CompletionRequest[] {
  if (COMPLETION.countAnswers(ask) <= answersPerCall) return [ask];
  const { bestOf: _best, ...rest } = ask;
  return ask.prompts.flatMap((prompt) =>
    shareAnswers(ask.n, answersPerCall).map((n) => ({ ...rest, prompts: [prompt], n })),
  );
}
