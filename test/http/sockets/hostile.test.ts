// Frames of clients that mean harm: none crashes the gateway, shows what another key's connection remembers, or leaves memory
// behind.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { Dice } from "../../sim/dice.ts";
import { until } from "../../whole/world/until.ts";
import { SocketClient } from "./client.ts";
import { frame, OPCODES, RawClient } from "./raw.ts";

const MODEL = "Local#some-model";
const CANARY = "canary-of-another-key";
const FRAMES = IS_LONG ? 200_000 : 1500;
const FRAMES_A_CONNECTION = 40;
const SEED = 63;

let world: UnderTest;
let victim: SocketClient;
let remembered: string;
beforeAll(async () => {
  world = await startUnderTest({
    more: "responses: { sockets: { frame: 64KB, queue: 4, lanes: 4, bytes: 64KB, per_key: 100 } }",
  });
  victim = await new SocketClient(world.url, world.secret).open();
  const frames = await victim.create({ model: MODEL, input: `say: ${CANARY}`, store: false });
  remembered = String(asObject(frames.at(-1)?.response).id);
});
afterAll(() => world.stop());

const readMetrics = async () => (await fetch(`${world.url}/metrics`)).text();
const text = (payload: string) => frame(payload, { opcode: OPCODES.text });
const create = (fields: object) => text(JSON.stringify({ type: "response.create", model: MODEL, ...fields }));

/** The ways to harm. Each returns the bytes that a client writes at once. */
const WAYS: Readonly<Record<string, (dice: Dice) => readonly Buffer[]>> = {
  "random bytes": (dice) => [frame(dice.bytes(dice.int(0, 300)), { opcode: dice.pick([1, 2]) })],
  fragments: (dice) => {
    const whole = Buffer.from(JSON.stringify({ type: "response.create", model: MODEL, input: "say: é" }));
    const cut = dice.int(1, whole.length - 1);
    return [
      frame(whole.subarray(0, cut), { opcode: OPCODES.text, isLast: false }),
      frame("between", { opcode: dice.pick([OPCODES.ping, OPCODES.pong]) }),
      frame(whole.subarray(cut), { opcode: OPCODES.continuation }),
    ];
  },
  "a fragment without an end": () => [frame("{", { opcode: OPCODES.text, isLast: false })],
  "nested JSON": (dice) => {
    const depth = dice.int(100, 30_000);
    return [text(`${"[".repeat(depth)}${"]".repeat(depth)}`)];
  },
  "many elements": () => [text(`[${"0,".repeat(25_000)}0]`)],
  "nested input": () => [create({ input: JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) })],
  "full lanes": (dice) =>
    Array.from({ length: 8 }, () => create({ stream_id: `l${dice.int(0, 99)}`, input: "hi" })),
  "a full queue": () => Array.from({ length: 8 }, () => create({ input: "say: hi" })),
  "another's response": () => [create({ previous_response_id: remembered, input: "say: what was said" })],
  "wrong ids": (dice) => [
    create({
      previous_response_id: dice.pick(["", "resp_", "resp_x_at_y", 7, {}, "é".repeat(90)]),
      input: "x",
    }),
    create({ stream_id: dice.pick(["", "a b", 7, "x".repeat(300)]), input: "x" }),
  ],
  "odd fields": (dice) => [
    create({
      input: dice.pick([null, 7, {}, [null], [[]], [{ type: "compaction", encrypted_content: "pk1.x" }]]),
    }),
    create({ input: "x", headers: dice.pick([7, [], { cookie: "a" }, { "x-poundkey-tags": "é" }]) }),
    create({
      input: "x",
      generate: dice.pick([false, 0, "false"]),
      model: dice.pick([MODEL, 7, null, "Nobody#x"]),
    }),
  ],
  steer: () => Array.from({ length: 20 }, () => text('{"type":"response.steer","input":[]}')),
  pings: (dice) => Array.from({ length: 20 }, () => frame(dice.bytes(100), { opcode: OPCODES.ping })),
};

/** The same, of which a connection ends. */
const ENDING_WAYS: typeof WAYS = {
  "cut UTF-8": () => [frame(Buffer.from('{"type":"response.create","a":"\xc3', "latin1"), { opcode: 1 })],
  "a continuation of nothing": () => [frame("}", { opcode: OPCODES.continuation })],
  "no requests": () => Array.from({ length: 120 }, () => text("{}")),
  "a frame above the limit": () => [frame("x", { opcode: OPCODES.text, length: 10_000_000 })],
  "a length that nobody has": () => [frame("", { opcode: OPCODES.text, length: 2 ** 40 })],
  "reserved bits": (dice) => [frame("{}", { opcode: dice.pick([3, 7, 11, 15]), reserved: dice.int(0, 7) })],
  "no mask": () => [frame("{}", { opcode: OPCODES.text, isMasked: false })],
  "a wrong close": (dice) => [
    frame(Buffer.from([dice.int(0, 255), dice.int(0, 255), 0xc3]), { opcode: OPCODES.close }),
  ],
};

async function attack(secret: string, dice: Dice): Promise<RawClient> {
  const client = await new RawClient(world.url, secret).open();
  for (let sent = 0; sent < FRAMES_A_CONNECTION && !client.isOver; ) {
    const ways = Object.values(dice.chance(0.04) ? ENDING_WAYS : WAYS);
    const frames = dice.pick(ways)(dice);
    sent += frames.length;
    for (const bytes of frames) client.write(bytes);
    if (dice.chance(0.3)) await Bun.sleep(0);
  }
  if (dice.chance(0.2)) client.destroy();
  else await client.leave();
  return client;
}

