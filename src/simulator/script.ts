// Turns one request into the script of its connection. Pure: clock, seed and counters are handed in.
import { isObject } from "../core/json.ts";
import {
  type Control,
  INJECTED_FAULTS,
  type InjectedFault,
  parseControls,
  stripControls,
} from "./control.ts";
import { findProblem, injectFaults, MID_STREAM, type Step, splitInHalves } from "./fault-injection.ts";
import { Rejection, reject } from "./problem.ts";
import { answerPrompt, countUsage } from "./responder.ts";
import {
  type ErrorAnswer,
  type Exchange,
  type Incoming,
  type SimDialect,
  type SimHooks,
  WholeDocument,
  type WholeForm,
  WholeStream,
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

export interface ScriptContext {
  readonly nowMs: number;
  readonly seed: bigint;
  /** The target of redirects. */
  readonly trapUrl: string;
  /** Returns the number of earlier calls with the same argument. */
  timesBefore(what: string): number;
  readonly validate: SimHooks["validate"];
}

/** A request with any body; `body` is undefined if it isn't JSON. */
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

/** Reads the controls of the name, the header and the key. With `flaky`, the fault remains only for the first calls. */
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
  const fails = context.timesBefore(`${secret} ${model}`) < control.flaky;
  return { ...control, fault: fails ? (control.fault ?? "503") : null };
}

