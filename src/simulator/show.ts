// From one request to everything that will happen on its connection: pure, with the counters handed in.
import { isObject } from "../core/json.ts";
import { answersTo, usageOf } from "./brain.ts";
import { baseName, type Control, controlIn, TROUBLES, type Trouble } from "./control.ts";
import type { ErrorAnswer, Incoming, Reading, Script, SimDialect, SimHooks } from "./scene.ts";
import { Rejection, reject } from "./strict.ts";
import { halves, MID_STREAM, problemOf, type Step, stepsOf } from "./trouble.ts";

/** What the connection will see. */
export interface Show {
  readonly latencyMs: number;
  /** null: the steps begin before any header. */
  readonly head: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | null;
  readonly steps: Iterable<Step>;
  /** It ends otherwise than a sound answer does. */
  readonly troubled: boolean;
}

export interface Backstage {
  readonly nowMs: number;
  readonly seed: bigint;
  /** Where redirects lead. */
  readonly trapUrl: string;
  /** How often this was asked before. */
  timesBefore(what: string): number;
  readonly validate: SimHooks["validate"];
}

/** A request whose body may be anything: `body` is undefined where it isn't JSON. */
export type RawRequest = Omit<Incoming, "body"> & { readonly bodyText: string; readonly body: unknown };

function write(data: string): readonly Step[] {
  return data === "" ? [] : [{ do: "write", data }];
}

function errorShow({ status, headers, body }: ErrorAnswer, latencyMs = 0): Show {
  return { latencyMs, head: { status, headers }, steps: write(body), troubled: true };
}

function checkKey(secret: string | undefined): string {
  if (secret === undefined) return reject("no_key", "You didn't provide an API key.");
  if (secret.startsWith("bad-key")) reject("bad_key", "Incorrect API key provided: bad-key.");
  if (secret.startsWith("no-credit"))
    reject("no_credit", "You exceeded your current quota, please check your plan and billing details.");
  return secret;
}

/** The controls of the name, the header and the key, and with `flaky` whether this call is one of those that fail. */
function controlOf(
  model: string,
  headers: Incoming["headers"],
  secret: string,
  backstage: Backstage,
): Control {
  const header = headers["x-sim"] ?? "";
  const marked = header === "" || header.startsWith("~") ? header : `~${header}`;
  const control = controlIn(secret, controlIn(marked, controlIn(model)));
  if (control.flaky === 0) return control;
  const fails = backstage.timesBefore(`${secret} ${model}`) < control.flaky;
  return { ...control, trouble: fails ? (control.trouble ?? "503") : null };
}

function scriptOf(
  incoming: Incoming,
  model: string,
  reading: Reading,
  control: Control,
  hash: bigint,
  nowMs: number,
): Script {
  const answers = answersTo(reading.prompt, control);
  return {
    reading,
    body: incoming.body,
    query: incoming.query,
    model,
    answers,
    usage: control.trouble === "no-usage" ? null : usageOf(reading.prompt, answers, control),
    oddUsage: control.trouble === "odd-usage",
    createdSeconds: Math.floor(nowMs / 1000),
    id: (name, length) => {
      let letters = "";
      for (let at = 0; letters.length < length; at++)
        letters += Bun.hash.wyhash(`${name} ${at}`, hash).toString(36).padStart(12, "0").slice(-12);
      return letters.slice(0, length);
    },
  };
}

const HTML = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>";
const JSON_TYPE = { "content-type": "application/json" };

/** Troubles that have nothing of the dialect in them. */
function plainTrouble(
  trouble: Trouble | null,
  streamType: string | null,
  trapUrl: string,
): Omit<Show, "latencyMs"> | null {
  const troubled = true;
  const type = { "content-type": streamType ?? "application/json" };
  switch (trouble) {
    case "reset":
      return { head: null, steps: [{ do: "reset" }], troubled };
    case "silent":
      return { head: null, steps: [{ do: "hang" }], troubled };
    case "302":
    case "307":
      return { head: { status: Number(trouble), headers: { location: trapUrl } }, steps: [], troubled };
    case "502-html":
      return {
        head: { status: 502, headers: { "content-type": "text/html" } },
        steps: write(HTML),
        troubled,
      };
    case "empty-200":
      return { head: { status: 200, headers: JSON_TYPE }, steps: [], troubled };
    case "empty-stream":
      return { head: { status: 200, headers: type }, steps: [], troubled };
    default:
      return null;
  }
}

function answerShow(dialect: SimDialect, script: Script, control: Control): Show {
  const { latencyMs, trouble } = control;
  const { streamed } = script.reading;
  const troubled = trouble !== null && TROUBLES[trouble].where !== "harmless";
  const failed = trouble === "error-200" || (trouble === "error-mid" && !streamed);
  const head = (type: string) => ({
    status: 200,
    headers: { "content-type": trouble === "wrong-type" ? "text/plain" : type },
  });
  const failure = () => dialect.failure(MID_STREAM, script);
  if (failed)
    return {
      latencyMs,
      head: head("application/json"),
      steps: write(dialect.failedBody(MID_STREAM, script)),
      troubled,
    };
  if (streamed && trouble !== "json-for-stream") {
    const type = dialect.streamType?.(script.query) ?? "text/event-stream; charset=utf-8";
    const steps = stepsOf(dialect.frames(script), {
      control,
      events: type.startsWith("text/event-stream"),
      failure,
    });
    return { latencyMs, head: head(type), steps, troubled };
  }
  const body = JSON.stringify(dialect.whole(script));
  const steps = stepsOf(halves(body), {
    control: { ...control, after: 1, paceMs: 0 },
    events: false,
    failure,
  });
  return { latencyMs, head: head("application/json"), steps, troubled };
}

function accepted(dialect: SimDialect, raw: RawRequest, backstage: Backstage): Show {
  const secret = checkKey(dialect.secretOf(raw.headers));
  if (raw.method !== "POST") reject("not_found", `Invalid URL (${raw.method} ${raw.path})`);
  if (!/^application\/json\b/i.test(raw.headers["content-type"] ?? ""))
    reject("media_type", "Content-Type must be 'application/json'.");
  const body = isObject(raw.body)
    ? raw.body
    : reject("bad_json", "We could not parse the JSON body of your request.");
  const incoming: Incoming = { ...raw, body };
  const model = dialect.modelOf(incoming);
  if (model.includes("#")) reject("not_found", `The model \`${model}\` does not exist.`);
  const control = controlOf(model, raw.headers, secret, backstage);
  const base = baseName(model);
  backstage.validate?.(dialect.name, incoming, base);
  const reading = dialect.read(incoming, base);
  const streamType = reading.streamed ? (dialect.streamType?.(raw.query) ?? "text/event-stream") : null;
  const plain = plainTrouble(control.trouble, streamType, backstage.trapUrl);
  if (plain) return { latencyMs: control.latencyMs, ...plain };
  const problem = problemOf(control);
  if (problem) return errorShow(dialect.error(problem, reading.streamed, raw.query), control.latencyMs);
  const hash = Bun.hash.wyhash(raw.bodyText, backstage.seed);
  return answerShow(dialect, scriptOf(incoming, base, reading, control, hash, backstage.nowMs), control);
}

/** What happens to a request of a dialect. Refusals come before troubles: a malformed request is never hidden by one. */
export function showFor(dialect: SimDialect, raw: RawRequest, backstage: Backstage): Show {
  try {
    return accepted(dialect, raw, backstage);
  } catch (thrown) {
    if (thrown instanceof Rejection) return errorShow(dialect.error(thrown.problem, false, raw.query));
    throw thrown;
  }
}
