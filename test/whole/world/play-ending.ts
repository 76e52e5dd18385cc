// Plays a request to its ending: the client reads it, leaves, or lets the upstream go on at a certain point.
import type { MoneyWorld } from "./money-world.ts";
import { until } from "./until.ts";

export interface Played {
  readonly model: string;
  readonly stream: boolean;
  /** Further fields of the body. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** After these words the client leaves, or with `release` the upstream goes on. Missing: once the upstream waits. */
  readonly after?: readonly string[];
  readonly does?: "leave" | "release";
}

/** The prompt of every row. Simulated models repeat it from `one` on, word by word. */
export const ENDINGS_PROMPT = "say: one two three four five six";

/** The first words of a gated answer. */
export const BEGUN = ["one two ", "three four "] as const;

/** Returns the status and the error's code that the client got, null for what it did not get. */
export async function playEnding(
  world: MoneyWorld,
  { model, stream, after = [], does, more = {}, headers = {} }: Played,
  secret: string,
): Promise<readonly [number | null, string | null]> {
  const client = new AbortController();
  const body = { model, stream, messages: [{ role: "user", content: ENDINGS_PROMPT }], ...more };
  const answer = world.chat(body, { secret, headers: { ...headers }, signal: client.signal });
  answer.catch(() => {});
  if (does === "leave" && after.length === 0) {
    await until("the upstream waits", () => world.gated.waiting === 1);
    client.abort();
    return [null, null];
  }
  const response = await answer;
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (does === undefined || !after.every((words) => text.includes(words))) continue;
    if (does === "release") world.gated.release();
    else break;
  }
  client.abort();
  if (does === "leave") return [null, null];
  return [response.status, /"code":"(\w+)"/.exec(text)?.[1] ?? null];
}
