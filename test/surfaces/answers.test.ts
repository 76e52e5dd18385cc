// Every recorded answer of every provider as Messages, as Responses and as Gemini, read by the vendors' own SDKs.
import { describe, expect, test } from "bun:test";
import { isObject } from "../../src/core/json/json.ts";
import type { ChatReply } from "../../src/operations/chat/form.ts";
import { sampleRows } from "../harness/long.ts";
import type { Subject } from "../recorded/pipeline.ts";
import { withoutSearches } from "./order.ts";
import { makeExchange, READINGS, type Read } from "./readings.ts";
import {
  decodePieces,
  parseArguments,
  readSaid,
  recordedAnswers,
  type Said,
  STAMP,
  writeStream,
} from "./recorded.ts";

/** Of the recorded answers, each surface reads one in so many, and all surfaces together read all. */
const STEP = 3;
const answers = recordedAnswers();
const FAILURES_SHOWN_MAX = 20;
const PATIENT_MS = 120_000;

/** The recordings of a surface's own family, and where their word for the finish is. */
const OWN_WORDS: Readonly<Record<string, { readonly api: RegExp; readonly word: RegExp }>> = {
  messages: { api: /^(anthropic|vertex|bedrock-invoke)/, word: /"stop_reason": ?"(\w+)"/g },
  gemini: { api: /^gemini/, word: /"finishReason": ?"(\w+)"/g },
};

/** The last word for its finish in a recording of the surface's family. Null for other families. */
function findOwnWord(surface: string, { api, body }: Subject["recording"]): string | null {
  const own = OWN_WORDS[surface];
  if (!own?.api.test(api)) return null;
  return [...body.matchAll(own.word)].at(-1)?.[1] ?? null;
}

/** Without the last call if the limit cut it off, which Gemini's clients don't get. */
function withoutCutCall(reply: ChatReply): ChatReply {
  const choices = reply.choices.map((choice) => {
    const { tool_calls: calls, ...message } = choice.message;
    const last = calls?.at(-1);
    const isCut = choice.finish_reason === "length" && last?.type === "function" && isPart(last.function);
    return isCut ? { ...choice, message: { ...message, tool_calls: calls?.slice(0, -1) } } : choice;
  });
  return { ...reply, choices };
}

function isPart({ arguments: text }: { readonly arguments: string }): boolean {
  return text === "" || typeof parseArguments(text) === "string";
}

/** Fails unless the client read what was recorded. Arguments that were cut off only count by their names. */
function expectSame(
  surface: string,
  { said: seen, finish, prompt, completion }: Read,
  reply: ChatReply,
  { recording }: Subject,
): void {
  const said = readSaid(surface === "gemini" ? withoutCutCall(reply) : reply);
  const word = findOwnWord(surface, recording);
  if (word !== null) expect({ finish }).toEqual({ finish: word });
  const reason = reply.choices[0]?.finish_reason ?? "stop";
  expect(READINGS[surface]?.finishes[reason]).toContain(String(finish));
  if (reply.usage) {
    const { prompt_tokens, completion_tokens } = reply.usage;
    expect({ prompt, completion }).toEqual({ prompt: prompt_tokens, completion: completion_tokens });
  }
  // On other surfaces a refusal is a separate text only if there is no other.
  const text = surface === "responses" ? said.text + said.refusal : said.text || said.refusal;
  const order = surface === "gemini" ? withoutSearches(said.order) : said.order;
  if (said.refusal === "") expect(seen.order).toEqual(order);
  const name = ([called, input]: Said["calls"][number], at: number) => [
    called,
    isObject(said.calls[at]?.[1]) ? input : null,
  ];
  expect({ text: seen.text, calls: seen.calls.map(name) }).toEqual({
    text,
    calls: said.calls.map(name),
  });
}

async function failuresAt(surface: string, check: (subject: Subject, reply: ChatReply) => Promise<void>) {
  const failures: string[] = [];
  const first = Object.keys(READINGS).indexOf(surface);
  for (const { subject, reply } of sampleRows(answers, STEP, first)) {
    try {
      await check(subject, reply);
    } catch (thrown) {
      failures.push(`${surface} ${subject.recording.id}: ${String(thrown).slice(0, 600)}`);
    }
  }
  return failures.slice(0, FAILURES_SHOWN_MAX);
}

for (const [surface, reading] of Object.entries(READINGS)) {
  describe(surface, () => {
    test(
      "a stream contains what was recorded, however it is cut",
      async () => {
        const failures = await failuresAt(surface, async (subject, reply) => {
          const pieces = decodePieces(subject, null);
          const text = writeStream(makeExchange(surface), pieces, false);
          expect(writeStream(makeExchange(surface), pieces, true)).toBe(text);
          if (reply.choices.length > 1) return;
          expectSame(surface, await reading.streamed(text), reply, subject);
          expect(text).toContain('"charged":0.25');
        });
        expect(failures).toEqual([]);
      },
      PATIENT_MS,
    );

    test("a whole answer contains what was recorded", async () => {
      const failures = await failuresAt(surface, async (subject, reply) => {
        if (reply.choices.length > 1) return;
        const body = makeExchange(surface).whole(reply, STAMP);
        expectSame(surface, reading.whole(body), reply, subject);
      });
      expect(failures).toEqual([]);
    });
  });
}
