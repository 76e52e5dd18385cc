// No text reaches a provider unseen: over every recorded request, in every dialect and in the native lane.
import { expect, test } from "bun:test";
import { atLeast } from "../../recorded/load.ts";
import { listRecorded, readRequest } from "./sending.ts";
import { garble, listWords } from "./words.ts";

/** Takes 3 s of computing, on a busy machine several times as long. */
const TIMEOUT_MS = 60_000;

test(
  "no text of a recorded request is sent that a mask hasn't seen",
  () => {
    const unseen = new Map<string, string>();
    let sent = 0;
    for (const given of listRecorded()) {
      const request = readRequest(given);
      if (request === null) continue;
      const before = listWords(given.body);
      for (const { dialect, body } of request.encode(garble)) {
        sent++;
        for (const [word, field] of listWords(body)) {
          if (before.has(word)) unseen.set(`${dialect}: '${word}' in ${field}`, given.id);
        }
      }
    }
    expect([...unseen]).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(atLeast(10_000));
  },
  TIMEOUT_MS,
);

test("a recorded request of which no text changes stays the same object", () => {
  const changed = listRecorded().filter((given) => readRequest(given)?.isSameAfter((text) => text) === false);
  expect(changed.map(({ id }) => id)).toEqual([]);
});

test(
  "the texts of a recorded request are the same in steps as in one walk",
  () => {
    let texts = 0;
    for (const given of listRecorded()) {
      const { inOneWalk, inSteps } = readRequest(given)?.listTexts() ?? { inOneWalk: [], inSteps: [] };
      texts += inOneWalk.length;
      expect(inSteps, given.id).toEqual(inOneWalk);
    }
    expect(texts).toBeGreaterThanOrEqual(atLeast(10_000));
  },
  TIMEOUT_MS,
);
