// The rules that hold for every answer of the gateway, however odd the request and however broken the provider.
import { isObject, objectOf, parseJson } from "../../src/core/json.ts";
import type { Case } from "./case.ts";
import type { Answer, Played } from "./client.ts";

/** The statuses that a provider may be to blame for. */
const THEIR_FAULTS = new Set([
  "upstream_error",
  "upstream_auth",
  "upstream_timeout",
  "no_provider_available",
]);
/** Of Bun's own parser, which answers without a body. */
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

/** Each broken rule, in a sentence. */
export function problemsOf(one: Case, { answers, isRefused, isLate }: Played): readonly string[] {
  if (isRefused) return ["the gateway could not be reached"];
  if (isLate) return ["the answer had no end within 30 s"];
  if (one.kind === "raw")
    return answers.filter(({ status }) => status !== 0).flatMap((answer) => answerProblems(one, answer));
  if (one.leavesAfterMs !== null)
    return answers.filter(({ isWhole }) => isWhole).flatMap((answer) => answerProblems(one, answer));
  const [answer] = answers;
  if (answers.length !== 1 || !answer) return [`there were ${answers.length} answers to one request`];
  if (!answer.isWhole) return [`the answer broke off: ${answer.status} ${answer.body.slice(-SHOWN)}`];
  return answerProblems(one, answer);
}

function answerProblems(one: Case, answer: Answer): readonly string[] {
  const { status, body, headers } = answer;
  const type = headers.get("content-type") ?? "";
  if (one.kind === "raw" && !answer.isWhole) return status >= 500 ? serverProblems(one, status, "") : [];
  if (type.startsWith("text/event-stream")) return streamProblems(one, body);
  if (status < 400)
    return type === "application/json" && parseJson(body) === undefined && body !== ""
      ? [`${status} whose JSON is broken: ${body.slice(0, SHOWN)}`]
      : [];
  if (one.kind === "raw" && body === "")
    return PARSER_STATUSES.has(status) || headers.has("x-request-id") ? [] : [`${status} without a body`];
  const error = objectOf(parseJson(body)).error;
  const found = errorProblems(error).map((problem) => `${status}: ${problem}: ${body.slice(0, SHOWN)}`);
  if (type !== "application/json") found.push(`${status} of the type ${type}`);
  return status >= 500 ? [...found, ...serverProblems(one, status, String(objectOf(error).code))] : found;
}

function serverProblems(one: Case, status: number, code: string): readonly string[] {
  if (one.kind === "answer" && THEIR_FAULTS.has(code)) return [];
  if (one.isHurried && status === 504 && code === "upstream_timeout") return [];
  // Large bodies at once are refused by design.
  if (code === "overloaded") return [];
  return [`${status} ${code}`];
}

function errorProblems(error: unknown): string[] {
  if (!isObject(error)) return ["no error object"];
  const { reset_at: _resetAt, ...rest } = error;
  const found: string[] = [];
  if (Object.keys(rest).sort().join() !== ERROR_FIELDS) found.push("other fields than the error form's");
  if (typeof error.message !== "string" || error.message === "") found.push("no message");
  if (!ERROR_TYPES.has(String(error.type))) found.push("an unknown type");
  for (const one of [error.param, error.code])
    if (one !== null && typeof one !== "string") found.push("param or code is no string");
  return found;
}

/** Comments and data, chunks of a completion, and exactly one end: the mark or an error. */
function streamProblems(one: Case, body: string): readonly string[] {
  if (!body.endsWith("\n\n")) return [`the stream's last event is not whole: ${body.slice(-SHOWN)}`];
  const blocks = body
    .slice(0, -2)
    .split("\n\n")
    .filter((block) => !block.startsWith(":"));
  const data = blocks.map((block) =>
    block.startsWith("data: ") && !block.includes("\n") ? block.slice(6) : null,
  );
  if (data.includes(null)) return [`not an event: ${blocks[data.indexOf(null)]?.slice(0, SHOWN)}`];
  const last = data.at(-1) ?? "";
  const ends = data.filter((text) => text === "[DONE]" || isObject(objectOf(parseJson(text ?? "")).error));
  if (ends.length !== 1 || ends[0] !== last)
    return [`the stream has ${ends.length} ends, and its last event is ${last.slice(0, SHOWN)}`];
  const chunks = last === "[DONE]" ? data.slice(0, -1) : data;
  const broken = chunks.find((text) => !isObject(parseJson(text ?? "")));
  if (broken !== undefined) return [`a chunk is not JSON: ${broken?.slice(0, SHOWN)}`];
  if (last === "[DONE]") return [];
  const { error } = objectOf(parseJson(last));
  const code = String(objectOf(error).code);
  const found = errorProblems(error).map((problem) => `error event: ${problem}: ${last.slice(0, SHOWN)}`);
  return objectOf(error).type === "api_error" ? [...found, ...serverProblems(one, 504, code)] : found;
}
