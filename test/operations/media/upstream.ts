// An upstream with OpenAI's routes for images, speech and transcripts, which records its calls.
import type { ServerResponse } from "node:http";
import { asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import { serveHttp } from "../../whole/world/serve.ts";
import { findStream, type MediaStream, SPOKEN } from "./streams.ts";

export interface MediaCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** JSON, or a form's texts with the names of its files. */
  readonly body: JsonObject;
  readonly files: readonly File[];
  /** Resolves when the connection is over: true if the whole answer was sent. */
  readonly sent: Promise<boolean>;
}

export interface MediaUpstream {
  readonly url: string;
  readonly calls: readonly MediaCall[];
  /** The last call. */
  last(): MediaCall;
  /** Lets all waiting streams continue. */
  goOn(): void;
  stop(): Promise<void>;
}

/** "hello" in base64. */
export const PICTURE = "aGVsbG8=";
export const SOUND = new Uint8Array(SPOKEN.flatMap((sound) => [...sound]));
export const PICTURE_USAGE = {
  input_tokens: 14,
  output_tokens: 272,
  total_tokens: 286,
  input_tokens_details: { image_tokens: 4, text_tokens: 10 },
};
export const VTT = "WEBVTT\n\n00:00:00.000 --> 00:00:08.640\nby that conference.\n\n";
export const SRT = "1\n00:00:00,000 --> 00:00:08,640\nby that conference.\n\n";
const SEGMENTS = [{ id: 0, start: 0, end: 8.640000343322754, text: " by that conference." }];

/** The model's name selects the answer: `silent` reports no usage, `failing` answers 500, `huge` sends 20 MB. */
export async function startMediaUpstream(): Promise<MediaUpstream> {
  const calls: MediaCall[] = [];
  let gate = Promise.withResolvers<void>();
  const server = await serveHttp(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const path = (request.url ?? "").replace(/^\/v1/, "");
    const over = Promise.withResolvers<boolean>();
    response.on("close", () => over.resolve(response.writableFinished));
    const read = await readCall(path, { ...request.headers }, new Uint8Array(Buffer.concat(parts)));
    const call = { ...read, sent: over.promise };
    calls.push(call);
    const stream = findStream(call);
    if (stream) return play(response, stream, () => Promise.race([gate.promise, over.promise]));
    const answer = makeAnswer(call);
    response.writeHead(answer.status, { "content-type": answer.type });
    response.end(answer.body);
  });
  return {
    url: server.url,
    calls,
    stop: server.stop,
    goOn() {
      gate.resolve();
      gate = Promise.withResolvers();
    },
    last() {
      const call = calls.at(-1);
      if (!call) throw new Error("Nothing was asked of the upstream.");
      return call;
    },
  };
}

async function play(
  response: ServerResponse,
  { type, steps }: MediaStream,
  wait: () => Promise<unknown>,
): Promise<void> {
  response.writeHead(200, { "content-type": type });
  for (const step of steps) {
    if (step === "break") return void response.destroy();
    if (step === "wait") await wait();
    else response.write(step);
  }
  response.end();
}

async function readCall(
  path: string,
  headers: MediaCall["headers"],
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Omit<MediaCall, "sent">> {
  const type = String(headers["content-type"]);
  if (!type.startsWith("multipart/")) {
    return { path, headers, files: [], body: asObject(JSON.parse(new TextDecoder().decode(bytes))) };
  }
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const files: File[] = [];
  const body: Record<string, unknown> = {};
  for (const [name, value] of form) {
    const field = typeof value === "string" ? value : value.name;
    if (typeof value !== "string") files.push(value);
    body[name] = name.endsWith("[]") ? [...(Array.isArray(body[name]) ? body[name] : []), field] : field;
  }
  return { path, headers, files, body };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

const HUGE_BYTES = 15 * 1024 * 1024;

function makeAnswer({ path, body }: MediaCall): Answer {
  const model = asString(body.model) ?? "";
  if (model === "failing") return json({ error: { message: "It broke.", type: "server_error" } }, 500);
  if (path.startsWith("/images/")) return json(makePictures(model, Number(body.n)));
  const segments = body.response_format === "verbose_json" ? { segments: SEGMENTS } : {};
  const usage = model === "silent" ? {} : { usage: USAGES[model] };
  return json({ text: "by that conference.", ...segments, ...usage });
}

const USAGES: Readonly<Record<string, object>> = {
  whisper: { type: "duration", seconds: 4 },
  scribe: {
    type: "tokens",
    input_tokens: 37,
    output_tokens: 144,
    total_tokens: 181,
    input_token_details: { text_tokens: 7, audio_tokens: 30 },
  },
};

function makePictures(model: string, count: number): object {
  const data = model === "huge" ? Buffer.alloc(HUGE_BYTES).toString("base64") : PICTURE;
  const pictures = Array.from({ length: count }, () => ({ b64_json: data }));
  return { created: 1, data: pictures, ...(model === "silent" ? {} : { usage: PICTURE_USAGE }) };
}

function json(body: object, status = 200): Answer {
  return { status, type: "application/json", body: JSON.stringify(body) };
}
