// Turns a request into the script of its connection; pure, since clock, seed and counters are passed in.
import { isObject } from "../core/json/json.ts";
import {
  type Control,
  INJECTED_FAULTS,
  type InjectedFault,
  parseControls,
  stripControls,
} from "./control.ts";
import { findProblem, injectFaults, MID_STREAM, type Step, splitInHalves } from "./fault-injection.ts";
import { readBearer, renderWait } from "./formats.ts";
import { type Problem, Rejection, reject } from "./problem.ts";
import { answerPrompt, countUsage } from "./responder.ts";
import {
  type ErrorAnswer,
  type Exchange,
  type Frame,
  type Incoming,
  RawContent,
  type SimDialect,
  type SimHooks,
  type WholeForm,
} from "./types.ts";

/** Everything that will happen on one connection. */
export interface Script {
  readonly latencyMs: number;
  /** Null if the script starts before the headers are sent. */
  readonly head: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | null;
  readonly steps: Iterable<Step>;
  /** True if the connection ends in a fault that isn't harmless. */
  readonly isFaulty: boolean;
}

interface ScriptContext {
  readonly nowMs: number;
  readonly seed: bigint;
  /** The target URL of redirects. */
  readonly trapUrl: string;
  /** Returns how often it was called before with the same argument. */
  countEarlier(what: string): number;
  readonly hooks: Pick<SimHooks, "validate" | "understand">;
}

/** A request with any body. `body` is undefined if it isn't JSON. */
export type RawRequest = Omit<Incoming, "body"> & { readonly bodyText: string; readonly body: unknown };

function writeSteps(data: string): readonly Step[] {
  return data === "" ? [] : [{ do: "write", data }];
}

function scriptError({ status, headers, body }: ErrorAnswer, latencyMs = 0): Script {
  return { latencyMs, head: { status, headers }, steps: writeSteps(body), isFaulty: true };
}

function checkKey(secret: string | undefined): string {
  if (secret === undefined) return reject("no_key", "You didn't provide an API key.");
  if (secret.startsWith("bad-key")) reject("bad_key", "Incorrect API key provided: bad-key.");
  if (secret.startsWith("no-credit"))
    reject("no_credit", "You exceeded your current quota, please check your plan and billing details.");
  return secret;
}

/** Reads the controls from the name, the header and the key. With `flaky`, only the first calls keep the fault. */
function readControl(
  model: string,
  headers: Incoming["headers"],
  secret: string,
  context: ScriptContext,
): Control {
  const header = headers["x-sim"] ?? "";
  const marked = header === "" || header.startsWith("~") ? header : `~${header}`;
  const control = parseControls(secret, parseControls(marked, parseControls(model)));
  if (control.flaky === 0) return control;
  const fails = context.countEarlier(`${secret} ${model}`) < control.flaky;
  return { ...control, fault: fails ? (control.fault ?? "503") : null };
}

function prepareExchange(
  incoming: Incoming,
  read: Pick<Exchange, "model" | "prompt" | "isStreamed" | "answers">,
  control: Control,
  hash: bigint,
  nowMs: number,
): Exchange {
  return {
    ...read,
    path: incoming.path,
    body: incoming.body,
    query: incoming.query,
    usage: control.fault === "no-usage" ? null : countUsage(read.prompt, read.answers, control),
    oddUsage: control.fault === "odd-usage",
    removes: control.removes,
    createdSeconds: Math.floor(nowMs / 1000),
    id: makeNaming(hash),
  };
}

function makeNaming(hash: bigint): Exchange["id"] {
  return (name, length) => {
    let letters = "";
    for (let at = 0; letters.length < length; at++)
      letters += Bun.hash.wyhash(`${name} ${at}`, hash).toString(36).padStart(12, "0").slice(-12);
    return letters.slice(0, length);
  };
}

const HTML = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>";
const JSON_TYPE = "application/json";
const EVENTS_TYPE = "text/event-stream; charset=utf-8";

function renderError(
  dialect: SimDialect,
  problem: Problem,
  isStreamed: boolean,
  query: URLSearchParams,
): ErrorAnswer {
  if (dialect.renderError) return dialect.renderError(problem, isStreamed, query);
  const headers = (dialect.renderErrorHeaders ?? renderWait)(problem);
  return {
    status: problem.status ?? dialect.status[problem.kind],
    headers: { "content-type": JSON_TYPE, ...headers },
    body: JSON.stringify(dialect.renderErrorBody(problem)),
  };
}

/** An answer with status 200, before any fault. */
interface CleanAnswer {
  readonly type: string;
  readonly frames: Iterable<Frame>;
  /** False if the answer isn't streamed, so that it can only break off in the middle. */
  readonly isStream: boolean;
  readonly encode?: ((text: string) => Uint8Array) | undefined;
}

/** The failure instead of an answer: the events that end a stream, and the body if there is no stream. */
interface ScriptedFailure {
  readonly ending: () => string;
  readonly body: () => string;
}

function makeWhole(type: string, body: string): CleanAnswer {
  return { type, frames: splitInHalves(body), isStream: false };
}

function answerChat(dialect: SimDialect, exchange: Exchange, fault: InjectedFault | null): CleanAnswer {
  if (!exchange.isStreamed || fault === "json-for-stream")
    return makeWhole(JSON_TYPE, JSON.stringify(dialect.renderReply(exchange)));
  const type = dialect.chooseStreamType?.(exchange.query) ?? EVENTS_TYPE;
  return { type, frames: dialect.renderFrames(exchange), isStream: true, encode: dialect.encodeStream };
}

