// Answers to a conversation that ends with their own beginning. Mistral and llama.cpp repeat it, other servers' answers go on
// after it.
import { moveCitation } from "../../operations/chat/answer/citations.ts";
import type { ChatForm, Decoder } from "../../operations/chat/decoder.ts";
import type {
  AssistantMessage,
  ChatChunk,
  ChatMessage,
  ChatReply,
  ChunkChoice,
  Citation,
} from "../../operations/chat/form.ts";
import { joinText } from "../../operations/chat/prompt/content-text.ts";
import type { AnswerCodec } from "../../operations/codec.ts";
import { mapList } from "../../operations/text-json.ts";

/** Returns the text that the answer must begin with: that of a last assistant message. Empty if there is none. */
function findPrefix(messages: readonly ChatMessage[]): string {
  const last = messages.findLast(isNoEmptyAnswer);
  return last?.role === "assistant" && !last.tool_calls?.length ? readSaid(last) : "";
}

function isNoEmptyAnswer(message: ChatMessage): boolean {
  return message.role !== "assistant" || !isEmpty(message);
}

function isEmpty(message: AssistantMessage): boolean {
  return !message.tool_calls?.length && readSaid(message) === "";
}

export function readSaid({ content, refusal }: AssistantMessage): string {
  return joinText(content) || refusal || "";
}

/** Makes a reader of answers that removes the prefix from those that begin with it. */
export function removePrefix(codec: AnswerCodec<ChatForm>): AnswerCodec<ChatForm> {
  return {
    decoder(card, request, headers) {
      const prefix = findPrefix(request.messages);
      const decoder = codec.decoder(card, request, headers);
      return prefix === "" ? decoder : removeFromStream(decoder, prefix);
    },
    reply(body, card, request, headers) {
      const prefix = findPrefix(request.messages);
      const reply = codec.reply(body, card, request, headers);
      return prefix === "" ? reply : removeFromReply(reply, prefix);
    },
  };
}

function removeFromReply(reply: ChatReply, prefix: string): ChatReply {
  const choices = reply.choices.map((choice) => {
    const { content, annotations } = choice.message;
    if (!content?.startsWith(prefix)) return choice;
    const moved = annotations && { annotations: moveAll(annotations, prefix) };
    return { ...choice, message: { ...choice.message, content: content.slice(prefix.length), ...moved } };
  });
  return { ...reply, choices };
}

function moveAll(citations: readonly Citation[], { length }: string): readonly Citation[] {
  return citations.map((citation) => moveCitation(citation, length));
}

function removeFromStream(inner: Decoder, prefix: string): Decoder {
  const beginnings = new Map<number, AnswerBeginning>();
  const makeBeginning = () => new AnswerBeginning(prefix);
  const passChoice = (choice: ChunkChoice) =>
    beginnings.getOrInsertComputed(choice.index, makeBeginning).pass(choice);
  const pass = (chunk: ChatChunk) => {
    const choices = mapList(chunk.choices, passChoice);
    return choices === chunk.choices ? chunk : { ...chunk, choices };
  };
  return {
    get done() {
      return inner.done;
    },
    push: (event) => inner.push(event).map(pass),
    end: () => inner.end().map(pass),
  };
}

/** The beginning of one answer. It is held back as long as it may turn out to be the prefix. */
class AnswerBeginning {
  readonly #prefix: string;
  /** The characters held back. */
  #held = 0;
  #isKnown = false;
  #isRemoved = false;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Returns the same choice if nothing changes. */
  pass(choice: ChunkChoice): ChunkChoice {
    const { content, annotations } = choice.delta;
    const said = this.#isKnown ? content : this.#take(content ?? "", choice.finish_reason !== null);
    const moved = this.#isRemoved && annotations ? { annotations: moveAll(annotations, this.#prefix) } : null;
    if (moved === null && (said ?? "") === (content ?? "")) return choice;
    return { ...choice, delta: { ...choice.delta, content: said, ...moved } };
  }

  /** Returns the part of the answer that is known not to be the prefix's. */
  #take(text: string, isLast: boolean): string {
    const start = this.#held;
    const left = this.#prefix.length - start;
    this.#isKnown = isLast || text.length >= left;
    if (!this.#prefix.startsWith(text.slice(0, left), start)) this.#isKnown = true;
    else if (text.length >= left) {
      this.#isRemoved = true;
      return text.slice(left);
    } else if (!isLast) {
      this.#held += text.length;
      return "";
    }
    return this.#prefix.slice(0, start) + text;
  }
}
