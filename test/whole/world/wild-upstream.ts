// An upstream whose answers are legal HTTP but far too large. The model's name selects the way.
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { readText, serveHttp, type TestServer } from "./serve.ts";

const MEGABYTE = 1024 * 1024;
const STOP = '"finish_reason":"stop"';

/** A raw whole answer. `choices` and the rest are JSON text, for numbers that no encoder writes. */
function whole(choices: string, rest = ""): string {
  return `{"object":"chat.completion","choices":[${choices}]${rest}}`;
}

function choice(index: number, more = ""): string {
  return `{"index":${index},"message":{"role":"assistant","content":"good day"},${STOP}${more}}`;
}

function event(choices: string, rest = ""): string {
  return `data: {"object":"chat.completion.chunk","choices":[${choices}]${rest}}\n\n`;
}

function piece(index: number, more = ""): string {
  return `{"index":${index},"delta":{"content":"good day"},"finish_reason":null${more}}`;
}

function finish(index: number): string {
  return `{"index":${index},"delta":{},${STOP}}`;
}

const END = "data: [DONE]\n\n";
const streamed = (text: string, rest = "") => `${text}${event(finish(0), rest)}${END}`;

function listed(count: number, item: string): string {
  return `[${Array.from({ length: count }, () => item).join()}]`;
}

function counted(upTo: number, made: (index: number) => string): string {
  return Array.from({ length: upTo }, (_, index) => made(index)).join();
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

interface Answer {
  readonly whole: string;
  readonly stream: string;
}

/** An answer with one odd field beside its text. */
function withField(json: string): Answer {
  const field = `,"odd":${json}`;
  return { whole: whole(choice(0, field)), stream: streamed(event(piece(0, field))) };
}

function withUsage(json: string): Answer {
  const field = `,"usage":${json}`;
  return { whole: whole(choice(0), field), stream: streamed(event(piece(0)), field) };
}

const padding = (bytes: number) => `{"text":"${"x".repeat(bytes)}"}`;

const MADE: Readonly<Record<string, () => Answer>> = {
  "two-choices": () => ({
    whole: whole(counted(2, choice)),
    stream: event(counted(2, piece)) + event(counted(2, finish)) + END,
  }),
  "second-index": () => ({
    whole: whole(choice(1)),
    stream: event(piece(0)) + event(piece(1)) + event(finish(0)) + event(finish(1)) + END,
  }),
  "many-choices": () => ({
    whole: whole(counted(100_000, choice)),
    stream: event(counted(100_000, piece)) + END,
  }),
  "many-elements": () => withField(listed(1_000_000, "[]")),
  "many-fields": () => withField(`{${counted(200_000, (index) => `"k${index}":0`)}}`),
  deep: () => withField(nested(200_000)),
  likely: () => {
    const token = '{"token":"a","logprob":-1,"bytes":[97]}';
    const tokens = `{"token":"a","logprob":-1,"bytes":[97],"top_logprobs":${listed(20, token)}}`;
    const field = `,"logprobs":{"content":${listed(1000, tokens)},"refusal":null}`;
    return { whole: whole(choice(0, field)), stream: streamed(event(piece(0, field))) };
  },
  "15-megabytes": () => withField(padding(15 * MEGABYTE)),
  "17-megabytes": () => withField(padding(17 * MEGABYTE)),
  "blank-lines": () => ({
    whole: whole(choice(0)),
    stream: streamed("\n".repeat(4 * MEGABYTE) + event(piece(0))),
  }),
  "blank-events": () => ({
    whole: whole(choice(0)),
    stream: streamed("data:\n\n".repeat(MEGABYTE) + event(piece(0))),
  }),
  "blank-data": () => ({
    whole: whole(choice(0)),
    stream: streamed(`${"data:\n".repeat(MEGABYTE)}\n${event(piece(0))}`),
  }),
};

/**
 * Starts the server, which speaks the OpenAI dialect. Its models are those of the table above, and `usage` and `error`,
 * for which the user's words are the JSON.
 */
export async function startWildUpstream(): Promise<TestServer> {
  return serveHttp(async (request, response) => {
    const { model, stream, messages } = asObject(parseJson(await readText(request)));
    const said = String(asObject(asArray(messages)[0]).content);
    if (model === "error") {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(`{"error":${said}}`);
      return;
    }
    const answer = model === "usage" ? withUsage(said) : MADE[String(model)]?.();
    response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
    response.end(stream ? answer?.stream : answer?.whole);
  });
}
