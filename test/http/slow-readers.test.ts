// Slow clients, and clients that never read: the provider is slowed down, and nothing stays open when they leave.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject } from "../../src/core/json/json.ts";
import { until } from "../whole/world/until.ts";
import { type OwnUpstream, startOwnUpstream } from "../whole/world/upstream.ts";
import { asking, type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { dial } from "./rows/raw.ts";

const LONG_MS = 60_000;
const FLOOD_PIECES = 6000;
const PIECE_BYTES = 16 * 1024;
const KEPT_BYTES_MAX = 48 * 1024 * 1024;

let own: OwnUpstream;
let world: HttpWorld;

beforeAll(async () => {
  own = await startOwnUpstream(FLOOD_PIECES);
  const server = `dialect: openai, keys: [k], base_url: "${own.url}", unlisted_models: true`;
  const [providers, more] = [`  Own: { ${server} }`, "responses: { keep: 1d }"];
  world = await startHttpWorld({ providers, more, server: "body_memory: 64MB" });
});
afterAll(async () => {
  await own.stop();
  await world.stop();
});

describe("a slow reader", () => {
  test(
    "slows down the provider and gets everything in the end",
    async () => {
      const socket = await askWithoutReading();
      expect(own.flooded * PIECE_BYTES).toBeLessThan(KEPT_BYTES_MAX);
      let text = "";
      socket.on("data", (part: Buffer) => {
        text += part.toString("latin1");
      });
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.resume();
      await closed;
      expect(text.split('"content":"xxx').length - 1).toBe(FLOOD_PIECES);
      expect(text).toContain("data: [DONE]");
    },
    LONG_MS,
  );

  test("that leaves ends the upstream call", async () => {
    const gone = new AbortController();
    const response = await world.chat(asking("Own#flood", "x", { stream: true }), { signal: gone.signal });
    await response.body?.getReader().read();
    gone.abort();
    await until("the call is over", () => own.open === 0);
  });

  test(
    "that leaves while the provider is paused leaves nothing open",
    async () => {
      const socket = await askWithoutReading();
      socket.destroy();
      await until("the call is over", () => own.open === 0);
      const isOver = async () =>
        (await (await fetch(`${world.url}/metrics`)).text()).includes("poundkey_requests_open 0\n");
      await until("the request is over", isOver);
    },
    LONG_MS,
  );

  test(
    "of stored responses gets no more of the memory for bodies than its share",
    async () => {
      const authorization = `Bearer ${world.secret}`;
      const content = "x".repeat(30_000_000);
      const prompt = { role: "user", content: "say: hi" };
      const kept = await fetch(`${world.url}/v1/responses`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ model: "Local#sim", input: [{ role: "user", content }, prompt] }),
      });
      expect(kept.status).toBe(200);
      const path = `/v1/responses/${asObject(await kept.json()).id}/input_items`;
      const socket = await dial(world.url);
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`);
      const ask = async () => {
        const response = await fetch(world.url + path, { headers: { authorization } });
        await response.text();
        return response.status;
      };
      await until("the second is refused", async () => (await ask()) === 429, LONG_MS);
      socket.destroy();
      await until("there is room again", async () => (await ask()) === 200, LONG_MS);
    },
    LONG_MS,
  );

  /** Requests more than a connection buffers, and waits until the provider is slowed down. */
  async function askWithoutReading() {
    const socket = await dial(world.url);
    socket.pause();
    const body = JSON.stringify(asking("Own#flood", "x", { stream: true }));
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: ${new URL(world.url).host}\r\nconnection: close\r\n`;
    const key = `authorization: Bearer ${world.secret}\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}${key}content-length: ${body.length}\r\n\r\n${body}`);
    await stalled();
    return socket;
  }

  /** Waits until the provider can send no more. */
  async function stalled(): Promise<void> {
    let last = -1;
    let quietLooks = 0;
    await until(
      "the provider is held back",
      () => {
        quietLooks = own.flooded === last && last > 0 ? quietLooks + 1 : 0;
        last = own.flooded;
        return quietLooks > 25;
      },
      LONG_MS,
    );
  }
});
