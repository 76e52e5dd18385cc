// The cache behind hooks: it keeps what clients see, and gives nobody what was hidden for another.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { nameWay, readWords, WAYS } from "../../steps/asked.ts";
import { type HookWorld, startHookWorld } from "../../steps/hooks/world.ts";

let own: HookWorld;
beforeAll(async () => {
  const rows = [
    "name: both, keys: [both], at: [request, answer]",
    "name: asked, keys: [asked], at: [request]",
    "name: first, keys: [first], at: [answer]",
    "name: second, keys: [second], at: [answer], timeout: 3s",
  ];
  own = await startHookWorld(rows, "cache: { ttl: 1h }");
});
afterAll(() => own.stop());
beforeEach(() => own.reset());

const calls = () => own.world.simulator.calls.total;

test.each(WAYS.map((way) => [nameWay(way), way] as const))("%s", async (_name, way) => {
  const say = async (word: string) => readWords(await own.ask(way, `say: a ${word} sings`, { name: "both" }));
  const asked = `canary${way.surface}${way.provider}${way.stream}`;
  expect([await say(asked), calls()]).toEqual(["a canary sings", 1]);
  expect([await say(asked), calls()]).toEqual(["a canary sings", 1]);
  // The provider is sent the same, but another word was hidden: the hook may show it again in the answer.
  expect([await say(`${asked}2`), calls()]).toEqual(["a canary sings", 2]);
});

const chat = { surface: "chat", provider: "Local", stream: false, native: null } as const;

test("requests that a hook has made the same are the same, if it doesn't see their answers", async () => {
  for (const word of ["canary", "canarybird", "canaryseed"])
    expect(readWords(await own.ask(chat, `say: one ${word} sings`, { name: "asked" }))).toBe(
      "one [HIDDEN] sings",
    );
  expect(calls()).toBe(1);
});

test("another hook's answers aren't given", async () => {
  for (const name of ["first", "second", "first", "second"])
    expect((await own.ask(chat, "say: nothing hidden", { name })).status).toBe(200);
  expect(calls()).toBe(2);
});
