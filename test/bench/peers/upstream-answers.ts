// The answers of the benchmarks' provider: built once per kind, or frame by frame if each carries its time of sending.

/** The form of an answer, read from the beginning of the prompt: `~latency=20~chunks=50~pace=10;`. */
interface Manner {
  /** Refuses the request. */
  readonly fails: boolean;
  /** Closes the connection after some pieces. */
  readonly cuts: boolean;
  readonly latencyMs: number;
  readonly chunks: number;
  /** The time between two chunks of a stream. 0 to send all in one write. */
  readonly paceMs: number;
}

type Speech = "openai" | "anthropic";

interface Answer {
  readonly manner: Manner;
  readonly speech: Speech;
  /** Null for an answer in frames. */
  readonly whole: Buffer | null;
  readonly asksUsage: boolean;
}

const MANNER = Buffer.from('"~');
const STREAM = Buffer.from('"stream":true');
const USAGE = Buffer.from('"include_usage":true');
/** Fields may follow ten megabytes of image. Only both ends are searched for them. */
const SEARCHED_BYTES = 4096;
const manners = new Map<string, Manner>();

function mannerOf(words: string): Manner {
  const known = manners.get(words);
  if (known) return known;
  const number = (name: string, otherwise: number) =>
    Number(new RegExp(`~${name}=([\\d.]+)`).exec(words)?.[1] ?? otherwise);
  const fails = words.includes("~fail");
  const cuts = words.includes("~cut");
  const manner = {
    fails,
    cuts,
    latencyMs: number("latency", 0),
    chunks: number("chunks", 20),
    paceMs: number("pace", 0),
  };
  manners.set(words, manner);
  return manner;
}

function found(request: Buffer, word: Buffer): boolean {
  const tail = request.subarray(Math.max(0, request.length - SEARCHED_BYTES));
  return request.subarray(0, SEARCHED_BYTES).includes(word) || tail.includes(word);
}

/** Answers a request from the bytes of its head and body. */
export function composeAnswer(request: Buffer): Answer {
  const speech: Speech = request.subarray(0, 64).includes("/messages ") ? "anthropic" : "openai";
  const at = request.indexOf(MANNER);
  const manner = mannerOf(at === -1 ? "" : request.toString("latin1", at + 1, request.indexOf(";", at)));
  if (manner.fails) return { manner, speech, whole: FAILURE, asksUsage: false };
  const whole = found(request, STREAM) ? null : wholeAnswer(speech, request.length);
  return { manner, speech, whole, asksUsage: found(request, USAGE) };
}

const REFUSAL = '{"error":{"message":"Not this one.","type":"invalid_request_error"}}';
const FAILURE = Buffer.from(
  `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${REFUSAL.length}\r\n\r\n${REFUSAL}`,
);

function response(body: string): Buffer {
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const TEXT =
  "The committee met on Thursday to discuss the proposal and adopted it by a narrow margin. ".repeat(6);

/** States the number of bytes received, so that the client can verify that none were lost. */
function wholeAnswer(speech: Speech, received: number): Buffer {
  const text = `received ${received} bytes. ${TEXT}`;
  const usage = { prompt_tokens: 200, completion_tokens: 110, total_tokens: 310 };
  if (speech === "openai") {
    const message = { role: "assistant", content: text, refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
    const head = { id: "chatcmpl-bench", object: "chat.completion", created: 1_767_225_600, model: "m" };
    return response(JSON.stringify({ ...head, choices, usage }));
  }
  const content = [{ type: "text", text }];
  const head = { id: "msg_bench", type: "message", role: "assistant", model: "m" };
  const counted = { input_tokens: 200, output_tokens: 110 };
  return response(
    JSON.stringify({ ...head, content, stop_reason: "end_turn", stop_sequence: null, usage: counted }),
  );
}

const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n";
const STREAM_END = "0\r\n\r\n";

function chunked(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

const CHUNK_HEAD = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1767225600,"model":"m","service_tier":"default","system_fingerprint":null,"choices":[`;

function openaiFrame(delta: string, finish: string): string {
  return chunked(`${CHUNK_HEAD}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]}\n\n`);
}

function anthropicFrame(type: string, rest: string): string {
  return chunked(`event: ${type}\ndata: {"type":"${type}",${rest}}\n\n`);
}

function firstFrames(speech: Speech): string {
  if (speech === "openai") return openaiFrame('{"role":"assistant","content":"","refusal":null}', "null");
  const message =
    '"message":{"id":"msg_bench","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":200,"output_tokens":1}}';
  const begun = '"index":0,"content_block":{"type":"text","text":""}';
  return anthropicFrame("message_start", message) + anthropicFrame("content_block_start", begun);
}

/** The n-th piece: its number, its time of sending if requested, and padding to the length of a usual token. */
function pieceFrame(speech: Speech, number: number, stamp: string): string {
  const text = `${number}${stamp} token`;
  if (speech === "openai") return openaiFrame(`{"content":"${text}"}`, "null");
  return anthropicFrame("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"${text}"}`);
}