function answerOther(answer: ReturnType<WholeForm["render"]>): CleanAnswer {
  if (!(answer instanceof RawContent)) return makeWhole(JSON_TYPE, JSON.stringify(answer));
  const { type, content } = answer;
  if (typeof content === "string") return makeWhole(type, content);
  const encode = isEvents(type) ? undefined : (text: string) => Buffer.from(text, "latin1");
  return { type, frames: content, isStream: true, encode };
}

function isEvents(type: string): boolean {
  return type.startsWith("text/event-stream");
}

function scriptAnswer(
  { type, frames, isStream, encode }: CleanAnswer,
  failure: ScriptedFailure,
  control: Control,
): Script {
  const { latencyMs, fault } = control;
  const isFaulty = fault !== null && INJECTED_FAULTS[fault].where !== "harmless";
  const script = (type: string, steps: Iterable<Step>): Script => {
    const headers = { "content-type": fault === "wrong-type" ? "text/plain" : type };
    return { latencyMs, head: { status: 200, headers }, steps, isFaulty };
  };
  if (fault === "error-200" || (fault === "error-mid" && !isStream))
    return script(isStream ? JSON_TYPE : type, writeSteps(failure.body()));
  const steps = injectFaults(frames, {
    control: isStream ? control : { ...control, after: 1, paceMs: 0 },
    events: isStream && isEvents(type),
    failure: failure.ending,
    encode,
  });
  return script(type, steps);
}

/** Returns the model's name as sent, or "" if there is none. */
export function readModel({ readModel: read }: SimDialect, incoming: Incoming): string {
  return read ? read(incoming) : String(incoming.body.model ?? "");
}

function scriptAccepted(dialect: SimDialect, raw: RawRequest, context: ScriptContext): Script {
  const secret = checkKey((dialect.readSecret ?? readBearer)(raw.headers));
  if (raw.method !== "POST") reject("not_found", `Invalid URL (${raw.method} ${raw.path})`);
  if (!/^(application\/json|multipart\/form-data)\b/i.test(raw.headers["content-type"] ?? ""))
    reject("media_type", "Content-Type must be 'application/json' or 'multipart/form-data'.");
  const body = isObject(raw.body)
    ? raw.body
    : reject("bad_json", "We could not parse the JSON body of your request.");
  const incoming: Incoming = { ...raw, body };
  const model = readModel(dialect, incoming);
  if (model.includes("#")) reject("not_found", `The model \`${model}\` does not exist.`);
  const control = readControl(model, raw.headers, secret, context);
  const base = stripControls(model);
  const { hooks } = context;
  hooks.validate?.(dialect.name, incoming, base);
  const hash = Bun.hash.wyhash(raw.bodyText, context.seed);
  const form = dialect.whole?.find(({ path }) => path.test(raw.path));
  if (form) {
    const faulty = scriptFault(dialect, raw, control, false, context.trapUrl);
    if (faulty) return faulty;
    const { tokens, fault } = control;
    const asked = { body, model: base, tokens: tokens[0] ?? null, hasUsage: fault !== "no-usage" };
    const said = answerOther(form.render({ ...asked, id: makeNaming(hash) }));
    const renderBody = () => renderError(dialect, MID_STREAM, said.isStream, new URLSearchParams()).body;
    return scriptAnswer(said, { ending: () => `data: ${renderBody()}\n\n`, body: renderBody }, control);
  }
  const prompt = dialect.readPrompt(body, base);
  const isStreamed = dialect.isStreamed?.(incoming) ?? body.stream === true;
  const faulty = scriptFault(dialect, raw, control, isStreamed, context.trapUrl);
  if (faulty) return faulty;
  const read = { model: base, prompt, isStreamed };
  const answers = answerPrompt(hooks.understand?.(prompt) ?? prompt, control);
  const exchange = prepareExchange(incoming, { ...read, answers }, control, hash, context.nowMs);
  const failedBody = dialect.renderFailedBody ?? dialect.renderErrorBody;
  const failure: ScriptedFailure = {
    ending: () => dialect.renderFailure(MID_STREAM, exchange),
    body: () => JSON.stringify(failedBody(MID_STREAM, exchange)),
  };
  return scriptAnswer(answerChat(dialect, exchange, control.fault), failure, control);
}

/** Returns the script of a fault that replaces the answer. Null for any other control. */
function scriptFault(
  dialect: SimDialect,
  { query }: RawRequest,
  control: Control,
  isStreamed: boolean,
  trapUrl: string,
): Script | null {
  const { fault, latencyMs } = control;
  const reply = (status: number, headers: Record<string, string>, body = "") =>
    scriptError({ status, headers, body }, latencyMs);
  switch (fault) {
    case "reset":
      return { latencyMs, head: null, steps: [{ do: "reset" }], isFaulty: true };
    case "silent":
      return { latencyMs, head: null, steps: [{ do: "hang" }], isFaulty: true };
    case "302":
    case "307":
      return reply(Number(fault), { location: trapUrl });
    case "502-html":
      return reply(502, { "content-type": "text/html" }, HTML);
    case "empty-200":
      return reply(200, { "content-type": JSON_TYPE });
    case "empty-stream": {
      const type = isStreamed ? (dialect.chooseStreamType?.(query) ?? "text/event-stream") : JSON_TYPE;
      return reply(200, { "content-type": type });
    }
    default: {
      const problem = findProblem(control);
      return problem && scriptError(renderError(dialect, problem, isStreamed, query), latencyMs);
    }
  }
}

/** Returns a request's script. Requests are checked before faults apply, so that no fault hides a malformed request. */
export function writeScript(dialect: SimDialect, raw: RawRequest, context: ScriptContext): Script {
  try {
    return scriptAccepted(dialect, raw, context);
  } catch (thrown) {
    if (thrown instanceof Rejection)
      return scriptError(renderError(dialect, thrown.problem, false, raw.query));
    throw thrown;
  }
}
