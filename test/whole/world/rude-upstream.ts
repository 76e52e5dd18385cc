// An ill-mannered upstream: the model's name selects how it misbehaves.
import type { ServerResponse } from "node:http";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { readText, serveHttp, type TestServer } from "./serve.ts";

/** Text that must never reach a client. */
export const RUDE_SECRET = "Zq8mT3plainkey77";

const LONG = "the same words again and again, ".repeat(4000);

function chunk(content: string | null, finish: string | null = null): string {
  const delta = content === null ? {} : { content };
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

function head(response: ServerResponse, status: number, type: string): void {
  response.writeHead(status, { "content-type": type });
}

/** The misbehaviours by model name. `host` is the address that was called. */
const MANNERS: Readonly<Record<string, (response: ServerResponse, host: string) => void>> = {
  "held-open": (response) => {
    head(response, 200, "text/event-stream");
    response.write(chunk("whole") + chunk(null, "stop"));
  },
  "held-open-done": (response) => {
    head(response, 200, "text/event-stream");
    response.write(`${chunk("whole") + chunk(null, "stop")}data: [DONE]\n\n`);
  },
  "long-400": (response) => {
    head(response, 400, "application/json");
    response.end(JSON.stringify({ error: { message: "too long a story", details: LONG } }));
  },
  "endless-429": (response) => {
    response.writeHead(429, { "content-type": "application/json", "retry-after": "7" });
    response.write('{"error":{"message":"slow down"');
  },
  tattler: (response, host) => {
    head(response, 400, "application/json");
    const message = `key ${RUDE_SECRET} at ${host} and db.internal.example:5432 is bad`;
    response.end(JSON.stringify({ error: { message, code: RUDE_SECRET, param: RUDE_SECRET } }));
  },
  "tattler-mid": (response, host) => {
    head(response, 200, "text/event-stream");
    const error = { message: `lost ${RUDE_SECRET} at ${host}`, code: RUDE_SECRET, status_code: 400 };
    response.end(`${chunk("one")}data: ${JSON.stringify({ error })}\n\n`);
  },
  censor: (response) => {
    head(response, 200, "text/event-stream");
    const error = { code: "data_inspection_failed", param: null, message: "Inappropriate content." };
    response.end(`data: ${JSON.stringify({ error, id: "chatcmpl-1" })}\n\n`);
  },
  patient: (response) => {
    head(response, 200, "text/event-stream");
    response.write(chunk("begun"));
  },
  mute: () => {},
  flood: (response) => {
    head(response, 200, "text/event-stream");
    void flood(response);
  },
};

/** More than all buffers on the way can hold, written as fast as it is read. */
const FLOOD_PIECES = 3000;
let flooded = 0;

/** Returns how many pieces of all floods have been written. */
export const countFlooded = (): number => flooded;

async function flood(response: ServerResponse): Promise<void> {
  const piece = chunk("x".repeat(10_000));
  for (let at = 0; at < FLOOD_PIECES; at++) {
    flooded++;
    if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end(`${chunk(null, "stop")}data: [DONE]\n\n`);
}

/** Starts the server, which speaks the OpenAI dialect. */
export async function startRudeUpstream(): Promise<TestServer> {
  return serveHttp(async (request, response) => {
    const model = String(asObject(parseJson(await readText(request))).model);
    MANNERS[model]?.(response, String(request.headers.host));
  });
}
