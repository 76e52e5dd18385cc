// Request bodies while they are read: how much memory they may hold, and how slow they may be.

import { heapStats } from "bun:jsc";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { readJson } from "../../../src/http/body/body.ts";
import { BodyMemory } from "../../../src/http/body/body-memory.ts";
import { BodyTurns } from "../../../src/http/body/body-turns.ts";
import { DeadlineSweep } from "../../../src/transport/deadlines.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { until } from "../../whole/world/until.ts";
import { type HttpWorld, startHttpWorld } from "../../whole/world/world.ts";
import { exchange, head } from "../rows/raw.ts";

const NOTHING = { small: 0, large: 0 };
const codeOf = (thrown: unknown) => (thrown instanceof Fault ? thrown.code : String(thrown));

test("the memory of a body that breaks off is released", async () => {
  const clock = new ManualClock();
  const deadlines = new DeadlineSweep(clock);
  const bodies = new BodyMemory(1000, deadlines);
  const body = new ReadableStream({ start: (controller) => controller.error(new Error("broken off")) });
  const headers = { "content-type": "application/json" };
  const request = new Request("http://gateway.example/", { method: "POST", headers, body });
  const ports = { bodies, turns: new BodyTurns(clock), deadlines };
  const read = readJson(request, ports, { owner: "a", bytesMax: 1000 });
  expect(await read.catch(codeOf)).toBe("client_gone");
  expect(bodies.bytes).toEqual(NOTHING);
});

describe("a slow body", () => {
  const clock = new ManualClock();
  const deadlines = new DeadlineSweep(clock);
  const ports = { bodies: new BodyMemory(64_000_000, deadlines), turns: new BodyTurns(clock), deadlines };
  const RULES = { owner: "a", bytesMax: 32_000_000 };

  /** A request whose body arrives piece by piece. */
  function coming(length: number | null) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    const headers = new Headers({ "content-type": "application/json" });
    if (length !== null) headers.set("content-length", String(length));
    const request = new Request("http://gateway.example/", { method: "POST", headers, body: readable });
    const read = readJson(request, ports, RULES).catch(codeOf);
    const send = (text: string) => void writer.write(new TextEncoder().encode(text)).catch(() => {});
    return { read, send, end: () => writer.close() };
  }

  for (const length of [null, 1_000_000, 1000]) {
    test(`is rejected (declared: ${length ?? "nothing"})`, async () => {
      const { read, send } = coming(length);
      send('{"a":');
      await clock.move(5500);
      expect(await read).toBe("request_timeout");
      expect(ports.bodies.bytes).toEqual(NOTHING);
    });
  }

  test("has the time of the slowest speed if it is read in one go", async () => {
    const { read, send } = coming(200_000);
    const early = () => Promise.race([read, Promise.resolve("still waited for")]);
    send("x".repeat(199_999));
    await clock.move(12_000);
    expect([await early(), ports.bodies.bytes.large]).toEqual(["still waited for", 200_000]);
    await clock.move(1000);
    expect(await read).toBe("request_timeout");
    expect(ports.bodies.bytes).toEqual(NOTHING);
  });

  test("is accepted at 16 KB a second", async () => {
    const text = JSON.stringify({ text: "x".repeat(200_000) });
    const { read, send, end } = coming(text.length);
    for (let at = 0; at < text.length; at += 20_000) {
      send(text.slice(at, at + 20_000));
      await clock.move(1000);
    }
    await end();
    expect(await read).toEqual({ text: "x".repeat(200_000) });
  });

  test("is rejected when it stalls, however fast it was before", async () => {
    const { read, send } = coming(30_000_000);
    const early = () => Promise.race([read, Promise.resolve("still waited for")]);
    send("x".repeat(29_000_000));
    await clock.move(10_000);
    expect(await early()).toBe("still waited for");
    await clock.move(4_000);
    send("x");
    await clock.move(2_000);
    expect(await read).toBe("request_timeout");
    expect(ports.bodies.bytes).toEqual(NOTHING);
  });

  test("is rejected when it falls behind later", async () => {
    const { read, send } = coming(1_000_000);
    let left = 60;
    let isOver = false;
    void read.then(() => {
      isOver = true;
    });
    for (; left > 0 && !isOver; left--) {
      send("x".repeat(8000));
      await clock.move(1000);
    }
    expect(await read).toBe("request_timeout");
    expect(60 - left).toBeGreaterThanOrEqual(9);
  });
});

test("large bodies that end together are parsed one per turn of the event loop", async () => {
  const turns: (() => void)[] = [];
  const after = (_delayMs: number, task: () => void) => {
    turns.push(task);
    return () => {};
  };
  const deadlines = new DeadlineSweep(new ManualClock());
  const bodies = new BodyMemory(64_000_000, deadlines);
  const ports = { bodies, turns: new BodyTurns({ after, monotonicMs: () => 0 }), deadlines };
  const text = JSON.stringify({ text: "x".repeat(300_000) });
  const headers = { "content-type": "application/json" };
  let parsed = 0;
  for (const owner of ["a", "b", "c"]) {
    const request = new Request("http://gateway.example/", { method: "POST", headers, body: text });
    void readJson(request, ports, { owner, bytesMax: 1_000_000 }).then(() => parsed++);
  }
  for (const soFar of [1, 2, 3]) {
    await until("a turn is asked for", () => turns.length > 0);
    expect(turns.length).toBe(1);
    turns.shift()?.();
    await Bun.sleep(0);
    expect(parsed).toBe(soFar);
  }
  expect(bodies.bytes).toEqual(NOTHING);
});

