// Every position of a text in a request, by the vendors' types and the surfaces' schemas: what stands there is found wherever
// a provider gets it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Position } from "./positions-list.ts";
import { listUnsearched } from "./positions-schemas.ts";
import type { SdkBody } from "./positions-sdks.ts";
import { listProviders, makeRequest, makeValue, type Outcome, send } from "./positions-sent.ts";
import { JUDGED, VERDICTS } from "./positions-verdicts.ts";
import { type PositionWorld, startPositions } from "./positions-world.ts";

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

  test("each text is found wherever a provider gets it", async () => {
    const wrongly: string[] = [];
    for (const position of positions.filter(({ verdict }) => verdict === "text")) {
      const outcomes = await sendAll(body, position);
      wrongly.push(...listMissed(position, outcomes));
      const { detectors } = makeValue(position);
      const isSent = outcomes.some(({ sent }) => detectors.some((one) => sent.includes(one)));
      if (!isSent) wrongly.push(`${position.id} reaches no provider`);
    }
    expect(wrongly).toEqual([]);
  });

  test("each text is found by every other way to its type", async () => {
    const missed: string[] = [];
    for (const position of again) missed.push(...listMissed(position, await sendAll(body, position)));
    expect(missed).toEqual([]);
  });

  test("what is said to be refused or left out reaches no provider", async () => {
    const wrongly: string[] = [];
    for (const position of positions) {
      if (position.verdict !== "refused" && position.verdict !== "left out") continue;
      const outcomes = await sendAll(body, position);
      const isRefused = outcomes.every((one) => one.isRefused && one.status === 400);
      if (outcomes.some(({ sent }) => sent.length > 0)) wrongly.push(`${position.id} is sent`);
      else if (isRefused !== (position.verdict === "refused")) wrongly.push(position.id);
    }
    expect(wrongly).toEqual([]);
  });
});

function listMissed({ id, path }: Position, outcomes: readonly Outcome[]): readonly string[] {
  const way = path.map((step) => (typeof step === "string" ? step : step.field)).join(".");
  return outcomes
    .filter(({ sent, found }) => sent.some((one) => !found.includes(one)))
    .map(({ provider }) => `${id} (${way}) on ${provider}`);
}

async function sendAll(body: SdkBody, position: Position): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const provider of listProviders(body)) {
    const request = makeRequest(body, position, provider);
    outcomes.push(await send(own.world, body.path, request, provider, own.readFound));
  }
  return outcomes;
}

test("every described operation's body is among them", () => {
  expect(listUnsearched()).toEqual([]);
});

test("each verdict has a reason", () => {
  expect(Object.values(VERDICTS).filter((reason) => !/^[A-Z].{4,}\.$/.test(reason))).toEqual([]);
});
