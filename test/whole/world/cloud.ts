// Azure and Vertex AI on one port for tests: URLs, authentication and token endpoints in front of the simulator.
import type { IncomingMessage, ServerResponse } from "node:http";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { readText, serveHttp, type TestServer } from "./serve.ts";

export interface CloudCall {
  /** Includes the query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
  /** The raw body. */
  readonly text: string;
}

export interface Cloud extends TestServer {
  /** The URL without a path. */
  readonly origin: string;
  /** Calls to models. */
  readonly calls: CloudCall[];
  /** The forms that were sent to the token endpoint. */
  readonly tokenRequests: JsonObject[];
  /** Answers the next model calls. Null to let the simulator answer. */
  answer: ((call: CloudCall) => { status: number; body: unknown } | null) | null;
  /** True if token requests are refused. */
  isClosed: boolean;
  /** Revokes the tokens issued so far. */
  revoke(): void;
  /** Clears the calls and lets the simulator answer again. */
  reset(): void;
}

/** The key accepted in place of a token. */
export const CLOUD_KEY = "key-of-the-cloud";
const TOKEN_PATH = /^\/(token|tenant\/oauth2\/v2\.0\/token)$/;

/** The simulator's address for a request. */
interface Inner {
  readonly path: string;
  readonly body: JsonObject;
}

type Route = (match: RegExpExecArray, body: JsonObject) => Inner | null;

const ROUTES: readonly (readonly [RegExp, Route])[] = [
  [/^\/openai\/v1\/(.+)$/, ([, path], body) => ({ path: `/openai/v1/${path}`, body })],
  [
    /^\/openai\/deployments\/([^/]+)\/(.+)\?api-version=\d{4}-\d\d-\d\d$/,
    ([, model = "", path], body) => ({ path: `/openai/v1/${path}`, body: { ...body, model } }),
  ],
  [
    /^\/openai\/responses\?api-version=2025-04-01-preview$/,
    (_, body) => ({ path: "/openai/v1/responses", body }),
  ],
  [/^\/anthropic\/v1\/messages$/, (_, body) => ({ path: "/anthropic/v1/messages", body })],
  [
    /^\/v1(?:\/projects\/p\/locations\/eu)?\/publishers\/google\/models\/(.+)$/,
    ([, rest], body) => ({ path: `/gemini/v1beta/models/${rest}`, body }),
  ],
  [
    /^\/v1\/projects\/p\/locations\/eu\/publishers\/anthropic\/models\/([^/:]+):(rawPredict|streamRawPredict)$/,
    ([, model, verb], { anthropic_version: version, ...body }) => {
      const isRight = version === "vertex-2023-10-16" && !("model" in body);
      const isStream = verb === "streamRawPredict";
      if (!isRight || (body.stream === true) !== isStream) return null;
      return { path: "/anthropic/v1/messages", body: { ...body, model } };
    },
  ],
  [
    /^\/v1\/projects\/p\/locations\/eu\/endpoints\/openapi\/(chat\/completions)$/,
    ([, path], body) => ({ path: `/openai/v1/${path}`, body }),
  ],
];

function findInner(path: string, body: JsonObject): Inner | null {
  for (const [pattern, route] of ROUTES) {
    const match = pattern.exec(path);
    if (match) return route(match, body);
  }
  return null;
}

/** Starts the cloud. `findSimulator` returns the simulated providers' address. */
export async function startCloud(findSimulator: () => string): Promise<Cloud> {
  const [calls, tokenRequests]: [CloudCall[], JsonObject[]] = [[], []];
  let given = 0;
  let valid = new Set<string>();
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "";
    const text = await readText(request);
    if (TOKEN_PATH.test(path)) {
      tokenRequests.push(Object.fromEntries(new URLSearchParams(text)));
      if (cloud.isClosed) return send(response, 400, { error: "invalid_grant", error_description: text });
      const token = `token-${++given}-of-the-cloud`;
      valid.add(token);
      return send(response, 200, { access_token: token, expires_in: 3600, token_type: "Bearer" });
    }
    const call = { path, headers: request.headers, text, body: asObject(parseJson(text)) };
    calls.push(call);
    const own = cloud.answer?.(call);
    if (own) return send(response, own.status, own.body);
    if (!isProven(call, valid))
      return send(response, 401, { error: { code: "401", message: "Access denied" } });
    const inner = findInner(path, call.body);
    if (!inner) return send(response, 404, { error: { code: "404", message: "Resource not found" } });
    await forward(`${findSimulator()}${inner.path}`, call, inner.body, response);
  };
  const server = await serveHttp(serve);
  const cloud: Cloud = {
    ...server,
    origin: new URL(server.url).origin,
    calls,
    tokenRequests,
    answer: null,
    reset() {
      calls.length = 0;
      cloud.answer = null;
    },
    isClosed: false,
    revoke() {
      valid = new Set();
    },
  };
  return cloud;
}

/** True if there is exactly one proof: the key in its own header, or an issued token. */
function isProven({ headers }: CloudCall, tokens: ReadonlySet<string>): boolean {
  const keys = ["api-key", "x-api-key", "x-goog-api-key"].flatMap((name) => headers[name] ?? []);
  const bearer = headers.authorization?.replace("Bearer ", "");
  if (bearer !== undefined) return keys.length === 0 && tokens.has(bearer);
  return keys.length === 1 && keys[0] === CLOUD_KEY;
}

const SIMULATED = { authorization: "Bearer sim-key", "x-api-key": "sim-key", "x-goog-api-key": "sim-key" };

async function forward(
  url: string,
  { headers }: CloudCall,
  body: JsonObject,
  response: ServerResponse,
): Promise<void> {
  const beta = headers["anthropic-beta"];
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      ...SIMULATED,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      ...(typeof beta === "string" ? { "anthropic-beta": beta } : {}),
    },
    body: JSON.stringify(body),
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
  for await (const piece of answer.body ?? []) response.write(piece);
  response.end();
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
