// Claude behind a recorder that keeps prompts by the vendor's rules: the usage of each answer says what was read and written.
import { asArray, asObject, isObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { ClaudeCache, type Counted } from "../../whole/marks/claude-cache.ts";

/** A request to Claude and its answer. */
export interface Asked {
  readonly counted: Counted;
  /** True for a turn of the conversation, false for what a client asks beside it, such as a title. */
  readonly isTurn: boolean;
  /** The texts of the answer, and its calls. */
  readonly answer: string;
}

export interface Taken {
  readonly asked: readonly Asked[];
  /** The number of calls that the provider refused. */
  readonly refused: number;
}

/** No time passes in it: a busy machine makes pauses that aren't the conversation's. */
const makeCache = () => new ClaudeCache(() => 0);

export class CachedClaude {
  #cache = makeCache();
  #asked: Asked[] = [];
  #refused = 0;
  readonly #word: string;

  /** A turn offers tools and contains the word. */
  constructor(word: string) {
    this.#word = word;
  }

  /** Passes each call on. */
  readonly fetch: Fetch = async (url, init) => {
    const request = new Request(url, init);
    const sent = await request.clone().text();
    const answer = await fetch(request);
    if (!answer.ok) this.#refused++;
    if (!answer.ok || !request.url.endsWith("/messages")) return answer;
    const body = asObject(parseJson(sent));
    const counted = this.#cache.count(request.url, body);
    const text = await answer.text();
    const isTurn = asArray(body.tools).length > 0 && sent.includes(this.#word);
    this.#asked.push({ counted, isTurn, answer: readAnswer(text) });
    const type = answer.headers.get("content-type") ?? "";
    return new Response(stateUsage(text, counted), { headers: { "content-type": type } });
  };

  /** Returns the requests since the last call, and forgets all prompts. */
  take(): Taken {
    const taken = { asked: this.#asked, refused: this.#refused };
    [this.#asked, this.#refused, this.#cache] = [[], 0, makeCache()];
    return taken;
  }
}

/** Captures an event's data. */
const DATA = /^data: (.*)$/gm;

/** Returns the answer, or the events of its stream. */
function listParts(text: string): readonly JsonObject[] {
  const events = [...text.matchAll(DATA)].map(([, data = ""]) => data);
  return (events.length > 0 ? events : [text]).map((data) => asObject(parseJson(data)));
}

function readAnswer(text: string): string {
  const blocks = listParts(text).flatMap(({ content, content_block: begun, delta }) =>
    [...asArray(content), begun, delta].map(asObject),
  );
  return blocks
    .map(({ name, text: said, partial_json: piece, input }) => {
      const isWhole = piece === undefined && isObject(input) && Object.keys(input).length > 0;
      return [name, said, piece, isWhole ? JSON.stringify(input) : ""].join("");
    })
    .join("");
}

function stateUsage(text: string, counted: Counted): string {
  const [part = {}, ...more] = listParts(text);
  if (more.length === 0) return JSON.stringify(addCounts(part, counted));
  return text.replace(DATA, (_, data: string) => {
    const event = asObject(parseJson(data));
    const { message } = event;
    const stated = isObject(message) ? { ...event, message: addCounts(message, counted) } : event;
    return `data: ${JSON.stringify(stated)}`;
  });
}

function addCounts(message: JsonObject, { input, read, written }: Counted): JsonObject {
  const counts = {
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
  return { ...message, usage: { ...asObject(message.usage), ...counts } };
}
