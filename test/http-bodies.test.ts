// Request bodies while they are read: how much memory they may hold, and how slow they may be.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { Fault } from "../src/core/fault.ts";
import { readJson } from "../src/http/body.ts";
import { BodyMemory, BodyTurns } from "../src/http/body-bounds.ts";
import { DeadlineSweep } from "../src/transport/deadlines.ts";
import { formatLine, seen } from "./http/observe.ts";
import { dial, exchange, head } from "./http/raw.ts";
import { until } from "./http/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "./http/world.ts";
import { ManualClock } from "./manual-clock.ts";

const codeOf = (thrown: unknown) => (thrown instanceof Fault ? thrown.code : String(thrown));

describe("memory for bodies", () => {
  function readRefusal(reserve: () => unknown) {
    try {
      return reserve();
    } catch (thrown) {
      return codeOf(thrown);
    }
  }

  test("gives one owner at most a quarter, or one body of any size", () => {
    const memory = new BodyMemory(1000);
    const large = memory.reserve("a", 900);
    expect(readRefusal(() => memory.reserve("a", 1))).toBe("too_many_parallel_requests");
    large.release();
    const small = [memory.reserve("a", 100), memory.reserve("a", 150)];
    expect(readRefusal(() => memory.reserve("a", 1))).toBe("too_many_parallel_requests");
    const other = memory.reserve("b", 250);
    expect(memory.bytes).toBe(500);
    for (const { release } of [...small, other]) release();
    expect(memory.bytes).toBe(0);
  });

  test("is bounded for all owners together", () => {
    const memory = new BodyMemory(1000);
    const held = ["a", "b", "c", "d"].map((owner) => memory.reserve(owner, 250));
    expect(readRefusal(() => memory.reserve("e", 1))).toBe("overloaded");
    for (const { release } of held) release();
    memory.reserve("e", 1000).release();
    expect(memory.bytes).toBe(0);
  });

  test("is returned when a body is done, and refused beyond the bound", () => {
    const memory = new BodyMemory(1000);
    const { grow, release } = memory.reserve("a", 10);
    grow(500);
    expect(readRefusal(() => grow(5000))).toBe("overloaded");
    expect(memory.bytes).toBe(510);
    release();
    expect(memory.bytes).toBe(0);
  });

  test("is returned when a body breaks off", async () => {
    const bodies = new BodyMemory(1000);
    const ports = {
      bodies,
      turns: new BodyTurns(new ManualClock()),
      deadlines: new DeadlineSweep(new ManualClock()),
    };
    const body = new ReadableStream({ start: (controller) => controller.error(new Error("broken off")) });
    const headers = { "content-type": "application/json" };
    const request = new Request("http://gateway.example/", { method: "POST", headers, body });
    const read = readJson(request, ports, { owner: "a", bytesMax: 1000 });
    expect(await read.catch(codeOf)).toBe("client_gone");
    expect(bodies.bytes).toBe(0);
  });
});

describe("a slow body", () => {
  const clock = new ManualClock();
  const ports = {
    bodies: new BodyMemory(64_000_000),
    turns: new BodyTurns(clock),
    deadlines: new DeadlineSweep(clock),
  };
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
      expect(ports.bodies.bytes).toBe(0);
    });
  }

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
    expect(ports.bodies.bytes).toBe(0);
  });

  test("is rejected when it falls behind later", async () => {
    const { read, send } = coming(1_000_000);
    let left = 60;
    for (; left > 0 && ports.bodies.bytes > 0; left--) {
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
  const bodies = new BodyMemory(64_000_000);
  const ports = { bodies, turns: new BodyTurns({ after }), deadlines: new DeadlineSweep(new ManualClock()) };
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
  expect(bodies.bytes).toBe(0);
});

describe("unfinished bodies", () => {
  const LIMIT = 200_000;
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
  }, 15_000);

  /** All of a body except the last byte. */
  async function unfinished(secret: string): Promise<{ socket: Socket; answer: () => string }> {
    const socket = await dial(world.url);
    let text = "";
    socket.on("data", (part: Buffer) => {
      text += part.toString("latin1");
    });
    socket.write(headTo(secret, `content-length: ${LIMIT}`));
    socket.write(" ".repeat(LIMIT - 1));
    return { socket, answer: () => text };
  }

  test("of one key leave room for other keys, and those of all keys for an error answer", async () => {
    const sockets: Socket[] = [];
    const open = async (secret: string) => {
      const { socket, answer } = await unfinished(secret);
      sockets.push(socket);
      return answer;
    };
    const attacker = await world.newKey();
    const answers = [await open(attacker.secret), await open(attacker.secret), await open(attacker.secret)];
    await until("two are refused", () => answers.filter((answer) => answer() !== "").length === 2);
    for (const answer of answers) if (answer() !== "") expect(answer()).toContain("429 Too Many Requests");
    expect(answers.map((answer) => answer()).join("")).toContain('"code":"too_many_parallel_requests"');
    const honest = await world.chat(asking("Local#sim"));
    expect(honest.status).toBe(200);
    for (let key = 0; key < 3; key++) await open((await world.newKey()).secret);
    await until("the memory is full", async () => {
      const answer = await seen(await world.chat(asking("Local#sim", "x".repeat(1000))));
      return answer.status === 503 && formatLine(answer).includes("overloaded");
    });
    for (const socket of sockets) socket.destroy();
    await until("it is free again", async () => (await world.chat(asking("Local#sim"))).status === 200);
  });
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
