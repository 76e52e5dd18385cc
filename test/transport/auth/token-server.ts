// A token endpoint for tests with a verifiable signature, and the gateway's side of it with a manual clock.
import { generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Deadline, Latecomer } from "../../../src/core/world/world.ts";
import { fetchKeys } from "../../../src/transport/auth/aws-keys.ts";
import type { TokenRequestPorts } from "../../../src/transport/auth/token-http.ts";
import { fetchToken } from "../../../src/transport/auth/token-requests.ts";
import { Tokens } from "../../../src/transport/auth/tokens.ts";
import { readText, serveHttp, type TestServer } from "../../whole/world/serve.ts";

/** A service account's key pair. */
export const KEYS = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The body's fields, if it is a form. */
  readonly fields: Readonly<Record<string, string>>;
}

interface Said {
  readonly status?: number;
  readonly body: unknown;
}

export interface TokenServer extends TestServer {
  /** The URL without a path. */
  readonly origin: string;
  readonly seen: Seen[];
  /** Answers the next requests. Null to issue a new token. */
  answer: ((seen: Seen) => Said | null | Promise<Said | null>) | null;
  /** Holds answers back until `release` is called. */
  hold(): void;
  release(): void;
}

/** Serves tokens `token-1`, `token-2` and so on, valid for an hour. */
export async function startTokenServer(): Promise<TokenServer> {
  const seen: Seen[] = [];
  let gate = Promise.resolve();
  let open = () => {};
  let given = 0;
  const server = await serveHttp(async (request, response) => {
    const body = await readText(request);
    const one: Seen = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body,
      fields: Object.fromEntries(new URLSearchParams(body)),
    };
    seen.push(one);
    await gate;
    const token = (): Said => ({
      body: { access_token: `token-${++given}`, expires_in: 3600, token_type: "Bearer" },
    });
    const { status = 200, body: said } = (await own.answer?.(one)) ?? token();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof said === "string" ? said : JSON.stringify(said));
  });
  const own: TokenServer = {
    ...server,
    origin: new URL(server.url).origin,
    seen,
    answer: null,
    hold() {
      const held = Promise.withResolvers<void>();
      gate = held.promise;
      open = held.resolve;
    },
    release: () => open(),
  };
  return own;
}

/** The tokens of a gateway with a manual clock. */
export function startTokens() {
  let nowMs = 0;
  const due = new Set<{ atMs: number; latecomer: Latecomer }>();
  const deadlines = {
    nowMs: () => nowMs,
    watch(atMs: number, latecomer: Latecomer): Deadline {
      const one = { atMs, latecomer };
      due.add(one);
      return { atMs, clear: () => void due.delete(one) };
    },
  };
  const START_MS = Date.UTC(2026, 10, 21);
  const ports: TokenRequestPorts = {
    clock: { nowMs: () => START_MS + nowMs },
    deadlines,
    fetch: (url, init) => fetch(url, init),
    readFile: (path) => readFile(path, "utf8"),
  };
  const pass = (ms: number) => {
    nowMs += ms;
    for (const one of due) {
      if (one.atMs > nowMs) continue;
      due.delete(one);
      one.latecomer.late();
    }
  };
  return {
    tokens: new Tokens(fetchToken, ports),
    keys: new Tokens(fetchKeys, ports),
    pass,
    startMs: START_MS,
    ports,
  };
}
