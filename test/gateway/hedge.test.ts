// Hedging by itself: the winner, the attempt that is ended, and the fault if neither answers.
import { expect, test } from "bun:test";
import { type Race, runRace } from "../../src/gateway/attempt/hedge.ts";

/** An attempt controlled by the test: it answers or fails on command, and records what happens to it. */
class Hand {
  readonly name: string;
  readonly seen: string[];
  readonly #answer = Promise.withResolvers<string>();

  constructor(name: string, seen: string[]) {
    this.name = name;
    this.seen = seen;
  }

  start(): Promise<string> {
    this.seen.push(`${this.name} runs`);
    return this.#answer.promise;
  }

  answers(): void {
    this.#answer.resolve(`${this.name}'s answer`);
  }

  fails(message: string): void {
    this.#answer.reject(new Error(message));
  }
}

function racing(isFinal: Race<Hand, string>["isFinal"] = () => false) {
  const seen: string[] = [];
  const first = new Hand("first", seen);
  const second = new Hand("second", seen);
  let task = () => {};
  let calledOff = false;
  const onTime = (given: () => void) => {
    task = given;
    return () => {
      calledOff = true;
    };
  };
  const race = runRace<Hand, string>({
    first,
    second: () => second,
    start: (hand) => hand.start(),
    fail: (_hand, thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
    end: (hand) => void seen.push(`${hand.name} is ended`),
    drop: (result) => void seen.push(`${result} is dropped`),
    onTime,
    isFinal,
  });
  const told = race.then(
    ({ result, loser }) => `${result}, ${loser?.name ?? "nobody"} lost`,
    (error: Error) => `failed: ${error.message}`,
  );
  return { seen, first, second, told, timeIsUp: () => task(), isCalledOff: () => calledOff };
}

test("a first attempt that answers in time is not hedged", async () => {
  const { seen, first, told, timeIsUp, isCalledOff } = racing();
  first.answers();
  expect(await told).toBe("first's answer, nobody lost");
  expect(isCalledOff()).toBe(true);
  timeIsUp();
  expect(seen).toEqual(["first runs"]);
});

test("a first attempt that fails in time is followed by failover", async () => {
  const { seen, first, told, timeIsUp } = racing();
  first.fails("busy");
  expect(await told).toBe("failed: busy");
  timeIsUp();
  expect(seen).toEqual(["first runs"]);
});

test.each(["first", "second"] as const)(
  "the %s to answer wins, and the other is ended immediately",
  async (name) => {
    const { seen, told, timeIsUp, ...hands } = racing();
    timeIsUp();
    hands[name].answers();
    const other = name === "first" ? "second" : "first";
    expect(await told).toBe(`${name}'s answer, ${other} lost`);
    expect(seen).toEqual(["first runs", "second runs", `${other} is ended`]);
  },
);

test("an answer that arrives at the same moment is dropped", async () => {
  const { seen, first, second, told, timeIsUp } = racing();
  timeIsUp();
  second.answers();
  first.answers();
  expect(await told).toBe("second's answer, first lost");
  expect(seen).toEqual(["first runs", "second runs", "first is ended", "first's answer is dropped"]);
});

test("if one fails the other is waited for, and if both do, the last failure counts", async () => {
  const one = racing();
  one.timeIsUp();
  one.first.fails("busy");
  await Bun.sleep(0);
  one.second.answers();
  expect(await one.told).toBe("second's answer, first lost");
  const both = racing();
  both.timeIsUp();
  both.second.fails("busy");
  await Bun.sleep(0);
  both.first.fails("broken");
  expect(await both.told).toBe("failed: broken");
});

test("a failure that the other would share ends both", async () => {
  const { seen, second, told, timeIsUp } = racing((error) => String(error).includes("bad request"));
  timeIsUp();
  second.fails("bad request");
  expect(await told).toBe("failed: bad request");
  expect(seen).toEqual(["first runs", "second runs", "first is ended"]);
});