test("a long body is parsed in steps, between which others' bodies have their turns", async () => {
  let nowMs = 0;
  const turns: (() => void)[] = [];
  const after = (_delayMs: number, task: () => void) => {
    turns.push(task);
    return () => {};
  };
  const deadlines = new DeadlineSweep(new ManualClock());
  const bodies = new BodyMemory(64_000_000, deadlines);
  const ports = { bodies, turns: new BodyTurns({ after, monotonicMs: () => nowMs++ }), deadlines };
  const long = { text: '"\n\\'.repeat(400_000), list: ["é".repeat(200_000), { a: 1 }] };
  const done: string[] = [];
  const send = async (owner: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const request = new Request("http://gateway.example/", init);
    expect(await readJson(request, ports, { owner, bytesMax: 8_000_000 })).toEqual(body);
    done.push(owner);
  };
  const sending = [send("long", long)];
  for (let turn = 0; done.length < 2; turn++) {
    if (turn === 3) sending.push(send("other", { text: "x".repeat(300_000) }));
    await until("a turn is asked for", () => turns.length > 0);
    turns.shift()?.();
    await Bun.sleep(0);
  }
  await Promise.all(sending);
  expect(done).toEqual(["other", "long"]);
});

test.each([
  ["not UTF-8", Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(1_200_000, 0xff), Buffer.from('"}')])],
  ["unpaired surrogate", `{"a":"${"\\n".repeat(600_000)}\\ud83d"}`],
  ["unpaired surrogate", `{"a":"${"\\n".repeat(600_000)}","b":"\\udfff0"}`],
  ["not valid JSON", `{"a":"${"\\n".repeat(600_000)}"`],
  ["nested deeper", `{"a":"${"\\n".repeat(600_000)}","b":${"[".repeat(80)}${"]".repeat(80)}}`],
  ["more than", `{"a":"${"\\n".repeat(600_000)}","b":[${"0,".repeat(100_000)}0]}`],
])("a long body that is refused: %s", async (why, body) => {
  const clock = new ManualClock();
  const deadlines = new DeadlineSweep(clock);
  const bodies = new BodyMemory(64_000_000, deadlines);
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const ports = {
    bodies,
    turns: new BodyTurns({
      ...clock,
      after: (_ms, task) => {
        setTimeout(task);
        return () => {};
      },
      monotonicMs: () => 0,
    }),
    deadlines,
  };
  const read = readJson(new Request("http://gateway.example/", init), ports, {
    owner: "a",
    bytesMax: 8_000_000,
  });
  const thrown = await read.catch((fault: unknown) => fault);
  expect(thrown).toBeInstanceOf(Fault);
  expect(String(thrown)).toContain(why);
});

describe("unfinished bodies", () => {
  const LIMIT = 300_000;
  let world: HttpWorld;
  beforeAll(async () => {
    world = await startHttpWorld({ server: `body_limit: ${LIMIT}B, body_memory: ${4 * LIMIT}B` });
  });
  afterAll(() => world.stop());

  const headTo = (secret: string, ...lines: readonly string[]) =>
    head(
      "POST /v1/chat/completions HTTP/1.1",
      `host: ${new URL(world.url).host}`,
      `authorization: Bearer ${secret}`,
      "content-type: application/json",
      ...lines,
    );

  test("are rejected after five seconds without data, and their connection is closed", async () => {
    const framings = ["content-length: 1000", `content-length: ${LIMIT}`, "transfer-encoding: chunked"];
    const answers = framings.map(async (framing) => {
      const start = framing.startsWith("content") ? '{"model":' : '9\r\n{"model":\r\n';
      const { secret } = await world.newKey();
      const { status, headers, body } = await exchange(world.url, headTo(secret, framing) + start);
      expect([status, headers.get("connection")]).toEqual([408, "close"]);
      expect(body).toContain('"code":"request_timeout"');
    });
    await Promise.all(answers);
  }, 300_000);
});

describe("a body that is one long text", () => {
  const CHARACTERS = 2_000_000;
  let world: HttpWorld;
  beforeAll(async () => {
    world = await startHttpWorld({});
  });
  afterAll(() => world.stop());

  test.each(["chat/completions", "responses", "messages", "embeddings"])(
    "is refused at %s without a look at each of its characters",
    async (path) => {
      const { secret } = await world.newKey();
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const body = JSON.stringify("é".repeat(CHARACTERS));
      const before = heapStats().objectCount;
      const { status } = await fetch(`${world.url}/v1/${path}`, { method: "POST", headers, body });
      expect([status, heapStats().objectCount - before < CHARACTERS / 2]).toEqual([400, true]);
    },
  );
});

describe("server.hosts", () => {
  let world: HttpWorld;
  beforeAll(async () => {
    world = await startHttpWorld({ server: 'hosts: [127.0.0.1, AI.example.com, "::1"]' });
  });
  afterAll(() => world.stop());

  test("restricts requests to those hosts, except for health checks", async () => {
    const statusAt = async (host: string, path = "/v1/models") => {
      const headers = { host, authorization: `Bearer ${world.secret}` };
      return (await fetch(`${world.url}${path}`, { headers })).status;
    };
    expect(await statusAt("AI.example.com")).toBe(200);
    expect(await statusAt("ai.example.com:8443")).toBe(200);
    expect(await statusAt("ai.example.com.")).toBe(200);
    expect(await statusAt("[::1]:8080")).toBe(200);
    expect(await statusAt("[::2]:8080")).toBe(400);
    expect(await statusAt("ai.example.com.evil.example")).toBe(400);
    expect(await statusAt("evil.example.com")).toBe(400);
    expect(await statusAt("evil.example.com", "/")).toBe(400);
    expect(await statusAt("10.1.2.3:8080", "/healthz")).toBe(200);
    expect(await statusAt("10.1.2.3:8080", "/readyz")).toBe(200);
  });
});