test(
  `${FRAMES} hostile frames`,
  async () => {
    const account = await world.newAccount("Strangers");
    const { secret } = await world.newKey({ account_id: account, requests_per_day: null });
    const dice = new Dice(SEED);
    let answered = 0;
    for (let sent = 0; sent < FRAMES; sent += 4 * FRAMES_A_CONNECTION) {
      const clients = await Promise.all([1, 2, 3, 4].map(() => attack(secret, dice)));
      for (const { received } of clients) {
        expect(received.includes(CANARY)).toBe(false);
        answered += received.split('"type":"error"').length - 1;
      }
    }
    expect(answered).toBeGreaterThan(FRAMES / 10);
    await until("all but the victim are gone", async () =>
      (await readMetrics()).includes("\npoundkey_sockets 1\n"),
    );
    await until("no body is held", async () => {
      const held = [...(await readMetrics()).matchAll(/^poundkey_body_bytes\{.*\} (\d+)$/gm)];
      return held.every(([, bytes]) => bytes === "0");
    });
    await until("no request runs", async () =>
      (await readMetrics()).includes("\npoundkey_requests_open 0\n"),
    );
    expect(world.events.filter(({ event }) => event === "internal_error")).toEqual([]);
    // The others are served as before, and the victim's own memory is whole.
    const frames = await victim.create({ model: MODEL, previous_response_id: remembered, input: "say: on" });
    expect(frames.at(-1)?.type).toBe("response.completed");
    expect(JSON.stringify(world.simulator.calls.all().at(-1)?.body)).toContain(CANARY);
    victim.close();
    await until("nothing is remembered", async () =>
      (await readMetrics()).includes("\npoundkey_socket_bytes 0\n"),
    );
  },
  IS_LONG ? 3_600_000 : 60_000,
);

describe("a key that is revoked", () => {
  const revoke = (id: string) =>
    fetch(`${world.url}/admin/v1/keys/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${world.adminToken}` },
    });

  test("while a turn runs and another waits: the first ends as over HTTP, the other is refused", async () => {
    const { secret, id } = await world.newKey({ requests_per_day: null });
    const client = await new SocketClient(world.url, secret).open();
    client.send({ type: "response.create", model: `${MODEL}~latency=600`, input: "say: first" });
    client.send({ type: "response.create", model: MODEL, input: "say: second" });
    await until("the first is asked for", () =>
      world.simulator.calls.all().some(({ model }) => model?.includes("latency=600")),
    );
    expect((await revoke(id)).status).toBe(200);
    expect(await client.gone()).toMatchObject({ code: 1008 });
    const ends = client.frames.filter(({ type }) => /^(error|response\.completed)$/.test(String(type)));
    expect(ends.map(({ type, status }) => status ?? type)).toContain("response.completed");
    expect(ends.filter(({ status }) => status === 401).length).toBeGreaterThan(0);
    expect(JSON.stringify(client.frames)).not.toContain("second");
  });

  test("while its answer streams: the answer ends whole, and nothing is asked any more", async () => {
    const { secret, id } = await world.newKey({ requests_per_day: null });
    const client = await new SocketClient(world.url, secret).open();
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
    client.send({
      type: "response.create",
      model: `${MODEL}~pace=20`,
      input: `say: ${words}`,
      stream_id: "a",
    });
    await until("it streams", () => client.frames.some(({ type }) => type === "response.output_text.delta"));
    await revoke(id);
    client.send({ type: "response.create", model: MODEL, input: "say: other", stream_id: "b" });
    expect(await client.gone()).toMatchObject({ code: 1008 });
    const whole = client.frames.find(({ type }) => type === "response.completed");
    expect(JSON.stringify(whole)).toContain(words);
    // Clients take an error without a lane for the end of their turn.
    const ends = client.frames.filter(({ type }) => /^(error|response\.completed)$/.test(String(type)));
    expect(ends.map(({ type, status, stream_id }) => [status ?? type, stream_id])).toEqual([
      [401, "b"],
      ["response.completed", "a"],
      [401, undefined],
    ]);
    expect(client.frames.at(-1)).toBe(ends.at(-1));
    expect(JSON.stringify(client.frames)).not.toContain("other");
  });

  test("with what it remembers: a turn that goes on from it is refused, and all is forgotten", async () => {
    const { secret, id } = await world.newKey({ requests_per_day: null });
    const client = await new SocketClient(world.url, secret).open();
    const warmed = await client.create({ model: MODEL, generate: false, input: "say: to be kept" });
    await revoke(id);
    const calls = world.simulator.calls.total;
    const previous = asObject(warmed.at(-1)?.response).id;
    client.send({ type: "response.create", model: MODEL, previous_response_id: previous, input: "say: on" });
    expect(await client.gone()).toMatchObject({ code: 1008 });
    expect(world.simulator.calls.total).toBe(calls);
    expect(client.frames.filter(({ status }) => status === 401).length).toBeGreaterThan(0);
    await until("nothing is remembered", async () =>
      (await readMetrics()).includes("\npoundkey_socket_bytes 0\n"),
    );
  });

  test("with half a frame on its way", async () => {
    const { secret, id } = await world.newKey({ requests_per_day: null });
    const client = await new RawClient(world.url, secret).open();
    client.write(frame('{"type":"resp', { opcode: OPCODES.text, isLast: false }));
    await revoke(id);
    await until("the connection ends", () => client.received.includes("invalid_api_key"));
    client.write(frame('onse.create"}', { opcode: OPCODES.continuation }));
    client.destroy();
  });
});
