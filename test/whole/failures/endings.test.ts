// Endings that nobody wished for: upstreams without manners, shutting down under load, a store that comes back.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { costOfEnding, ENDING_ROWS, type Ending } from "../world/endings.ts";
import { type Books, type MoneyWorld, readSums, startMoneyWorld } from "../world/money-world.ts";
import { playEnding } from "../world/play-ending.ts";
import { countFlooded, RUDE_SECRET, startRudeUpstream } from "../world/rude-upstream.ts";
import type { TestServer } from "../world/serve.ts";
import { until } from "../world/until.ts";

let upstream: TestServer;
let gateway: UnderTest;

function rudeProvider(url: string): string {
  const timeouts = "timeouts: { first_byte: 3s, idle: 1s, total: 20s }";
  const fields = `dialect: openai, base_url: "${url}", keys: ["${RUDE_SECRET}"], unlisted_models: true`;
  return `  Rude: { ${fields}, ${timeouts} }\n  Calm: { ${fields} }`;
}

function asking(model: string, stream: boolean) {
  return { model: `Rude#${model}`, stream, messages: [{ role: "user", content: "hello" }] };
}

beforeAll(async () => {
  upstream = await startRudeUpstream();
  gateway = await startUnderTest({ more: rudeProvider(upstream.url), server: "keep_alive: 1s" });
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

describe("a badly behaved upstream", () => {
  // The second provider waits a minute for more: there only the mark of the end says that nothing comes.
  for (const model of ["Rude#held-open", "Calm#held-open-done"]) {
    test.concurrent(`${model}: a complete answer succeeds even if its connection breaks afterwards`, async () => {
      const text = await (await gateway.chat({ ...asking("", true), model })).text();
      expect(text).toContain('"content":"whole"');
      expect(text).toContain('"finish_reason":"stop"');
      expect(text).toEndWith("data: [DONE]\n\n");
    });
  }

  test.concurrent("an error's body may have any length", async () => {
    const response = await gateway.chat(asking("long-400", false));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
  });

  test.concurrent("an error whose body never ends is reported by its status", async () => {
    const response = await gateway.chat(asking("endless-429", false));
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
  }, 300_000);

  for (const [model, stream] of [
    ["tattler", false],
    ["tattler", true],
    ["tattler-mid", true],
  ] as const) {
    test.concurrent(`${model}, streamed: ${stream}: its secret and address never reach the client`, async () => {
      const response = await gateway.chat(asking(model, stream));
      const text = (await response.text()) + JSON.stringify([...response.headers]);
      expect(text).toContain("error");
      for (const word of [RUDE_SECRET, new URL(upstream.url).host, "db.internal"])
        expect(text).not.toContain(word);
    });
  }
});

test("a content filter within a stream is the client's refusal, however often it happens", async () => {
  const answers: unknown[] = [];
  for (let time = 0; time < 8; time++) {
    const response = await gateway.chat(asking("censor", true));
    const { error } = await response.json();
    answers.push([response.status, error.code, error.message, response.headers.get("x-poundkey-attempts")]);
  }
  expect(answers).toEqual(Array(8).fill([400, "content_filter", "Inappropriate content.", "1"]));
});

test("a body with too many fields is refused, but a text with as many colons is not", async () => {
  const body = (more: string) =>
    `{"model":"Local#sim-mini","messages":[{"role":"user","content":"hi"}],${more}}`;
  const fields = '"a":1,'.repeat(500_000);
  const refused = await gateway.chat(body(`"x":{${fields}"b":2}`));
  expect([refused.status, (await refused.json()).error.message]).toEqual([
    400,
    expect.stringContaining("fields"),
  ]);
  expect((await gateway.chat(body(`"user":"${":".repeat(600_000)}"`))).status).toBe(200);
});

test("refused requests leave nothing running", async () => {
  const { secret } = await gateway.newKey({ requests_per_day: 0 });
  const bodies = [{}, { model: "x", messages: [] }, { ...asking("sim", false), model: "nobody" }];
  for (const body of bodies) expect((await gateway.chat(body)).status).toBeGreaterThanOrEqual(400);
  const ours = { ...asking("sim", true), model: "Local#sim-mini" };
  const statuses = [await gateway.chat(ours, { secret }), await gateway.chat(ours, { secret })].map(
    ({ status }) => status,
  );
  expect(statuses).toContain(429);
  await until("nothing is under way", async () =>
    (await (await fetch(`${gateway.url}/metrics`)).text()).includes("poundkey_requests_open 0"),
  );
  await until("no body is held", async () => isNoBodyHeld(gateway.url));
});

async function isNoBodyHeld(url: string): Promise<boolean> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return metrics.match(/^poundkey_body_bytes\{.*\} 0$/gm)?.length === 2;
}

test("an upload that breaks off counts as the client leaving", async () => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x.example\r\nAuthorization: Bearer ${gateway.secret}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"model":`);
  const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text();
  socket.once("connect", () => setTimeout(() => socket.destroy(), 50));
  const text = await until("the refusal is counted", async () => {
    const counted = await metrics();
    return counted.includes('poundkey_refused_total{fault="client_gone"}') && counted;
  });
  expect(text).toContain("\npoundkey_internal_errors_total 0\n");
});

test.concurrent("an early head is sent together with a comment", async () => {
  const response = await gateway.chat({
    ...asking("sim-mini~latency=1600", true),
    model: "Local#sim-mini~latency=1600",
  });
  const text = await response.text();
  expect(text).toStartWith(": keep-alive\n\n");
  expect(text).toEndWith("data: [DONE]\n\n");
});

/** After as many looks that find no more of the flood, all buffers are full: upstream, gateway and client share one process. */
const STILL_LOOKS = 20;

test("a reader that pauses is not cut off, and the provider is not blamed", async () => {
  const clock = new ManualClock();
  const own = await startUnderTest({ more: rudeProvider(upstream.url), clock });
  const { hostname, port } = new URL(own.url);
  const body = JSON.stringify(asking("flood", true));
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x.example\r\nAuthorization: Bearer ${own.secret}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  let seenPieces = 0;
  let looks = 0;
  await until("nothing is written any more", () => {
    looks = countFlooded() === seenPieces ? looks + 1 : 0;
    seenPieces = countFlooded();
    return looks === STILL_LOOKS;
  });
  // Longer than this provider's idle time, and shorter than its whole time.
  await clock.move(10_000);
  let tail = "";
  let bytes = 0;
  socket.on("data", (data) => {
    bytes += data.length;
    tail = (tail + data.toString("latin1")).slice(-500);
  });
  socket.resume();
  await new Promise((resolve) => socket.once("close", resolve));
  expect(tail).toContain("data: [DONE]");
  expect(bytes).toBeGreaterThan(25_000_000);
  expect(countFlooded()).toBeGreaterThan(seenPieces);
  await own.stop();
});

test("at shutdown, a request that takes too long gets an error, a log entry and its place back", async () => {
  const own = await startUnderTest({ more: rudeProvider(upstream.url), server: "drain: 300ms" });
  const { secret, id } = await own.newKey();
  const streams = await Promise.all([1, 2, 3].map(() => own.chat(asking("patient", true), { secret })));
  const texts = streams.map((response) => response.text());
  const whole = [1, 2].map(() => own.chat(asking("mute", false), { secret }));
  await until("all are under way", async () =>
    (await (await fetch(`${own.url}/metrics`)).text()).includes("poundkey_requests_open 5"),
  );
  await own.halt();
  for (const text of await Promise.all(texts)) {
    expect(text).toContain('"content":"begun"');
    expect(text).toContain('"code":"shutting_down"');
    expect(text).not.toContain("[DONE]");
  }
  for (const response of await Promise.all(whole)) expect(response.status).toBe(503);
  const store = new Database(join(own.directory, "poundkey.db"), { readonly: true });
  const rows = store.query("SELECT count(*) AS count FROM request WHERE key_id = ?").get(id);
  const meter = store.query("SELECT used FROM meter WHERE owner = ?").get(id);
  expect([rows, meter]).toEqual([{ count: 5 }, { used: 3 }]);
  store.close();
  await own.stop();
});

/** A request's ending as its client and the books saw it, and the upstream calls that it took. */
interface Settled {
  readonly told: readonly [number | null, string | null];
  readonly books: Books;
  readonly calls: number;
}

const countCalls = (world: MoneyWorld) => world.provider.calls.total + world.gated.bodies.length;

async function settleAs(world: MoneyWorld, row: Ending, isPaid: boolean): Promise<Settled> {
  world.provider.reset();
  const payer = await (isPaid ? world.payer(1) : world.payer(0, { requests_per_day: 5 }));
  const before = countCalls(world);
  const told = await playEnding(world, row, payer.secret);
  const books = await world.settled(payer);
  const calls = countCalls(world) - before;
  await until("no upstream call is left", () => world.gated.open + world.provider.calls.open === 0);
  await until("no body is held", () => isNoBodyHeld(world.url));
  return { told, books, calls };
}

/** Plays the rows in turn in a world of their own. They wait for timeouts, so others are played beside them. */
function playRows(isPaid: boolean) {
  const world = startMoneyWorld();
  let last: Promise<unknown> = world;
  const settled = ENDING_ROWS.map((row) => {
    const own = last.then(async () => settleAs(await world, row, isPaid));
    last = own.catch(() => {});
    return own;
  });
  return { world, settled };
}

const PAYERS = [
  { name: "paid", isPaid: true },
  { name: "free", isPaid: false },
] as const;

describe.each(PAYERS.map((payer) => ({ ...payer, ...playRows(payer.isPaid) })))(
  "every ending leaves no hold and the expected charge, $name:",
  ({ isPaid, world, settled }) => {
    afterAll(async () => {
      const { directory, stop } = await world;
      expect(readSums(directory)).toEqual({
        holds: 0,
        held: 0,
        wrong_balances: 0,
        wrong_entries: 0,
        spends_held: 0,
        debts: 0,
      });
      await stop();
    });

    test.each(ENDING_ROWS.map((row, at) => [row.name, row, at] as const))("%s", async (_name, row, at) => {
      const found = await settled[at];
      expect(found?.told).toEqual([row.status, row.code]);
      if (found) expectBooks(row, found.books, isPaid);
      expect(found?.calls).toBe(row.calls);
    });
  },
);

function expectBooks(row: Ending, { requests, entries, held, ...books }: Books, isPaid: boolean): void {
  const cost = costOfEnding(row);
  const [prompt, completion] = row.tokens ?? [0, 0];
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    usage_source: row.source,
    ended: row.ended,
    prompt_tokens: prompt,
    completion_tokens: completion,
    cost_nano: cost,
    charged_nano: isPaid ? cost : 0,
  });
  expect(held).toBe(0);
  const answers = Number(row.more?.n ?? 1);
  expect(books.used).toBe(!isPaid && row.tokens !== null ? answers : 0);
  expect(books.balance).toBe(isPaid ? 1_000_000_000 - cost : 0);
  expect(books.kinds).toEqual(isPaid ? ["topup", "hold", row.tokens === null ? "void" : "post"] : []);
  if (isPaid) expect(entries[2]).toMatchObject({ usage_source: row.source, ended: row.ended });
}
