// The bounds on what connections remember: what lanes share counts once, the oldest of the fullest goes first, and nothing stays of a closed one.
import { expect, test } from "bun:test";
import { SocketMemory } from "../../../src/http/sockets/memory.ts";

/** An item whose JSON has that many bytes. */
const item = (bytes: number) => ({ text: "x".repeat(bytes - '{"text":""}'.length) });
const memoryOf = (bytesMax: number, accountBytesMax = 1e6, memoryBytesMax = 1e6) =>
  new SocketMemory(() => ({ bytesMax, accountBytesMax, memoryBytesMax }));

test("a conversation that grows holds each item once", () => {
  const all = memoryOf(1e6);
  const own = all.open("a");
  const items: object[] = [];
  for (let turn = 0; turn < 50; turn++) {
    items.push(item(100));
    own.keep("", { id: `resp_${turn}`, items: [...items] });
    expect(all.bytes).toBe(100 * (turn + 1));
  }
  own.keep("fork", { id: "resp_fork", items: [...items, item(60)] });
  expect(all.bytes).toBe(5060);
  expect([
    own.find("resp_3"),
    own.find("resp_49")?.items.length,
    own.find("resp_fork")?.items.length,
  ]).toEqual([null, 50, 51]);
  own.close();
  expect(all.bytes).toBe(0);
});

test("beyond its connection's bytes, the oldest lane is forgotten", () => {
  const own = memoryOf(250).open("a");
  for (const lane of ["one", "two", "three"]) own.keep(lane, { id: lane, items: [item(100)] });
  expect([own.find("one"), own.find("two")?.id, own.find("three")?.id]).toEqual([null, "two", "three"]);
  own.keep("four", { id: "four", items: [item(300)] });
  expect([own.find("four"), own.bytes]).toEqual([null, 0]);
});

test("an account's connections share its bytes", () => {
  const all = memoryOf(1000, 250);
  const [first, second, other] = [all.open("a"), all.open("a"), all.open("b")];
  first.keep("", { id: "1", items: [item(200)] });
  other.keep("", { id: "2", items: [item(200)] });
  second.keep("", { id: "3", items: [item(200)] });
  expect([first.find("1"), other.find("2")?.id, second.find("3")?.id]).toEqual([null, "2", "3"]);
});

test("if all memory is full, the oldest conversation of the account that holds most is forgotten, not an older one of another's", () => {
  const all = memoryOf(1000, 1000, 600);
  const [small, large] = [all.open("a"), all.open("b")];
  small.keep("", { id: "oldest", items: [item(150)] });
  for (let lane = 1; lane <= 9; lane++) large.keep(`${lane}`, { id: `${lane}`, items: [item(100)] });
  const isKept = (id: string) => small.find(id) !== null || large.find(id) !== null;
  expect(["oldest", "5", "6", "9"].map(isKept)).toEqual([true, false, true, true]);
  // Also if it is the small one's that makes the memory full.
  small.keep("second", { id: "second", items: [item(100)] });
  expect(["oldest", "second", "6", "7"].map(isKept)).toEqual([true, true, false, true]);
  expect(all.bytes).toBe(550);
});
