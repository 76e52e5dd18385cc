// A hook's server for tests: it hides secret words and shows them again, refuses others, and breaks in every way asked for.
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { readText, serveHttp, type TestServer } from "../../whole/world/serve.ts";

export interface HookCall {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
  /** All of it, to search for words. */
  readonly text: string;
}

/** `works`, or a way to fail. */
export const FAILURES = [
  "crash",
  "crash in its answer",
  "slow",
  "slow in its answer",
  "huge",
  "garbage",
  "an error",
  "a redirect",
  "too few texts",
  "numbers as texts",
  "no action",
  "an unknown action",
  "changes nothing it names",
  "deep",
] as const;
export type Behaviour = "works" | (typeof FAILURES)[number];

export interface HookServer extends TestServer {
  readonly calls: HookCall[];
  behaviour: Behaviour;
  /** The calls that fail. */
  failsAt: "request" | "response";
}

export const HIDDEN = "[HIDDEN]";

export async function startHook(): Promise<HookServer> {
  const calls: HookCall[] = [];
  const own = { calls, behaviour: "works" as Behaviour, failsAt: "request" as HookServer["failsAt"] };
  const server = await serveHttp(async (request, response) => {
    const text = await readText(request);
    const body = asObject(parseJson(text));
    calls.push({ path: request.url ?? "", headers: request.headers, body, text });
    if (own.behaviour === "works" || own.failsAt !== body.input_type) write(response, 200, judge(body));
    else FAIL[own.behaviour](response, asArray(body.texts));
  });
  return Object.assign(own, { url: server.url.replace(/\/v1$/, ""), stop: server.stop });
}

function write(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Hides words that begin with `canary` from providers, and shows them to clients again. Refuses `forbidden`. */
function judge({ texts: given, input_type: type }: JsonObject): JsonObject {
  const texts = asArray(given).map(String);
  const refused = type === "request" ? "forbidden" : "poison";
  if (texts.some((text) => text.includes(refused)))
    return { action: "BLOCKED", blocked_reason: `No  such\nwords, ${"please ".repeat(100)}` };
  const change = (text: string) =>
    type === "request" ? text.replace(/canary\w*/g, HIDDEN) : text.replaceAll(HIDDEN, "canary");
  const changed = texts.map(change);
  const isSame = changed.every((text, at) => text === texts[at]);
  return isSame ? { action: "NONE" } : { action: "GUARDRAIL_INTERVENED", texts: changed };
}

type Fail = (response: ServerResponse, texts: readonly unknown[]) => void;

const FAIL: Readonly<Record<Exclude<Behaviour, "works">, Fail>> = {
  crash: (response) => response.socket?.destroy(),
  "crash in its answer": (response) => {
    response.writeHead(200, { "content-length": "1000" }).write('{"action":');
    setTimeout(() => response.socket?.destroy(), 20);
  },
  slow: () => {},
  "slow in its answer": (response) => response.writeHead(200).write('{"action":'),
  huge: (response) => {
    response.writeHead(200);
    pour(response, `{"action":"NONE","padding":"${" ".repeat(1_000_000)}`);
  },
  garbage: (response) => response.writeHead(200).end("<html>"),
  "an error": (response) => write(response, 500, { action: "NONE" }),
  "a redirect": (response) => response.writeHead(307, { location: "/elsewhere" }).end(),
  "too few texts": (response, texts) =>
    write(response, 200, { action: "GUARDRAIL_INTERVENED", texts: [...texts.slice(1), "a", "b"] }),
  "numbers as texts": (response, texts) =>
    write(response, 200, { action: "NONE", texts: texts.map(() => 1) }),
  "no action": (response, texts) => write(response, 200, { texts }),
  "an unknown action": (response, texts) => write(response, 200, { action: "ALLOW", texts }),
  "changes nothing it names": (response) => write(response, 200, { action: "GUARDRAIL_INTERVENED" }),
  deep: (response) =>
    response.writeHead(200).end(`{"action":"NONE","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
};

function pour(response: ServerResponse, text: string): void {
  const more = () => {
    if (!response.destroyed) response.write(text, more);
  };
  more();
}
