// Compares a reply with its recording and describes the differences briefly.

import { asArray, asObject, asString, parseJson } from "../../src/core/json/json.ts";
import { isDocument, readSource } from "../../src/operations/chat/answer/citations.ts";
import type {
  ChatReply,
  ReasoningDetail,
  ReplyChoice,
  ReplyMessage,
  ToolCall,
  Usage,
} from "../../src/operations/chat/form.ts";
import type {
  ExpectedAnswer,
  ExpectedCall,
  ExpectedChoice,
  ExpectedCitation,
  ExpectedUsage,
} from "./expect/expectation.ts";

/** `taken` are the tool-call ids of the conversation so far, which a reply must not reuse. */
export function differences(
  reply: ChatReply,
  expected: ExpectedAnswer,
  taken: ReadonlySet<string>,
): string[] {
  const wrong: string[] = [];
  if (reply.choices.length !== expected.choices.length) {
    wrong.push(`${reply.choices.length} choices, not ${expected.choices.length}`);
  }
  for (const choice of expected.choices) {
    const got = reply.choices.find((one) => one.index === choice.index);
    if (!got) wrong.push(`no choice ${choice.index}`);
    else wrong.push(...choiceDifferences(got, choice, reply, taken));
  }
  return [...wrong, ...usageDifferences(reply.usage, expected.usage)];
}

function choiceDifferences(
  got: ReplyChoice,
  choice: ExpectedChoice,
  reply: ChatReply,
  taken: ReadonlySet<string>,
): string[] {
  const { message } = got;
  const wrong = textDifferences(message.content ?? "", message.reasoning_content ?? "", choice);
  if (choice.refusal !== null && message.refusal !== choice.refusal) {
    wrong.push(`refusal ${short(message.refusal)}, not ${short(choice.refusal)}`);
  }
  wrong.push(...detailDifferences(message.reasoning_content ?? "", message.reasoning_details ?? []));
  wrong.push(...callDifferences(message.tool_calls ?? [], choice.calls, taken, got.finish_reason));
  if (choice.finish.length > 0 && !choice.finish.includes(got.finish_reason)) {
    wrong.push(`finish ${got.finish_reason}, not ${choice.finish.join(" or ")}`);
  }
  wrong.push(...urlDifferences(got, choice, reply), ...citationDifferences(message, choice.citations));
  const whole = JSON.stringify(message);
  const lost = choice.signatures.filter((signature) => !whole.includes(JSON.stringify(signature)));
  if (lost.length > 0) wrong.push(`${lost.length} of ${choice.signatures.length} thinking signatures lost`);
  return wrong;
}

function textDifferences(content: string, reasoning: string, choice: ExpectedChoice): string[] {
  if (choice.plan !== "") {
    const before =
      sameText(content, [choice.plan, ...choice.content]) && sameText(reasoning, choice.reasoning);
    const beside =
      sameText(content, choice.content) && sameText(reasoning, [...choice.reasoning, choice.plan]);
    return before || beside
      ? []
      : [`tool_plan lost: content ${short(content)}, reasoning ${short(reasoning)}`];
  }
  const wrong: string[] = [];
  if (!sameText(content, choice.content)) {
    wrong.push(`content ${short(content)}, not ${short(choice.content.join(" | "))}`);
  }
  if (!sameText(reasoning, choice.reasoning)) {
    wrong.push(`reasoning ${short(reasoning)}, not ${short(choice.reasoning.join(" | "))}`);
  }
  return wrong;
}

/** The two forms of thinking must agree as far as the second one is readable. */
function detailDifferences(reasoning: string, details: readonly ReasoningDetail[]): string[] {
  const texts = details.map((detail) => detail.text ?? detail.summary ?? "");
  if (texts.join("") === "" || sameText(reasoning, ["", ...texts])) return [];
  return [`reasoning_details ${short(texts.join(" | "))}, reasoning_content ${short(reasoning)}`];
}

/** Exact for one piece. Several pieces may be joined with or without white space. */
function sameText(got: string, pieces: readonly string[]): boolean {
  if (pieces.length < 2) return got === (pieces[0] ?? "");
  return got.replace(/\s+/g, "") === pieces.join("").replace(/\s+/g, "");
}

const LEGAL_ID = /^[A-Za-z0-9_-]{1,40}$/;

