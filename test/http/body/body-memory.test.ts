// The memory for request bodies through the whole gateway: slow senders, slow providers, and every way to let go of it.
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import type { Socket } from "node:net";
import { isObject } from "../../../src/core/json/json.ts";
import { EarlierBodies } from "../../../src/http/body/earlier-bodies.ts";
import { BINARY } from "../../harness/harness.ts";
import { formatLine, seen } from "../../whole/world/observe.ts";
import { until } from "../../whole/world/until.ts";
import { type OwnUpstream, startOwnUpstream } from "../../whole/world/upstream.ts";
import { asking, type HttpWorld, startHttpWorld } from "../../whole/world/world.ts";
import { dial, head } from "../rows/raw.ts";

const LIMIT = 1_000_000;
const LONG_MS = 60_000;
const REFUSED = "429 rate_limit_error too_many_parallel_requests, retry after 1";
const ENDED = "408 Request Timeout";

let own: OwnUpstream;
let world: HttpWorld;
const sockets: Socket[] = [];

beforeAll(async () => {
  own = await startOwnUpstream(1);
  const local = `dialect: openai, keys: [k], base_url: "${own.url}", unlisted_models: true`;
  const server = `body_limit: ${LIMIT}B, body_memory: ${4 * LIMIT}B`;
  world = await startHttpWorld({ providers: `  Own: { ${local} }`, server, more: "responses: { keep: 1d }" });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await own.stop();
  await world.stop();
});

async function readHeldBytes(): Promise<{ readonly small: number; readonly large: number }> {
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  const read = (size: string) =>
    Number(new RegExp(`^poundkey_body_bytes\\{size="${size}"\\} (\\d+)$`, "m").exec(metrics)?.[1]);
  return { small: read("small"), large: read("large") };
}

async function untilNothingIsHeld(): Promise<void> {
  await until("no body's memory is held", async () => {
    const { small, large } = await readHeldBytes();
    return small + large === 0;
  });
}

/** A key in an account of its own. */
async function newAccountsKey(): Promise<string> {
  const response = await fetch(`${world.url}/admin/v1/accounts`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Team" }),
  });
  const account: unknown = await response.json();
  const id = isObject(account) ? account.id : undefined;
  return (await world.newKey({ account_id: id, requests_per_day: null })).secret;
}

interface Upload {
  readonly socket: Socket;
  readonly answer: () => string;
}

/** Begins a body of `LIMIT` bytes and sends that many of them. */
async function upload(secret: string, bytes: number): Promise<Upload> {
  const socket = await dial(world.url);
  sockets.push(socket);
  let text = "";
  socket.on("data", (part: Buffer) => {
    text += part.toString("latin1");
  });
  socket.on("error", () => {});
  const host = `host: ${new URL(world.url).host}`;
  const lines = [host, `authorization: Bearer ${secret}`, "content-type: application/json"];
  socket.write(head("POST /v1/chat/completions HTTP/1.1", ...lines, `content-length: ${LIMIT}`));
  socket.write(" ".repeat(bytes));
  return { socket, answer: () => text };
}

function drop(uploads: readonly Upload[]): void {
  for (const { socket } of uploads) socket.destroy();
}

/** A body of nearly `LIMIT` bytes. */
function askLong(model: string, more: Record<string, unknown> = {}) {
  return asking(model, "word ".repeat((LIMIT - 1000) / 5), more);
}

describe("a form", () => {
  const send = async (model: string) => {
    const form = new FormData();
    form.set("file", new File(["x".repeat(LIMIT / 2)], "speech.mp3"));
    form.set("model", model);
    const headers = { authorization: `Bearer ${await newAccountsKey()}` };
    const body = { method: "POST", headers, body: form };
    return (await fetch(`${world.url}/v1/audio/transcriptions`, body)).status;
  };

  test.skipIf(BINARY !== undefined)("of a refused request is freed at once, another is not", async () => {
    const transfers = spyOn(ArrayBuffer.prototype, "transfer");
    const countFreed = () => transfers.mock.calls.filter(([bytes]) => bytes === 0).length;
    try {
      expect([await send("Nope#nope"), countFreed()]).toEqual([404, 1]);
      expect([await send("Local#sim"), countFreed()]).toEqual([200, 1]);
    } finally {
      transfers.mockRestore();
    }
  });
});

