// Conversations of twenty turns with values in their texts, results and arguments, which a rule swaps: what a provider gets in one
// turn begins with what it got in the turn before.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { sampleRows } from "../../harness/long.ts";
import { listRewritten, readAnswer, type SendTurn, TALKS, Talk, VALUES } from "./prefix-talk.ts";

const TURNS = 20;
let own: UnderTest;
beforeAll(async () => {
  own = await startUnderTest({
    more: 'guard: { rules: [{ name: swap, detect: [contact, finance, ids], action: swap, keys: ["swapped"] }] }',
  });
});
afterAll(() => own.stop());

function makeSend(secret: string): SendTurn {
  return async (path, body) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const response = await fetch(own.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = readAnswer(await response.text());
    return { answer, sent: asObject(own.simulator.calls.last()?.body) };
  };
}

/** In the short form one that is translated: `prefix-nodes` has a native one. */
test.each(sampleRows(TALKS, 6, 1))("%s", async (_name, model, form) => {
  const { secret } = await own.newKey({ name: "swapped", requests_per_day: null });
  const send = makeSend(secret);
  const talk = new Talk(model, form);
  for (let turn = 0; turn < TURNS; turn++) await talk.turn(send);
  expect(talk.sent.length).toBe(2 * TURNS);
  expect(talk.lost).toEqual([]);
  expect(listRewritten(talk.sent)).toEqual([]);
  expect(talk.sent.filter((body) => VALUES.test(JSON.stringify(body)))).toEqual([]);
  // Each turn has two values of its own.
  const names = new Set(JSON.stringify(talk.sent.at(-1)).match(/EMAIL_[0-9A-Z]{8}/g));
  expect(names.size).toBeGreaterThanOrEqual(2 * TURNS);
});
