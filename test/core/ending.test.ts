// The early end of a request: its first reason reaches everything that works on it.
import { expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { Ending } from "../../src/core/world/ending.ts";

const OVERLOADED = new Fault("overloaded", "The gateway is stopping.");

test("the first reason wins and is delivered once to everyone still listening", () => {
  const ending = new Ending();
  const told: string[] = [];
  const hear = (name: string) => ({ end: ({ code }: Fault) => void told.push(`${name}: ${code}`) });
  const left = hear("left");
  const gone = hear("gone");
  ending.tell(left);
  ending.tell(hear("stayed"));
  ending.tell(gone);
  ending.tell(hear("stayed, too"));
  ending.forget(left);
  ending.forget(gone);
  expect(ending.reason).toBeNull();
  ending.end(OVERLOADED);
  ending.end();
  expect(ending.reason).toBe(OVERLOADED);
  expect(told).toEqual(["stayed: overloaded", "stayed, too: overloaded"]);
});

test("an earlier end is reported immediately, by default as a client that left", () => {
  const ending = new Ending();
  ending.end();
  const told: string[] = [];
  ending.tell({ end: ({ code }) => void told.push(code) });
  expect(told).toEqual(["client_gone"]);
});

test("a child ends with its parent, but not the other way round", () => {
  const whole = new Ending();
  const one = new Ending(whole);
  const other = new Ending(whole);
  one.end();
  expect([whole.reason, other.reason]).toEqual([null, null]);
  whole.end(OVERLOADED);
  expect(other.reason).toBe(OVERLOADED);
  expect(one.reason?.code).toBe("client_gone");
  expect(new Ending(whole).reason).toBe(OVERLOADED);
});