describe("a long conversation", () => {
  const turns = Array.from({ length: 9 }, (_, at) => ({
    role: "user",
    content: `${at} ${"word ".repeat(500)}`,
  }));
  const send = async (keepsResponses: boolean) => {
    const { secret } = await world.newKey({ keep_responses: keepsResponses, requests_per_day: null });
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "Local#sim", messages: turns });
    return (await fetch(`${world.url}/v1/chat/completions`, { method: "POST", headers, body })).status;
  };

  test.skipIf(BINARY !== undefined)(
    "is remembered for its next request, unless its key keeps nothing",
    async () => {
      const keep = spyOn(EarlierBodies.prototype, "keep");
      try {
        expect([await send(false), keep.mock.calls.length]).toEqual([200, 0]);
        expect([await send(true), keep.mock.calls.length]).toEqual([200, 1]);
      } finally {
        keep.mockRestore();
      }
    },
  );
});

describe("large bodies that arrive slowly", () => {
  test("keep no small request out, however much they promise", async () => {
    const uploads: Upload[] = [];
    for (let account = 0; account < 4; account++) {
      const secret = await newAccountsKey();
      for (let connection = 0; connection < 2; connection++) uploads.push(await upload(secret, 4000));
    }
    await until("they have begun", async () => (await readHeldBytes()).large === 8 * 4000);
    for (let count = 0; count < 20; count++) {
      expect((await world.chat(asking("Local#sim"))).status).toBe(200);
    }
    expect(uploads.map(({ answer }) => answer())).toEqual(uploads.map(() => ""));
    drop(uploads);
    await untilNothingIsHeld();
  });

  test("make room, the one that holds most for its speed, before anybody is refused", async () => {
    const stalled = await upload(await newAccountsKey(), LIMIT - 1);
    await until("it has nearly arrived", async () => (await readHeldBytes()).large === LIMIT - 1);
    // Its speed is that of the last seconds.
    await Bun.sleep(1000);
    const uploads = [];
    for (let account = 0; account < 3; account++) {
      uploads.push(await upload(await newAccountsKey(), LIMIT - 1));
    }
    await until("they have nearly arrived", async () => (await readHeldBytes()).large === 4 * (LIMIT - 1));
    const response = await world.chat(askLong("Local#sim"));
    expect(response.status).toBe(200);
    await until("it is ended", () => stalled.answer() !== "");
    expect(stalled.answer()).toContain(ENDED);
    expect(stalled.answer()).toContain('"code":"request_timeout"');
    expect(uploads.map(({ answer }) => answer())).toEqual(["", "", ""]);
    drop(uploads);
    await untilNothingIsHeld();
  });

  test("of one account are refused beyond its share of a busy memory, with the limit in the error", async () => {
    const secret = await newAccountsKey();
    const uploads = [await upload(secret, LIMIT - 1), await upload(secret, LIMIT - 1)];
    await until("half is in use", async () => (await readHeldBytes()).large === 2 * (LIMIT - 1));
    const asks = [
      ["/v1/chat/completions", askLong("Local#sim")],
      ["/v1/messages", { ...askLong("Local#sim"), max_tokens: 5 }],
      [
        "/v1beta/models/Local%23sim:generateContent",
        { contents: [{ parts: [{ text: "x".repeat(LIMIT / 2) }] }] },
      ],
      ["/v1/responses", { model: "Local#sim", input: "x".repeat(LIMIT / 2) }],
    ] as const;
    const sizes = { limit: LIMIT, used: 2 * (LIMIT - 1), reserved: 0 };
    const limit = { scope: "account", kind: "body_memory", ...sizes, resets_at: null };
    for (const [path, body] of asks) {
      const response = await fetch(world.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect([path, response.status, response.headers.get("retry-after")]).toEqual([path, 429, "1"]);
      expect(await response.json()).toMatchObject({ error: { limit } });
    }
    expect((await world.chat(asking("Local#sim"), { secret })).status).toBe(200);
    expect((await world.chat(askLong("Local#sim"))).status).toBe(200);
    drop(uploads);
    await untilNothingIsHeld();
  });
});

describe("large bodies that have arrived", () => {
  test(
    "count while their provider is silent, so that one account can't fill the memory",
    async () => {
      const secret = await newAccountsKey();
      const gone = new AbortController();
      const statuses: string[] = [];
      const ask = async () => {
        const body = askLong("Local#sim~latency=60000");
        const response = await world.chat(body, { secret, signal: gone.signal });
        statuses.push(formatLine(await seen(response)));
      };
      const asked = Array.from({ length: 5 }, () => ask().catch(() => statuses.push("left")));
      await until("the others are refused", () => statuses.length === 3);
      expect(statuses).toEqual([REFUSED, REFUSED, REFUSED]);
      expect((await readHeldBytes()).large).toBeGreaterThan(LIMIT);
      expect((await world.chat(askLong("Local#sim"))).status).toBe(200);
      gone.abort();
      await Promise.all(asked);
      await untilNothingIsHeld();
    },
    LONG_MS,
  );

  test("pass side by side while half of the memory is free", async () => {
    const secret = await newAccountsKey();
    const asked = Array.from({ length: 2 }, () => world.chat(askLong("Local#sim"), { secret }));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200]);
    await untilNothingIsHeld();
  });

  test("count no longer once their answer has begun", async () => {
    const gone = new AbortController();
    const body = askLong("Own#held", { stream: true });
    const response = await world.chat(body, { signal: gone.signal });
    await response.body?.getReader().read();
    expect(own.held).toBe(1);
    await untilNothingIsHeld();
    gone.abort();
    await until("the call is over", () => own.open === 0);
  });

  test("count to the end as far as their answer needs them", async () => {
    const gone = new AbortController();
    const description = "word ".repeat(LIMIT / 10);
    const tools = [{ type: "function", function: { name: "look", description } }];
    const response = await world.chat(asking("Own#held", "hi there", { stream: true, tools }), {
      signal: gone.signal,
    });
    await response.body?.getReader().read();
    expect(own.held).toBe(1);
    expect((await readHeldBytes()).large).toBeGreaterThan(description.length);
    gone.abort();
    await untilNothingIsHeld();
  });

  test("count to the end if the conversation is kept with its answer", async () => {
    const response = await fetch(`${world.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "Own#held", stream: true, input: "word ".repeat(LIMIT / 10) }),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await until("it has begun", () => own.held === 1);
    expect((await readHeldBytes()).large).toBeGreaterThan(LIMIT / 2);
    own.release();
    for (let part = await reader?.read(); part && !part.done; ) part = await reader?.read();
    await untilNothingIsHeld();
  });
});

describe("the memory is released", () => {
  const rows: readonly (readonly [name: string, body: unknown, status: number])[] = [
    ["after an answer", asking("Local#sim"), 200],
    ["after a stream", asking("Local#sim", "say: good day", { stream: true }), 200],
    ["after a failed provider", asking("Local#sim~trouble=500"), 502],
    ["after failover", asking("Acme#dear~trouble=500"), 200],
    ["after a refusal by the surface", { model: "Local#sim" }, 400],
    ["after a refusal of the model", asking("Nobody#x"), 404],
    ["after a body that isn't JSON", "{", 400],
    ["after a long answer", askLong("Local#sim"), 200],
    ["after a long body that isn't JSON", "{".repeat(LIMIT / 2), 400],
  ];
  for (const [name, body, status] of rows) {
    test(name, async () => {
      const response = await world.chat(body);
      await response.text();
      expect(response.status).toBe(status);
      await untilNothingIsHeld();
    });
  }

  test("after a replay, and by a request that goes on after its client has left", async () => {
    const headers = { "idempotency-key": "again" };
    const ask = (signal?: AbortSignal) =>
      world.chat(askLong("Local#sim~latency=1500"), { headers, ...(signal ? { signal } : {}) });
    const gone = new AbortController();
    const left = ask(gone.signal).catch(() => "left");
    await until("it has arrived", async () => (await readHeldBytes()).large > LIMIT / 2);
    gone.abort();
    expect(await left).toBe("left");
    expect((await readHeldBytes()).large).toBeGreaterThan(LIMIT / 2);
    const replayed = await ask();
    expect(replayed.status).toBe(200);
    await replayed.text();
    await untilNothingIsHeld();
  });
});
