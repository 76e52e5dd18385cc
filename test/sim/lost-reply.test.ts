// An admission that is written although its reply is lost: the gateway undoes it, so that nothing stays held or taken.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import type { BillingRules } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import { makeModelCard } from "../harness/cards.ts";
import { BILLING, DAY, give, ledgerOn, makeKey, NOON, openMemoryStore, QUOTA } from "../harness/samples.ts";
import { catchThrown } from "../harness/thrown.ts";
import { findErrors, readJournal } from "../ledger/payments.ts";
import { answerWell, CoreWorld } from "./core-world.ts";

const GIVEN_NANO_USD = 1_000_000_000;
const CARD = makeModelCard("Alpha#one", { outputTokensMax: 100, price: { input: 1, output: 2 } });
const KEY = makeKey("key_a", { requestsPerDay: 1 });

let store: Store;

beforeEach(async () => {
  store = await openMemoryStore(KEY);
  await give(store, "default", GIVEN_NANO_USD);
});
afterEach(() => store.close());

/** Writes the first demand of each kind, which is the request's, and loses the reply. */
function losing(kinds: readonly string[]): { readonly lossy: Store; readonly lost: string[] } {
  const left = new Set(kinds);
  const lost: string[] = [];
  const transact: Store["transact"] = async (demand) => {
    const answer = await store.transact(demand);
    if (!left.delete(demand.kind)) return answer;
    lost.push(`${demand.kind} ${answer.kind}`);
    throw new Fault("store_unavailable", "The reply was lost.", { outcomeUnknown: true });
  };
  return { lossy: { ...store, transact }, lost };
}

/** Sends a request, which fails as the store seems to be away, and waits until nothing is left to do. */
async function sendOne(kinds: readonly string[], charge: BillingRules["charge"], stream: boolean) {
  const { lossy, lost } = losing(kinds);
  let calls = 0;
  const world = new CoreWorld({
    seed: 1,
    store: lossy,
    rules: { quota: QUOTA, billing: { ...BILLING, charge } },
    providers: { Alpha: 1 },
    answer: async () => {
      calls++;
      return answerWell(stream);
    },
  });
  const messages = [{ role: "user" as const, content: "hello" }];
  const request = { model: CARD.id, messages, ...(stream && { stream }) };
  const selection = { kind: "card", card: CARD, fallbacks: [] } as const;
  const { ended } = world.send({ id: "1", key: KEY, selection, request });
  const [thrown] = await Promise.all([catchThrown(ended), world.run()]);
  expect(thrown).toMatchObject({ code: "store_unavailable" });
  expect(calls).toBe(0);
  return lost;
}

/** No hold belongs to a request that runs. */
async function expectNoHolds(): Promise<void> {
  expect(await store.orphans(10, { ids: [], beforeMs: NOON + DAY })).toEqual([]);
  expect(findErrors(await store.audit())).toEqual([]);
}

/** The first demands of their kinds whose replies are lost. */
const LOSSES = [
  ["", ["admit"]],
  [", also if the reply to that is lost", ["admit", "settle"]],
] as const;

describe.each([
  ["whole", false],
  ["streamed", true],
])("a request whose answer is %s", (_what, stream) => {
  test.each(LOSSES)("that would be free gets its place back%s", async (_also, kinds) => {
    const lost = await sendOne(kinds, "beyond_allowance", stream);
    expect(lost).toEqual(["admit granted", "settle settled"].slice(0, kinds.length));
    expect((await ledgerOn(store).allowance(KEY)).used).toBe(0);
    await expectNoHolds();
  });

  test.each(LOSSES)("that would be paid for gets its hold back%s", async (_also, kinds) => {
    await sendOne(kinds, "always", stream);
    const { balanceNanoUsd, heldNanoUsd } = (await store.account("default")) ?? {};
    expect([balanceNanoUsd, heldNanoUsd]).toEqual([GIVEN_NANO_USD, 0]);
    const entries = await readJournal(store);
    expect(entries.map(({ kind, note }) => [kind, note])).toEqual([
      ["topup", null],
      ["hold", null],
      ["void", "commit unknown"],
    ]);
    await expectNoHolds();
  });
});
