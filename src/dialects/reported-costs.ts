// Reads what an answer reports as its cost, in any dialect: the decoders and readers of a provider that reports it are wrapped.
import { parseReceived } from "../core/json/bounds.ts";
import { asNumber, asObject, isObject } from "../core/json/json.ts";
import type { Family } from "../core/models/dialect.ts";
import type { CostReport, FieldPath } from "../core/money/cost-report.ts";
import type { AnswerTerms } from "../core/money/terms.ts";
import { NO_AMOUNTS } from "../core/money/units.ts";
import type { ChatForm, Decoder } from "../operations/chat/decoder.ts";
import type { ChatChunk, ChatReply, Usage } from "../operations/chat/form.ts";
import type { AnswerCodec, Codec } from "../operations/codec.ts";
import type { CompletionForm } from "../operations/completion/form.ts";
import type { Form } from "../operations/form.ts";
import type { PartDecoder, WholePiece, WholeReply } from "../operations/whole-form.ts";
import type { Dialect } from "./dialect.ts";

/** Returns the dialect with the reported cost in the terms of each usage. */
export function withReportedCosts(dialect: Dialect, report: CostReport): Dialect {
  const { chat, completion, embeddings, images, speech, transcription, rerank, moderation } = dialect;
  return {
    ...dialect,
    ...(chat ? { chat: wrapCodec<ChatForm>(chat, report, CHATTING) } : {}),
    ...(completion ? { completion: wrapCodec<CompletionForm>(completion, report, CHATTING) } : {}),
    ...(embeddings ? { embeddings: wrapCodec(embeddings, report, makeWorking()) } : {}),
    ...(images ? { images: wrapCodec(images, report, makeWorking()) } : {}),
    ...(speech ? { speech: wrapCodec(speech, report, makeWorking()) } : {}),
    ...(transcription ? { transcription: wrapCodec(transcription, report, makeWorking()) } : {}),
    ...(rerank ? { rerank: wrapCodec(rerank, report, makeWorking()) } : {}),
    ...(moderation ? { moderation: wrapCodec(moderation, report, makeWorking()) } : {}),
  };
}

/** The places of the usage in the answers of an operation. */
interface UsagePlaces<R, D> {
  addToReply(reply: R, costUsd: number): R;
  wrap(decoder: D, report: CostReport): D;
}

const FAMILIES: readonly Family[] = ["openai", "responses", "anthropic", "gemini"];

function wrapCodec<F extends Form>(
  codec: Codec<F>,
  report: CostReport,
  places: UsagePlaces<F["reply"], F["decoder"]>,
): Codec<F> {
  const wrapped = wrapAnswers(codec, report, places);
  const { lanes, instead } = codec;
  const wrappedLanes = { ...lanes };
  for (const family of FAMILIES) {
    const lane = lanes?.[family];
    if (lane) wrappedLanes[family] = wrapAnswers(lane, report, places);
  }
  return {
    ...wrapped,
    ...(lanes ? { lanes: wrappedLanes } : {}),
    ...(instead
      ? {
          instead(ask, card, refuses) {
            const other = instead(ask, card, refuses);
            return other && wrapCodec(other, report, places);
          },
        }
      : {}),
  };
}

function wrapAnswers<F extends Form, C extends AnswerCodec<F>>(
  codec: C,
  report: CostReport,
  places: UsagePlaces<F["reply"], F["decoder"]>,
): C {
  const { decoder, reply }: AnswerCodec<F> = codec;
  return {
    ...codec,
    decoder: (...given: Parameters<typeof decoder>) => places.wrap(decoder(...given), report),
    reply(...given: Parameters<typeof reply>) {
      const [body, , , headers] = given;
      const costUsd = readWhole(report, body, headers);
      const read = reply(...given);
      return costUsd === null ? read : places.addToReply(read, costUsd);
    },
  };
}

const CHATTING: UsagePlaces<ChatReply, Decoder> = {
  addToReply: addToChatReply,
  wrap: (decoder, report) => wrapChat(decoder, new StreamedCost(report)),
};

/** A free answer always reports its tokens. */
function addToChatReply(reply: ChatReply, costUsd: number): ChatReply {
  const { usage } = reply;
  if (usage !== undefined) return { ...reply, usage: addCost(usage, costUsd) };
  const none: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  return costUsd > 0 ? { ...reply, usage: addCost(none, costUsd) } : reply;
}

