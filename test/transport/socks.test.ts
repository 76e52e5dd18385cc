// Calls by SOCKS5 proxies: a real one (microsocks, skipped if it isn't installed), and one that answers with given bytes,
// one by one.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { NetworkRules } from "../../src/core/world/network.ts";
import { applyNetwork } from "../../src/transport/network.ts";
import { bridgeSocks } from "../../src/transport/socks/bridge.ts";
import { MICROSOCKS, startMicrosocks } from "../harness/microsocks.ts";

const LARGE = "x".repeat(3_000_000);

let origin: ReturnType<typeof Bun.serve>;
/** The requests that have come, each with the address that it names. */
const asked: string[] = [];
beforeAll(() => {
  origin = Bun.serve({
    port: 0,
    hostname: "::",
    async fetch(request) {
      const { method, url, headers } = request;
      asked.push(`${method} ${url} ${headers.get("proxy-authorization")}`);
      return new Response(`${(await request.text()).length} ${LARGE}`);
    },
  });
});
afterAll(() => origin.stop(true));

function ask(proxy: string, url: string, init: RequestInit = {}): Promise<Response> {
  const network: NetworkRules = { proxy };
  return fetch(url, applyNetwork(url, { ...init, network }));
}

describe.skipIf(MICROSOCKS === null)("a SOCKS5 proxy", () => {
  let proxy: Awaited<ReturnType<typeof startMicrosocks>>;
  beforeAll(async () => {
    proxy = await startMicrosocks();
  });
  afterAll(() => proxy.stop());
  const at = (login: string) => `socks5://${login}@127.0.0.1:${proxy.port}`;

  test.each(["localhost", "127.0.0.1", "[::1]"])("leads to %s, with bodies of any size", async (host) => {
    const url = `http://${host}:${origin.port}/path?query=1`;
    asked.length = 0;
    for (const body of ["small", LARGE]) {
      const answer = await ask(at("user:w%40rd"), url, { method: "POST", body });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe(`${body.length} ${LARGE}`);
    }
    expect(asked).toEqual([`POST ${url} null`, `POST ${url} null`]);
  });

  test("that refuses the login, or reaches nobody, is a failed connection", async () => {
    expect(await nameFailure(ask(at("user:wrong"), `http://localhost:${origin.port}/`))).toBe("ECONNRESET");
    expect(await nameFailure(ask(at("user:wrong"), `https://localhost:${origin.port}/`))).toBe(
      "ERR_PROXY_TUNNEL",
    );
    expect(await nameFailure(ask(at("user:w%40rd"), "https://localhost:1/"))).toBe("ERR_PROXY_TUNNEL");
  });
});

describe("a server that isn't one", () => {
  /** The bytes that it sends to each client. */
  let words = Buffer.alloc(0);
  let server: Server;
  const clients = new Set<Socket>();
  beforeAll(async () => {
    server = createServer((socket) => {
      clients.add(socket);
      socket.on("error", () => {});
      for (const byte of words) socket.write(Buffer.from([byte]));
      socket.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    for (const one of clients) one.destroy();
    server.close();
  });

  test.each([
    ["says nothing", []],
    ["speaks HTTP", [...Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")]],
    ["has no way to log in that is known", [5, 255]],
    ["wants a login that there isn't", [5, 2]],
    ["is refused by the host", [5, 0, 5, 5, 0, 1, 0, 0, 0, 0, 0, 0]],
    ["answers with half an address", [5, 0, 5, 0, 0, 3, 200, 1]],
  ])("and %s ends the call", async (_, bytes) => {
    words = Buffer.from(bytes);
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    expect(await nameFailure(ask(`socks5://127.0.0.1:${port}`, "https://llm.example/"))).toBe(
      "ERR_PROXY_TUNNEL",
    );
  });
});

test("the way to a proxy is open to this process only", async () => {
  const { port, password } = new URL(bridgeSocks("socks5://127.0.0.1:1"));
  const answers = await Promise.all(
    ["", `Proxy-Authorization: Basic ${btoa(`gateway:${password.slice(1)}0`)}\r\n`].map((field) =>
      say(Number(port), `CONNECT 127.0.0.1:80 HTTP/1.1\r\n${field}\r\n`),
    ),
  );
  for (const answer of answers) expect(answer).toStartWith("HTTP/1.1 407 ");
});

async function nameFailure(call: Promise<Response>): Promise<unknown> {
  const thrown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  return thrown instanceof Error && "code" in thrown ? thrown.code : thrown;
}

function say(port: number, words: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = "";
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("data", (bytes) => {
      heard += bytes.toString();
    });
    socket.once("close", () => resolve(heard)).write(words);
  });
}
