// Second attempts at a model that is slow to answer: each payer has those that its own requests allow.
import { expect, test } from "bun:test";
import { HOUSE, Planning } from "../selectors/planning.ts";

const HEDGED = { ...HOUSE, hedge: { after: { ms: 100 }, shareMax: 0.5 } };

/** Counts as many requests of the payer, and returns how many of them get a second attempt. */
function raceAll({ health }: Planning, payer: string, requests: number): number {
  let raced = 0;
  for (let at = 0; at < requests; at++) {
    health.countRequest(HEDGED, 0, payer);
    if (health.card(HOUSE.id)?.takeHedge(payer) === true) raced++;
  }
  return raced;
}

test("those that a payer has saved are kept for its own requests", () => {
  const router = new Planning();
  for (let at = 0; at < 4; at++) router.health.countRequest(HEDGED, 0, "acc_ben");
  expect(raceAll(router, "acc_ann", 40)).toBe(20);
  expect(raceAll(router, "acc_ben", 2)).toBe(2);
});

test("a payer can save ten at most, and has none before it has asked", () => {
  const router = new Planning();
  for (let at = 0; at < 100; at++) router.health.countRequest(HEDGED, 0, "acc_ann");
  const card = router.health.card(HOUSE.id);
  const taken = Array.from({ length: 20 }, () => card?.takeHedge("acc_ann"));
  expect(taken.filter((isTaken) => isTaken)).toHaveLength(10);
  expect(card?.takeHedge("acc_ben")).toBe(false);
});
