// No text that a hook has changed reaches a provider: over every recorded request, in every dialect and natively.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { HookedAnswer } from "../../../src/steps/hooks/answer.ts";
import { atLeast } from "../../recorded/load.ts";
import { type Answer, listAnswers, listShown } from "./answers.ts";
import { listRecorded, readRequest } from "./sending.ts";
import { garble, listWords } from "./words.ts";

const TIMEOUT_MS = 60_000;

test(
  "no text of a recorded request is sent that a hook has masked",
  () => {
    const unseen = new Map<string, string>();
    let sent = 0;
    let refused = 0;
    for (const given of listRecorded()) {
      const request = readRequest(given);
      if (request === null) continue;
      const before = listWords(given.body);
      try {
        for (const { dialect, body } of request.encodeHooked(garble)) {
          sent++;
          for (const [word, field] of listWords(body)) {
            if (before.has(word)) unseen.set(`${dialect}: '${word}' in ${field}`, given.id);
          }
        }
      } catch (thrown) {
        if (!(thrown instanceof Fault) || thrown.code !== "content_blocked") throw thrown;
        refused++;
      }
    }
    expect([...unseen]).toEqual([]);
    // Refused are those with a signed text of a running tool loop.
    expect(sent).toBeGreaterThanOrEqual(atLeast(9000));
    expect(refused).toBeLessThan(400);
  },
  TIMEOUT_MS,
);

const same = (text: string) => text;

/** The answer as a hook shows it that changes every text. */
async function hook(answer: Answer): Promise<Answer> {
  const make = () =>
    new HookedAnswer<ChatForm>({
      call: { operation: CHAT },
      native: answer.native,
      timeoutMs: 1,
      nowMs: () => 0,
      judge: async ({ texts }) => ({
        changes: new Map(texts.map((text) => [text, garble(text)])),
        calls: new Map(),
      }),
    });
  const streamed = make();
  await streamed.pass(answer.pieces);
  return { ...answer, pieces: await streamed.end(), reply: await make().whole(answer.reply) };
}

test(
  "no text of a recorded answer is shown that a hook has changed",
  async () => {
    const unseen = new Map<string, string>();
    for (const answer of listAnswers()) {
      const before = new Set(listShown(answer, same).flatMap((shown) => [...listWords(shown).keys()]));
      for (const shown of listShown(await hook(answer), same)) {
        for (const [word, field] of listWords(shown)) {
          if (before.has(word)) unseen.set(`'${word}' in ${field}`, answer.id);
        }
      }
    }
    expect([...unseen]).toEqual([]);
  },
  TIMEOUT_MS,
);