function lastFrames(speech: Speech, asksUsage: boolean): string {
  if (speech === "anthropic") {
    const delta = '"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":110}';
    return (
      anthropicFrame("content_block_stop", '"index":0') +
      anthropicFrame("message_delta", delta) +
      chunked('event: message_stop\ndata: {"type":"message_stop"}\n\n') +
      STREAM_END
    );
  }
  const usage = `${CHUNK_HEAD}],"usage":{"prompt_tokens":200,"completion_tokens":110,"total_tokens":310}}\n\n`;
  return `${openaiFrame("{}", '"stop"')}${asksUsage ? chunked(usage) : ""}${chunked("data: [DONE]\n\n")}${STREAM_END}`;
}

const bursts = new Map<string, Buffer>();

function burst(speech: Speech, chunks: number, asksUsage: boolean): Buffer {
  const name = `${speech} ${chunks} ${asksUsage}`;
  const made = bursts.get(name);
  if (made) return made;
  let text = STREAM_HEAD + firstFrames(speech);
  for (let number = 0; number < chunks; number++) text += pieceFrame(speech, number, "");
  const bytes = Buffer.from(text + lastFrames(speech, asksUsage));
  bursts.set(name, bytes);
  return bytes;
}

/** The connection on which an answer is sent. */
interface Stage {
  readonly nowMs: () => number;
  readonly at: (ms: number, run: () => void) => void;
  readonly send: (bytes: Buffer) => void;
  readonly end: () => void;
  /** Closes the connection. */
  readonly close: () => void;
}

export interface Playing {
  /** Set when the client has disconnected. */
  ended: boolean;
}

export function play({ manner, speech, whole, asksUsage }: Answer, stage: Stage): Playing {
  const playing: Playing = { ended: false };
  const finish = (bytes: Buffer) => {
    if (playing.ended) return;
    playing.ended = true;
    stage.end();
    stage.send(bytes);
  };
  const begin = () => {
    if (whole !== null) return finish(whole);
    if (manner.paceMs === 0) return finish(burst(speech, manner.chunks, asksUsage));
    paced({ manner, speech, asksUsage, playing, finish }, stage);
  };
  if (manner.latencyMs > 0) stage.at(stage.nowMs() + manner.latencyMs, begin);
  else begin();
  return playing;
}

interface Paced extends Omit<Answer, "whole"> {
  readonly playing: Playing;
  readonly finish: (bytes: Buffer) => void;
}

const CUT_AFTER = 3;

/** One write per piece, stamped with the time, from which the receiver computes the delay. */
function paced({ manner, speech, asksUsage, playing, finish }: Paced, stage: Stage): void {
  const startedMs = stage.nowMs();
  let number = 0;
  const next = () => {
    if (playing.ended) return;
    const stamp = `@${(performance.timeOrigin + performance.now()).toFixed(3)}`;
    const text = (number === 0 ? STREAM_HEAD + firstFrames(speech) : "") + pieceFrame(speech, number, stamp);
    number++;
    if (manner.cuts && number === CUT_AFTER) {
      stage.send(Buffer.from(text));
      return stage.close();
    }
    if (number === manner.chunks) return finish(Buffer.from(text + lastFrames(speech, asksUsage)));
    stage.send(Buffer.from(text));
    stage.at(startedMs + number * manner.paceMs, next);
  };
  next();
}
