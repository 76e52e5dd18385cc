// The memory of conversations' bodies: whose it is, what it takes, and when it goes.
import { expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { readHeldJson } from "../../../src/http/body/body.ts";
import { agent, LANES, LONG, makeMemory, type Ports, receive, SCOPE } from "./lanes.ts";

const CHAT_LANE = LANES.chat;
const FIRST = Buffer.from(JSON.stringify(CHAT_LANE?.body));
const firstMessage = (body: unknown) => asArray(asObject(body).messages)[0];

/** True if two bodies that are the same share their messages. */
async function isShared(ports: Ports, scope: Partial<typeof SCOPE> = {}, other = scope): Promise<boolean> {
  const one = await receive(ports, FIRST, scope);
  return firstMessage(await receive(ports, FIRST, other)) === firstMessage(one);
}

test("a body goes on from one of the same account, key, surface and configuration alone", async () => {
  expect(await isShared(makeMemory())).toBe(true);
  const others = [{ owner: "other" }, { keyId: "other" }, { surface: "other" }, { under: {} }];
  for (const other of others) {
    expect(await isShared(makeMemory(), {}, other)).toBe(false);
    expect(await isShared(makeMemory(), other, {})).toBe(false);
  }
});

test("nothing is remembered without a key, of short bodies, and of bodies that others may read in another way", async () => {
  const memory = makeMemory();
  const { keyId: _keyId, ...nobody } = SCOPE;
  const held = memory.bodies.open();
  const headers = { "content-type": "application/json", "content-length": String(FIRST.length) };
  const request = new Request("http://gateway.example/", { method: "POST", headers, body: FIRST });
  await readHeldJson(request, memory, { ...nobody, bytesMax: 1_000_000, held });
  held.release();
  await receive(memory, Buffer.from(JSON.stringify({ messages: [{ content: LONG }] })));
  await receive(memory, Buffer.from(FIRST.toString().replace(/}$/, ',"temperature":1e0}')));
  await receive(memory, Buffer.from(FIRST.toString().replace(/}$/, ',"user":"a","user":"b"}')));
  expect(memory.earlier.bytes).toBe(0);
});

test("each conversation takes its place once, the oldest goes for others, and all go after ten minutes", async () => {
  const memory = makeMemory(10 * FIRST.length);
  const name = (at: number) => ({ keyId: `key ${at}` });
  for (let at = 0; at < 9; at++) await isShared(memory, name(at));
  expect(memory.earlier.bytes).toBe(9 * FIRST.length);
  const isKnown = async (at: number) => {
    const before = memory.earlier.bytes;
    await receive(memory, FIRST, name(at));
    return memory.earlier.bytes === before;
  };
  expect(await isKnown(8)).toBe(true);
  await memory.clock.move(599_000);
  await receive(memory, FIRST, name(8));
  await memory.clock.move(2000);
  expect(memory.earlier.bytes).toBe(3 * FIRST.length);
  await memory.clock.move(600_000);
  expect(memory.earlier.bytes).toBe(0);
});

test("a client's conversations beside each other are told apart, up to a number of them", async () => {
  const memory = makeMemory(1_000_000_000);
  const write = (at: number) =>
    Buffer.from(
      FIRST.toString().replace(
        agent.words,
        `Task ${at}. ${LONG.slice(0, 1000 + at).replaceAll(/["\n]/g, "")}`,
      ),
    );
  const firsts = new Map<number, unknown>();
  for (let at = 0; at < 40; at++) firsts.set(at, firstMessage(await receive(memory, write(at))));
  expect(memory.earlier.bytes).toBeLessThan(33 * 4 * FIRST.length);
  for (const at of [39, 20, 39, 10]) {
    expect([at, firstMessage(await receive(memory, write(at))) === firsts.get(at)]).toEqual([at, true]);
  }
});

test("they give way to bodies under way", async () => {
  const memory = makeMemory(16_000_000);
  await isShared(memory);
  expect(memory.earlier.bytes).toBeGreaterThan(0);
  const held = memory.bodies.reserve("other", 63_990_000);
  expect(memory.earlier.bytes).toBe(0);
  await receive(memory, FIRST, { owner: "third" });
  expect(memory.earlier.bytes).toBe(0);
  held.release();
  expect(await isShared(memory)).toBe(true);
});
