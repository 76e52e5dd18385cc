// A stream that several readers collect together, each within its own bound.
import { expect, test } from "bun:test";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { AnswerCollector } from "../../src/operations/collected.ts";

function collect() {
  let folds = 0;
  const shown = new AnswerCollector(() => {
    folds += 1;
    return CHAT.fold();
  });
  const say = (content: string) =>
    shown.add([{ choices: [{ index: 0, delta: { content }, finish_reason: null }] }]);
  return { shown, say, folds: () => folds };
}

const reply = (content: string) => ({ choices: [{ message: { content } }] });

test("a reader whose bound is smaller gives up alone, and keeps nothing of what follows", () => {
  const { shown, say, folds } = collect();
  let isFull = false;
  const small = shown.read(() => !isFull);
  const large = shown.read(() => true);
  say("one ");
  expect([small.makeReply(), large.makeReply()]).toMatchObject([reply("one "), reply("one ")]);
  isFull = true;
  say("two ");
  isFull = false;
  say("three");
  expect([small.makeReply(), small.isCut, large.isCut]).toEqual([null, true, false]);
  expect(large.makeReply()).toMatchObject(reply("one two three"));
  expect(folds()).toBe(1);
});

test("readers are told the length of each batch and of all", () => {
  const { shown, say } = collect();
  const told: (readonly [number, number])[] = [];
  shown.read((characters, charactersInAll) => told.push([characters, charactersInAll]) > 0);
  say("1234");
  say("12345678");
  const [[first = 0] = [], [second = 0] = []] = told;
  expect(second - first).toBe(4);
  expect(told).toEqual([
    [first, first],
    [second, first + second],
  ]);
});

test("nothing is collected without a reader, or once the last has left", () => {
  const unread = collect();
  unread.say("one");
  expect(unread.folds()).toBe(0);
  const { shown, say, folds } = collect();
  const only = shown.read(() => true);
  say("one");
  only.leave();
  say("two");
  expect([only.makeReply(), only.isCut, folds()]).toEqual([null, true, 1]);
});

test("a whole answer is read as it came, and isn't collected", () => {
  const { shown, say, folds } = collect();
  const reader = shown.read(() => true);
  const whole = CHAT.fold().reply();
  if (whole === null) throw new Error("An empty answer is none.");
  reader.takeWhole(whole);
  say("one");
  expect(reader.makeReply()).toBe(whole);
  expect([reader.isCut, folds()]).toEqual([false, 0]);
});

test("a reader that comes too late is refused, because it would lack a part", () => {
  const { shown, say } = collect();
  say("one");
  expect(() => shown.read(() => true)).toThrow("already passing");
});
