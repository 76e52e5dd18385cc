// No text reaches a client unseen: over every recorded answer, translated and in the provider's own form.
import { expect, test } from "bun:test";
import type { ReplyMessage, ToolCall } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { atLeast } from "../../recorded/load.ts";
import { joinPieces, listAnswers, listShown } from "./answers.ts";
import { garble, listWords } from "./words.ts";

/** Takes 3 s of computing, on a busy machine several times as long. */
const TIMEOUT_MS = 60_000;

const answers = listAnswers();
const same = (text: string) => text;

test(
  "no text of a recorded answer is shown that a mask hasn't seen",
  () => {
    const unseen = new Map<string, string>();
    for (const answer of answers) {
      const before = new Set(listShown(answer, same).flatMap((shown) => [...listWords(shown).keys()]));
      for (const shown of listShown(answer, garble)) {
        for (const [word, field] of listWords(shown)) {
          if (before.has(word)) unseen.set(`'${word}' in ${field}`, answer.id);
        }
      }
    }
    expect([...unseen]).toEqual([]);
    expect(answers.length).toBeGreaterThanOrEqual(atLeast(2000));
  },
  TIMEOUT_MS,
);

test("a recorded answer of which no text changes stays the same object", () => {
  const changed = answers.filter(
    ({ pieces, reply, native }) =>
      CHAT.mapPieces(pieces, same, native) !== pieces || CHAT.mapReply(reply, same, native) !== reply,
  );
  expect(changed.map(({ id }) => id)).toEqual([]);
});

test("the pieces of a stream with the same path are the texts of its whole answer", () => {
  const missing = answers.flatMap(({ id, pieces, reply, native }) => {
    const joined = new Set(joinPieces(pieces, native).values());
    const texts = reply.choices.flatMap(({ message }) => listTexts(message));
    return texts.some((text) => text !== "" && !joined.has(text)) ? [id] : [];
  });
  expect(missing).toEqual([]);
});

function listTexts({ content, refusal, reasoning_content: thoughts, tool_calls: calls = [] }: ReplyMessage) {
  return [content, refusal, thoughts, ...calls.map(readInput)].map((text) => text ?? "");
}

function readInput(call: ToolCall): string {
  return call.type === "custom" ? call.custom.input : call.function.arguments;
}
