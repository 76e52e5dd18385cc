// An account is one voice: twelve keys of one account can't change what others are answered by.
import { expect, test } from "bun:test";
import { asArray, isObject } from "../../../src/core/json/json.ts";
import type { UnderTest } from "../../harness/harness.ts";
import { looked, PAIR, post, routed, startRouterFixture, worded } from "../../selectors/fixture.ts";
import { seen } from "../world/observe.ts";
import { until } from "../world/until.ts";

const SCORES = 24;
/** Gateways look for new lessons every few seconds. */
const LEARNT_MS = 20_000;

/** Scores as many answers as an account may within an hour. Returns how many were learned from. */
async function score(gateway: UnderTest, accountId: string, given: number): Promise<number> {
  const { secret } = await gateway.newKey({
    account_id: accountId,
    allowed_models: PAIR,
    requests_per_day: null,
  });
  let learned = 0;
  for (let at = 0; at < SCORES; at++) {
    const { body } = await seen(await gateway.chat({ ...worded("best"), max_tokens: 5 }, { secret }));
    const told = await post(gateway, "/v1/feedback", { id: body.id, score: given }, { secret });
    learned += Number(told.body.learned === true);
  }
  return learned;
}

const countLabels = async (gateway: UnderTest) =>
  asArray((await looked(gateway, "/learned")).data)
    .filter(isObject)
    .reduce((sum, { labels }) => sum + Number(labels), 0);

test("twelve keys of one account, 24 zeros each, change no one's choice", async () => {
  const gateway = await startRouterFixture();
  try {
    const other = await gateway.newKey({ allowed_models: PAIR, requests_per_day: null });
    const choice = async () => (await routed(gateway, worded("best"), other)).choice;
    const before = await choice();
    const honest = await Promise.all(
      ["a", "b", "c"].map(async (name) => score(gateway, await gateway.newAccount(name), 0.9)),
    );
    const hostile = await gateway.newAccount("hostile");
    const lies = await Promise.all(Array.from({ length: 12 }, () => score(gateway, hostile, 0)));
    const learned = [...honest, ...lies].reduce((sum, one) => sum + one, 0);
    await until(
      "the lessons",
      async () => ((await countLabels(gateway)) >= learned ? true : null),
      LEARNT_MS,
    );
    expect(await choice()).toBe(before);
    expect(honest).toEqual([SCORES, SCORES, SCORES]);
    expect(learned).toBe(4 * SCORES);
  } finally {
    await gateway.stop();
  }
}, 300_000);
