// A provider of Claude that keeps prompts by the vendor's rules, answers two words, and counts what it read and wrote.
import { asArray, asObject, isObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";

/**
 * Anthropic, "Prompt caching" (docs.claude.com, November 2026): a prefix is kept for five minutes after its last use, a mark
 * finds what ends up to 20 blocks before it, a request has at most four marks, and shorter prompts aren't kept.
 */
const KEPT_MS = 300_000;
const BLOCKS_BACK = 20;
const MARKS_MAX = 4;
const TOKENS_MIN = 1024;
const CHARACTERS_PER_TOKEN = 4;

interface Prefix {
  readonly digest: bigint;
  readonly tokens: number;
  readonly isMarked: boolean;
}

export interface Counted {
  readonly input: number;
  readonly read: number;
  readonly written: number;
  /** The number of the prompt's marks. */
  readonly marks: number;
}

/** USD per million tokens. */
export interface InputPrices {
  readonly input: number;
  readonly cached_input: number;
  readonly cache_write: number;
}

/** Returns the input's cost in USD. */
export function priceInput({ input, read, written }: Counted, prices: InputPrices): number {
  return (input * prices.input + read * prices.cached_input + written * prices.cache_write) / 1_000_000;
}

export class ClaudeCache {
  readonly #usedMs = new Map<string, number>();
  readonly #nowMs: () => number;
  /** The counts of each request. */
  readonly counted: Counted[] = [];

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    const body = asObject(parseJson(await request.text()));
    const { input, read, written } = this.count(request.url, body);
    return Response.json({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: body.model,
      content: [{ type: "text", text: "all right" }],
      stop_reason: "end_turn",
      usage: {
        input_tokens: input,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        output_tokens: 2,
      },
    });
  };

  /** Counts what a request reads and writes at a place, which has a cache of its own, and keeps what is marked. */
  count(place: string, body: JsonObject): Counted {
    const prefixes = listPrefixes(body);
    const marks = prefixes.flatMap(({ isMarked }, at) => (isMarked ? [at] : []));
    if (marks.length > MARKS_MAX) throw new Error(`${marks.length} marks`);
    const nowMs = this.#nowMs();
    const name = ({ digest }: Prefix) => `${place} ${body.model} ${digest}`;
    const isKept = (one: Prefix) =>
      nowMs - (this.#usedMs.get(name(one)) ?? Number.NEGATIVE_INFINITY) <= KEPT_MS;
    const found = marks.flatMap((at) => prefixes.slice(Math.max(0, at - BLOCKS_BACK), at + 1)).filter(isKept);
    const read = found.at(-1)?.tokens ?? 0;
    const kept = marks.flatMap((at) => prefixes[at] ?? []).filter(({ tokens }) => tokens >= TOKENS_MIN);
    for (const one of [...found, ...kept]) this.#usedMs.set(name(one), nowMs);
    const written = Math.max(0, (kept.at(-1)?.tokens ?? 0) - read);
    const input = (prefixes.at(-1)?.tokens ?? 0) - read - written;
    const counted = { input, read, written, marks: marks.length };
    this.counted.push(counted);
    return counted;
  }
}

/**
 * Returns all beginnings of a prompt that end with a block, in order: tools, instructions, messages. Those with messages differ
 * if the choice of tools or the thinking does.
 */
function listPrefixes({ tools, system, messages, tool_choice, thinking }: JsonObject): readonly Prefix[] {
  const front = [...asArray(tools), ...listBlocks(system)];
  const blocks = [...front, ...asArray(messages).flatMap((one) => listBlocks(asObject(one).content))];
  let digest = 0n;
  let tokens = 0;
  return blocks.filter(isObject).map(({ cache_control: mark, ...block }, at) => {
    const text = JSON.stringify(block);
    if (at === front.length) digest = Bun.hash.wyhash(JSON.stringify([tool_choice, thinking]), digest);
    digest = Bun.hash.wyhash(text, digest);
    tokens += Math.ceil(text.length / CHARACTERS_PER_TOKEN);
    return { digest, tokens, isMarked: mark !== undefined };
  });
}

function listBlocks(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : asArray(content);
}