function prepareExchange(
  incoming: Incoming,
  read: Pick<Exchange, "model" | "prompt" | "isStreamed">,
  control: Control,
  hash: bigint,
  nowMs: number,
): Exchange {
  const answers = answerPrompt(read.prompt, control);
  return {
    ...read,
    body: incoming.body,
    query: incoming.query,
    answers,
    usage: control.fault === "no-usage" ? null : countUsage(read.prompt, answers, control),
    oddUsage: control.fault === "odd-usage",
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
const JSON_TYPE = { "content-type": "application/json" };

/** Returns the script of a fault that is the same in every dialect, or null for any other fault. */
function scriptPlainFault(
  fault: InjectedFault | null,
  streamType: string | null,
  trapUrl: string,
): Omit<Script, "latencyMs"> | null {
  const isFaulty = true;
  const type = { "content-type": streamType ?? "application/json" };
  switch (fault) {
    case "reset":
      return { head: null, steps: [{ do: "reset" }], isFaulty };
    case "silent":
      return { head: null, steps: [{ do: "hang" }], isFaulty };
    case "302":
    case "307":
      return { head: { status: Number(fault), headers: { location: trapUrl } }, steps: [], isFaulty };
    case "502-html":
      return {
        head: { status: 502, headers: { "content-type": "text/html" } },
        steps: writeSteps(HTML),
        isFaulty,
      };
    case "empty-200":
      return { head: { status: 200, headers: JSON_TYPE }, steps: [], isFaulty };
    case "empty-stream":
      return { head: { status: 200, headers: type }, steps: [], isFaulty };
    default:
      return null;
  }
}

function scriptAnswer(dialect: SimDialect, exchange: Exchange, control: Control): Script {
  const { latencyMs, fault } = control;
  const { isStreamed } = exchange;
  const isFaulty = fault !== null && INJECTED_FAULTS[fault].where !== "harmless";
  const failed = fault === "error-200" || (fault === "error-mid" && !isStreamed);
  const head = (type: string) => ({
    status: 200,
    headers: { "content-type": fault === "wrong-type" ? "text/plain" : type },
  });
  const failure = () => dialect.renderFailure(MID_STREAM, exchange);
  if (failed)
    return {
      latencyMs,
      head: head("application/json"),
      steps: writeSteps(dialect.renderFailedBody(MID_STREAM, exchange)),
      isFaulty,
    };
  if (isStreamed && fault !== "json-for-stream") {
    const type = dialect.chooseStreamType?.(exchange.query) ?? "text/event-stream; charset=utf-8";
    const steps = injectFaults(dialect.renderFrames(exchange), {
      control,
      events: type.startsWith("text/event-stream"),
      failure,
      ...(dialect.encodeStream ? { encode: dialect.encodeStream } : {}),
    });
    return { latencyMs, head: head(type), steps, isFaulty };
  }
  const body = JSON.stringify(dialect.renderReply(exchange));
  const steps = injectFaults(splitInHalves(body), {
    control: { ...control, after: 1, paceMs: 0 },
    events: false,
    failure,
  });
  return { latencyMs, head: head("application/json"), steps, isFaulty };
}

function scriptWholeStream(
  dialect: SimDialect,
  { type, frames, isEvents }: WholeStream,
  control: Control,
): Script {
  const { latencyMs, fault } = control;
  const isFaulty = fault !== null && INJECTED_FAULTS[fault].where !== "harmless";
  const { body } = dialect.renderError(MID_STREAM, true, new URLSearchParams());
  const steps = injectFaults(frames, {
    control,
    events: isEvents,
    failure: () => `data: ${body}\n\n`,
    ...(isEvents ? {} : { encode: (text: string) => Buffer.from(text, "latin1") }),
  });
  const head = { status: 200, headers: { "content-type": fault === "wrong-type" ? "text/plain" : type } };
  return { latencyMs, head, steps, isFaulty };
}

/** An answer beyond chat that comes whole can only break off in the middle. */
function scriptWhole(dialect: SimDialect, answer: ReturnType<WholeForm["render"]>, control: Control): Script {
  const { latencyMs, fault } = control;
  if (answer instanceof WholeStream && fault !== "error-200")
    return scriptWholeStream(dialect, answer, control);
  const isFaulty = fault !== null && INJECTED_FAULTS[fault].where !== "harmless";
  const failure = () => dialect.renderError(MID_STREAM, false, new URLSearchParams()).body;
  const isFailed = fault === "error-200" || fault === "error-mid";
  const isDocument = answer instanceof WholeDocument;
  const type = isDocument ? answer.type : "application/json";
  const body = isDocument ? answer.content : JSON.stringify(answer);
  const cut = typeof body === "string" ? body : Buffer.from(body).toString("latin1");
  const steps = isFailed
    ? writeSteps(failure())
    : injectFaults(splitInHalves(cut), {
        control: { ...control, after: 1, paceMs: 0 },
        events: false,
        failure,
        ...(typeof body === "string" ? {} : { encode: (text: string) => Buffer.from(text, "latin1") }),
      });
  const head = {
    status: 200,
    headers: { "content-type": fault === "wrong-type" ? "text/plain" : type },
  };
  return { latencyMs, head, steps, isFaulty };
}

function scriptAccepted(dialect: SimDialect, raw: RawRequest, context: ScriptContext): Script {
  const secret = checkKey(dialect.readSecret(raw.headers));
  if (raw.method !== "POST") reject("not_found", `Invalid URL (${raw.method} ${raw.path})`);
  if (!/^(application\/json|multipart\/form-data)\b/i.test(raw.headers["content-type"] ?? ""))
    reject("media_type", "Content-Type must be 'application/json' or 'multipart/form-data'.");
  const body = isObject(raw.body)
    ? raw.body
    : reject("bad_json", "We could not parse the JSON body of your request.");
  const incoming: Incoming = { ...raw, body };
  const model = dialect.readModel(incoming);
  if (model.includes("#")) reject("not_found", `The model \`${model}\` does not exist.`);
  const control = readControl(model, raw.headers, secret, context);
  const base = stripControls(model);
  context.validate?.(dialect.name, incoming, base);
  const hash = Bun.hash.wyhash(raw.bodyText, context.seed);
  const form = dialect.whole?.find(({ path }) => path.test(raw.path));
  if (form) {
    const answer = () => {
      const { tokens, fault } = control;
      const asked = { body, model: base, tokens: tokens[0] ?? null, hasUsage: fault !== "no-usage" };
      return scriptWhole(dialect, form.render({ ...asked, id: makeNaming(hash) }), control);
    };
    return scriptFault(dialect, raw, control, false, context.trapUrl) ?? answer();
  }
  const prompt = dialect.readPrompt(body, base);
  const isStreamed = dialect.isStreamed?.(incoming) ?? body.stream === true;
  const faulty = scriptFault(dialect, raw, control, isStreamed, context.trapUrl);
  if (faulty) return faulty;
  const read = { model: base, prompt, isStreamed };
  return scriptAnswer(dialect, prepareExchange(incoming, read, control, hash, context.nowMs), control);
}

/** Returns the script of a fault that comes in place of an answer, or null for any other control. */
function scriptFault(
  dialect: SimDialect,
  { query }: RawRequest,
  control: Control,
  isStreamed: boolean,
  trapUrl: string,
): Script | null {
  const { latencyMs, fault } = control;
  const streamType = isStreamed ? (dialect.chooseStreamType?.(query) ?? "text/event-stream") : null;
  const plain = scriptPlainFault(fault, streamType, trapUrl);
  if (plain) return { latencyMs, ...plain };
  const problem = findProblem(control);
  return problem && scriptError(dialect.renderError(problem, isStreamed, query), latencyMs);
}

/** Returns the script of a request. Refusals come before faults, so that no fault hides a malformed request. */
export function writeScript(dialect: SimDialect, raw: RawRequest, context: ScriptContext): Script {
  try {
    return scriptAccepted(dialect, raw, context);
  } catch (thrown) {
    if (thrown instanceof Rejection)
      return scriptError(dialect.renderError(thrown.problem, false, raw.query));
    throw thrown;
  }
}