function callDifferences(
  got: readonly ToolCall[],
  expected: readonly ExpectedCall[],
  taken: ReadonlySet<string>,
  finish: string,
): string[] {
  if (got.length !== expected.length) {
    return [
      `${got.length} tool calls, not ${expected.length} (${expected.map((call) => call.name).join(", ")})`,
    ];
  }
  const wrong: string[] = [];
  const used = new Set<string>(taken);
  for (const [position, call] of expected.entries()) {
    const one = got[position];
    if (!one) continue;
    const [name, input] =
      one.type === "custom"
        ? [one.custom.name, one.custom.input]
        : [one.function.name, one.function.arguments];
    if (name !== call.name) wrong.push(`call ${position} is ${name}, not ${call.name}`);
    // The limit can cut off the last call before its arguments begin.
    const isNone = finish === "length" && position === got.length - 1 && input + call.input === "";
    if (!isNone && !sameInput(input, call.input))
      wrong.push(`input ${short(input)}, not ${short(call.input)}`);
    if (!LEGAL_ID.test(one.id)) wrong.push(`id ${short(one.id)} is not legal`);
    if (used.has(one.id)) wrong.push(`id ${one.id} is used twice`);
    const keeps = call.id !== null && LEGAL_ID.test(call.id) && !used.has(call.id);
    if (keeps && one.id !== call.id) wrong.push(`id ${one.id}, not ${call.id}`);
    used.add(one.id);
  }
  return wrong;
}

/** Compared as JSON if both parse, byte for byte if the answer was cut off within them. Empty and null mean `{}`. */
function sameInput(got: string, expected: string): boolean {
  const one = parseJson(got);
  const other = parseJson(["", "null"].includes(expected) ? "{}" : expected);
  return other === undefined ? got === expected : Bun.deepEquals(one, other);
}

/** Citations are annotations. Those of Perplexity's retired chat API are passed on beside the choices. */
function urlDifferences(got: ReplyChoice, choice: ExpectedChoice, reply: ChatReply): string[] {
  const urls = new Set(
    (got.message.annotations ?? []).flatMap((one) =>
      isDocument(one) ? [] : [written(one.url_citation.url)],
    ),
  );
  const beside = asArray(reply.citations).map((one) => asString(one) ?? asString(asObject(one).url) ?? "");
  const must = [...choice.urls].map(written);
  const may = [...choice.urlsAllowed].map(written);
  const lost = must.filter((url) => !urls.has(url) && !beside.includes(url));
  const made = [...urls].filter((url) => !must.includes(url) && !may.includes(url));
  const wrong: string[] = [];
  if (lost.length > 0) wrong.push(`${lost.length} of ${choice.urls.size} citations lost: ${short(lost[0])}`);
  if (made.length > 0) wrong.push(`${made.length} citations made up: ${short(made[0])}`);
  return wrong;
}

/** Each citation is present, in its place, with every fact about its source. */
function citationDifferences(message: ReplyMessage, expected: readonly ExpectedCitation[]): string[] {
  const got = (message.annotations ?? []).map((one) => {
    const { start_index, end_index } = readSource(one);
    return { span: (message.content ?? "").slice(start_index, end_index), json: JSON.stringify(one) };
  });
  const lost = expected.filter(
    ({ span, says }) =>
      !got.some(
        (one) =>
          (span === null || span === one.span) &&
          says.every((text) => !text || one.json.includes(JSON.stringify(text))),
      ),
  );
  return lost.length === 0 ? [] : [`${lost.length} of ${expected.length} citations: ${short(lost[0])}`];
}

/** Normalised as in browsers: Google's URIs contain spaces, which a client may receive as %20. */
function written(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

function usageDifferences(got: Usage | undefined, expected: ExpectedUsage | null): string[] {
  if (!expected) return got ? ["a usage that the recording does not report"] : [];
  if (!got) return ["usage lost"];
  const wrong = countDifferences(got, expected);
  if (wrong.length > 0 && expected.or && countDifferences(got, expected.or).length === 0) return [];
  return wrong;
}

function countDifferences(got: Usage, expected: ExpectedUsage): string[] {
  const rows: readonly (readonly [string, unknown, number])[] = [
    ["prompt_tokens", got.prompt_tokens, expected.prompt],
    ["completion_tokens", got.completion_tokens, expected.completion],
    ["total_tokens", got.total_tokens, expected.prompt + expected.completion],
    ["cached_tokens", got.prompt_tokens_details?.cached_tokens ?? 0, expected.cached],
    ["cache_write_tokens", got.prompt_tokens_details?.cache_write_tokens ?? 0, expected.cacheWrite],
    ["reasoning_tokens", got.completion_tokens_details?.reasoning_tokens ?? 0, expected.reasoning],
    ["web_search_requests", got.server_tool_use?.web_search_requests ?? 0, expected.searches],
  ];
  return rows
    .filter(([, count, right]) => count !== right)
    .map(([field, count, right]) => `${field} ${String(count)}, not ${right}`);
}

function short(text: unknown): string {
  const json = JSON.stringify(text) ?? "nothing";
  return json.length > 70 ? `${json.slice(0, 67)}…` : json;
}
