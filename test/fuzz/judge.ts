// The rules for every answer of the gateway, for any odd request and any broken provider.
import { asObject, isObject, parseJson } from "../../src/core/json/json.ts";
import type { Case } from "./case.ts";
import type { Answer, Played } from "./client.ts";
import { readStream, streamedProblems, wholeProblems } from "./completions.ts";

/** The statuses for which a provider may be to blame. */
const THEIR_FAULTS = new Set([
  "upstream_error",
  "upstream_auth",
  "upstream_timeout",
  "no_provider_available",
]);
/** The statuses of Bun's own parser, which answers without a body. */
const PARSER_STATUSES = new Set([400, 413, 431, 505]);
const ERROR_TYPES = new Set([
  "invalid_request_error",
  "insufficient_quota",
  "permission_error",
  "rate_limit_error",
  "api_error",
]);
const ERROR_FIELDS = "code,message,param,type";
const SHOWN = 300;
/** Stack traces, source files, and the gateway's provider keys. */
const NEVER_SHOWN = /\n\s+at |bunfs|node_modules|\.ts:\d|\bkey-\d+-\d\b/;
/** Longer messages are large on purpose. */
const LOOKED_AT = 100_000;

/** Each broken rule, in a sentence. */
export function findProblems(one: Case, { answers, isRefused, isLate }: Played): readonly string[] {
  if (isRefused) return ["the gateway could not be reached"];
  if (isLate) return ["the answer had no end within 30 s"];
  if (one.kind === "raw")
    return answers.filter(({ status }) => status !== 0).flatMap((answer) => answerProblems(one, answer));
  const judge = one.kind === "upload" ? judgeShape : one.form === "google" ? googleProblems : answerProblems;
  if (one.leavesAfterMs !== null)
    return answers.filter(({ isWhole }) => isWhole).flatMap((answer) => judge(one, answer));
  const [answer] = answers;
  if (answers.length !== 1 || !answer) return [`there were ${answers.length} answers to one request`];
  if (one.kind === "shape" || one.kind === "upload") return shapeProblems(answer);
  if (!answer.isWhole) return [`the answer broke off: ${answer.status} ${answer.body.slice(-SHOWN)}`];
  return judge(one, answer);
}

const judgeShape = (_: Case, answer: Answer) => shapeProblems(answer);

/** The answers of Google's routes, whose errors have Google's fields beside the code of the table of faults. */
function googleProblems(one: Case, answer: Answer): readonly string[] {
  const { status, body } = answer;
  const found = [...shapeProblems(answer)];
  if (status < 400) return found;
  const error = asObject(asObject(parseJson(body)).error);
  const isGoogles =
    error.code === status &&
    [error.message, error.status, error.reason].every((field) => typeof field === "string" && field !== "") &&
    (error.param === undefined || typeof error.param === "string");
  if (!isGoogles) found.push(`${status}: not Google's error form: ${body.slice(0, SHOWN)}`);
  return status >= 500 ? [...found, ...serverProblems(one, status, String(error.reason))] : found;
}

/** Each API has its own form of answers and errors, but none of them may be our failure. */
function shapeProblems({ status, body, headers, isWhole }: Answer): readonly string[] {
  // Sound has no room for an error: a failure breaks the connection.
  const isSound = /^audio\//.test(headers.get("content-type") ?? "");
  if (!isWhole && !isSound) return [`the answer broke off: ${status} ${body.slice(-SHOWN)}`];
  const found: string[] = [];
  if (status === 500 || body.slice(0, LOOKED_AT).includes("internal_error")) found.push("our failure");
  if (status === 0 || status === 503) found.push("no answer");
  if (status >= 400 && NEVER_SHOWN.test(body.slice(0, LOOKED_AT))) found.push("words that nobody may see");
  const isJson = headers.get("content-type") === "application/json";
  if (isJson && body !== "" && parseJson(body) === undefined) found.push("broken JSON");
  return found.map((problem) => `${status}: ${problem}: ${body.slice(0, SHOWN)}`);
}

function answerProblems(one: Case, answer: Answer): readonly string[] {
  const { status, body, headers } = answer;
  const type = headers.get("content-type") ?? "";
  if (one.kind === "raw" && !answer.isWhole) return status >= 500 ? serverProblems(one, status, "") : [];
  if (type.startsWith("text/event-stream")) return streamProblems(one, body);
  if (status < 400) {
    if (type !== "application/json" || body === "") return [];
    const parsed = parseJson(body);
    if (parsed === undefined) return [`${status} whose JSON is broken: ${body.slice(0, SHOWN)}`];
    return wholeProblems(asObject(parsed), one.choicesMax);
  }
  if (one.kind === "raw" && body === "")
    return PARSER_STATUSES.has(status) || headers.has("x-request-id") ? [] : [`${status} without a body`];
  const error = asObject(parseJson(body)).error;
  const found = errorProblems(error).map((problem) => `${status}: ${problem}: ${body.slice(0, SHOWN)}`);
  if (type !== "application/json") found.push(`${status} of the type ${type}`);
  return status >= 500 ? [...found, ...serverProblems(one, status, String(asObject(error).code))] : found;
}

function serverProblems(one: Case, status: number, code: string): readonly string[] {
  if (one.kind === "answer" && THEIR_FAULTS.has(code)) return [];
  if (one.isHurried && status === 504 && code === "upstream_timeout") return [];
  // Large parallel bodies are refused by design.
  if (code === "overloaded") return [];
  return [`${status} ${code}`];
}

function errorProblems(error: unknown): string[] {
  if (!isObject(error)) return ["no error object"];
  const { reset_at: _resetAt, limit: _limit, ...rest } = error;
  const found: string[] = [];
  if (Object.keys(rest).sort().join() !== ERROR_FIELDS) found.push("other fields than the error form's");
  if (typeof error.message !== "string" || error.message === "") found.push("no message");
  if (!ERROR_TYPES.has(String(error.type))) found.push("an unknown type");
  if (NEVER_SHOWN.test(String(error.message).slice(0, LOOKED_AT))) found.push("words that nobody may see");
  for (const one of [error.param, error.code])
    if (one !== null && typeof one !== "string") found.push("param or code is no string");
  return found;
}

/** Chunks of a completion, then exactly one end: the mark or an error. */
function streamProblems(one: Case, body: string): readonly string[] {
  const stream = readStream(body);
  if (typeof stream === "string") return [`${stream}; it ends in ${body.slice(-SHOWN)}`];
  const { error } = stream;
  if (error === null) return streamedProblems(stream, one.choicesMax);
  const shown = JSON.stringify(error).slice(0, SHOWN);
  const found = errorProblems(error).map((problem) => `error event: ${problem}: ${shown}`);
  return error.type === "api_error" ? [...found, ...serverProblems(one, 504, String(error.code))] : found;
}