/** A cost may come before its usage, beside it, or after it. */
function wrapChat(decoder: Decoder, cost: StreamedCost): Decoder {
  let latest: Usage | undefined;
  const add = (chunks: readonly ChatChunk[], isNews: boolean): readonly ChatChunk[] => {
    const before = latest;
    latest = chunks.findLast(({ usage }) => usage !== undefined)?.usage ?? latest;
    const { costUsd } = cost;
    if (costUsd === null) return chunks;
    if (latest !== before)
      return chunks.map((chunk) =>
        chunk.usage ? { ...chunk, usage: addCost(chunk.usage, costUsd) } : chunk,
      );
    return isNews && latest ? [...chunks, { choices: [], usage: addCost(latest, costUsd) }] : chunks;
  };
  const restate = decoder.restate?.bind(decoder);
  return {
    get done() {
      return decoder.done;
    },
    push(event) {
      const isNews = cost.read(event.data);
      return add(decoder.push(event), isNews);
    },
    end: () => add(decoder.end(), false),
    ...(restate ? { restate } : {}),
  };
}

function makeWorking<R extends WholeReply, P>(): UsagePlaces<R, PartDecoder<R, P> | null> {
  return {
    addToReply: addToWork,
    wrap: (decoder, report) => (decoder?.isEvents ? wrapParts(decoder, report) : decoder),
  };
}

function addToWork<R extends WholeReply>(reply: R, costUsd: number): R {
  if (reply.usage === null && costUsd === 0) return reply;
  return { ...reply, usage: addCost(reply.usage ?? { amounts: NO_AMOUNTS }, costUsd) };
}

/** Each reply of a stream has its own usage, and so its own cost. */
function wrapParts<R extends WholeReply, P>(
  decoder: PartDecoder<R, P>,
  report: CostReport,
): PartDecoder<R, P> {
  return {
    isEvents: true,
    get done() {
      return decoder.done;
    },
    push(event) {
      const cost = new StreamedCost(report);
      cost.read(event.data);
      const { costUsd } = cost;
      const pieces = decoder.push(event);
      return costUsd === null ? pieces : pieces.map((piece) => addToPiece(piece, costUsd));
    },
    end: () => decoder.end(),
  };
}

function addToPiece<R extends WholeReply, P>(piece: WholePiece<R, P>, costUsd: number): WholePiece<R, P> {
  if (piece.kind === "usage") return { ...piece, usage: addCost(piece.usage, costUsd) };
  return piece.kind === "reply" ? { ...piece, reply: addToWork(piece.reply, costUsd) } : piece;
}

function addCost<U extends { readonly terms?: AnswerTerms }>(usage: U, costUsd: number): U {
  return { ...usage, terms: { ...usage.terms, costUsd } };
}

/** The latest cost that the events of a stream have reported, in USD. Null before the first. */
class StreamedCost {
  readonly #report: CostReport;
  /** An event without the field's name isn't parsed. */
  readonly #name: string | null;
  costUsd: number | null = null;

  constructor(report: CostReport) {
    this.#report = report;
    this.#name = report.field?.at(-1) ?? null;
  }

  /** Returns true if the event reports a cost. */
  read(data: string): boolean {
    if (this.#name === null || !data.includes(this.#name)) return false;
    const event = asObject(parseReceived(data));
    // Anthropic's and OpenAI's events may carry the answer in a field of theirs.
    for (const answer of [event, event.response, event.message]) {
      const costUsd = readField(this.#report, answer);
      if (costUsd === null) continue;
      this.costUsd = costUsd;
      return true;
    }
    return false;
  }
}

/** A decimal number, as servers write it in a header, with an exponent if it is small. */
const DECIMAL = /^\d{1,20}(\.\d{1,30})?(e[+-]?\d{1,3})?$/i;

/** Returns the cost of a whole answer in USD. Null if it reports none. */
function readWhole(report: CostReport, body: unknown, headers: Headers): number | null {
  const given = report.header === undefined ? "" : (headers.get(report.header)?.trim() ?? "");
  return DECIMAL.test(given) ? toUsd(Number(given), report) : readField(report, body);
}

function readField(report: CostReport, answer: unknown): number | null {
  const { field, adds } = report;
  const cost = field && asNumber(findField(answer, field));
  if (cost === undefined || cost < 0) return null;
  const added = adds && findField(answer, adds.where) === true ? findField(answer, adds.field) : 0;
  return toUsd(cost + Math.max(0, asNumber(added) ?? 0), report);
}

function toUsd(cost: number, { perUsd }: CostReport): number | null {
  return asNumber(cost / perUsd) ?? null;
}

function findField(answer: unknown, path: FieldPath): unknown {
  let found = answer;
  for (const name of path) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}
