// Every position of a text in a request, by the vendors' types and the surfaces' schemas: what stands there is found wherever a
// provider gets it, and hidden if a rule says so.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sampleRows } from "../../../harness/long.ts";
import { listFaults } from "./judged.ts";
import type { Position } from "./list.ts";
import { listUnsearched } from "./schemas.ts";
import type { SdkBody } from "./sdks.ts";
import { listProviders, makeRequest, type Outcome, send } from "./sent.ts";
import { ACTIONS, type Action, makeValue } from "./values.ts";
import { JUDGED, VERDICTS } from "./verdicts.ts";
import { type PositionWorld, startPositions } from "./world.ts";

let own: PositionWorld;
beforeAll(async () => {
  own = await startPositions();
});
afterAll(() => own.world.stop());

describe.each(JUDGED.map((judged) => [judged.body.path, judged] as const))("%s", (_path, judged) => {
  const { body, positions, again, gone, wrong } = judged;

  test("each string and number has one verdict", () => {
    expect(positions.filter(({ verdict }) => verdict === null).map(({ id }) => id)).toEqual([]);
    expect([...gone, ...wrong]).toEqual([]);
    expect(positions.length).toBeGreaterThan(2);
  });

  test("no position that may hold a text counts as a number", () => {
    const numbers = positions.filter(({ holds }) => holds === "number").map(({ id }) => id);
    const judgedSo = positions.filter(({ verdict }) => verdict === "number").map(({ id }) => id);
    expect(judgedSo).toEqual(numbers);
  });

  test("each text is found and hidden wherever a provider gets it", async () => {
    const wrongly: string[] = [];
    let back = 0;
    for (const [at, position] of positions.filter(({ verdict }) => verdict === "text").entries()) {
      const outcomes = await sendAll(body, position, listActions(at));
      wrongly.push(...listFaults(position, outcomes));
      const { detectors } = makeValue(position);
      const isRead = ({ action, sent, hidden, blocked }: Outcome) =>
        action === "refuse" ? blocked !== null : detectors.some((one) => [...sent, ...hidden].includes(one));
      if (!outcomes.some(isRead)) wrongly.push(`${position.id} reaches no provider`);
      back += outcomes.filter((one) => one.back !== null && one.back.length > 0).length;
    }
    expect(wrongly).toEqual([]);
    expect(back > 0).toBe(isSaid(body.path));
  });

  test("each text is found and hidden by every other way to its type", async () => {
    const wrongly: string[] = [];
    for (const [at, position] of again.entries())
      wrongly.push(...listFaults(position, await sendAll(body, position, listActions(at + 1))));
    expect(wrongly).toEqual([]);
  });

  test("what is said to be refused or left out reaches no provider", async () => {
    const wrongly: string[] = [];
    for (const position of positions) {
      if (position.verdict !== "refused" && position.verdict !== "left out") continue;
      const outcomes = await sendAll(body, position, ["report"]);
      const isRefused = outcomes.every((one) => one.isRefused && one.status === 400);
      if (outcomes.some(({ sent }) => sent.length > 0)) wrongly.push(`${position.id} is sent`);
      else if (isRefused !== (position.verdict === "refused")) wrongly.push(position.id);
    }
    expect(wrongly).toEqual([]);
  });
});

/** True if answers have texts, in which the provider repeats what it got. */
const isSaid = (path: string) =>
  /chat|responses|messages|interactions|generateContent|v1.completions/.test(path);

/** All actions in the long form, else one: the next position has the next one. */
const listActions = (at: number) => sampleRows(ACTIONS, ACTIONS.length, at);

async function sendAll(
  body: SdkBody,
  position: Position,
  actions: readonly Action[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const provider of listProviders(body)) {
    for (const action of actions) {
      const request = makeRequest(body, position, provider);
      outcomes.push(await send(own, body.path, request, { provider, action }));
    }
  }
  return outcomes;
}

test("every described operation's body is among them", () => {
  expect(listUnsearched()).toEqual([]);
});

test("each verdict has a reason", () => {
  expect(Object.values(VERDICTS).filter((reason) => !/^[A-Z].{4,}\.$/.test(reason))).toEqual([]);
});
