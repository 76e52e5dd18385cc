// Writes a call's body without what its server is known to refuse, whatever the dialect. Pure.
import { isObject, type JsonObject } from "../core/json/json.ts";
import type { Outgoing } from "../core/models/dialect.ts";
import type { Refusal } from "../core/models/refusals.ts";
import { type BodyWord, isBodyWord, isFieldWord, readPath } from "../core/models/words/body-refusals.ts";
import { moveEffort } from "./_mends/effort.ts";
import { stopEnabledThinking, stopThinking, stopUnstreamedThinking } from "./_mends/forced.ts";
import { addBlankThoughts, loosenFormat, wrapArguments } from "./_mends/forms.ts";
import { writeOutSchemas } from "./_mends/schemas.ts";
import { leaveOutPath } from "./leave-out.ts";

/** Returns the body in another form. Null if it has nothing that the word is about. */
type Mend = (body: JsonObject) => JsonObject | null;

/** Names of tools are mended by the codecs, which put the client's into the answer. */
const MENDS: Readonly<Record<Exclude<BodyWord, "tool_names">, Mend>> = {
  tool_choice_object: requireTool,
  text_parts: joinTexts,
  max_tokens: (body) => renameLimit(body, "max_tokens", "max_completion_tokens"),
  max_completion_tokens: (body) => renameLimit(body, "max_completion_tokens", "max_tokens"),
  forced_thinking: stopThinking,
  forced_enable_thinking: stopEnabledThinking,
  unstreamed_thinking: stopUnstreamedThinking,
  thoughts_required: addBlankThoughts,
  json_object: loosenFormat,
  call_arguments: wrapArguments,
  tool_schema: writeOutSchemas,
};

/** The fields of which something is lost by it. */
const LOST: Readonly<Partial<Record<BodyWord, readonly string[]>>> = {
  forced_thinking: ["reasoning_effort", "thinking", "context_management"],
  forced_enable_thinking: ["reasoning_effort", "enable_thinking"],
  unstreamed_thinking: ["reasoning_effort", "enable_thinking"],
};

/** The one place at which bodies are mended. Fields that were left out are named. */
export function mendOutgoing(outgoing: Outgoing, refuses: ReadonlySet<Refusal>): Outgoing {
  if (outgoing.form !== undefined) return outgoing;
  let { body } = outgoing;
  let { dropped } = outgoing;
  for (const word of refuses) {
    const mended = mendOne(body, word);
    if (mended === null) continue;
    dropped = [...dropped, ...listLost(word, body, mended)];
    body = mended;
  }
  const levelled = moveEffort(body, refuses);
  if (levelled !== null) {
    body = levelled;
    dropped = [...dropped, "reasoning_effort"];
  }
  const mended = body === outgoing.body ? outgoing : { ...outgoing, body, dropped };
  return leaveOutBetas(mended, refuses);
}

const BETAS = "anthropic-beta";

/** The fields that a beta lets pass stay: a server that refuses them too says so. */
function leaveOutBetas(outgoing: Outgoing, refuses: ReadonlySet<Refusal>): Outgoing {
  const { [BETAS]: header, ...headers } = outgoing.headers;
  if (header === undefined) return outgoing;
  const asked = header.split(",");
  const taken = asked.filter((beta) => !refuses.has(`beta:${beta.trim()}`));
  if (taken.length === asked.length) return outgoing;
  const left = taken.length === 0 ? headers : { ...headers, [BETAS]: taken.join(",") };
  const { dropped } = outgoing;
  return { ...outgoing, headers: left, dropped: dropped.includes(BETAS) ? dropped : [...dropped, BETAS] };
}

function mendOne(body: JsonObject, word: Refusal): JsonObject | null {
  if (isFieldWord(word)) return leaveOutPath(body, readPath(word));
  return isBodyWord(word) && word !== "tool_names" ? MENDS[word](body) : null;
}

function listLost(word: Refusal, before: JsonObject, after: JsonObject): readonly string[] {
  if (isFieldWord(word)) return [nameField(readPath(word))];
  const names = isBodyWord(word) ? (LOST[word] ?? []) : [];
  return names.filter((name) => before[name] !== undefined && before[name] !== after[name]);
}

function nameField(path: readonly string[]): string {
  return path.filter((name) => name !== "[]").join(".");
}

/** A list with a picture or a file stays as it is. */
function joinTexts(body: JsonObject): JsonObject | null {
  if (!Array.isArray(body.messages)) return null;
  let isJoined = false;
  const messages = body.messages.map((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message.content)) return message;
    const texts = message.content.map(readText);
    if (!texts.every((text) => text !== null)) return message;
    isJoined = true;
    return { ...message, content: texts.join("\n\n") };
  });
  return isJoined ? { ...body, messages } : null;
}

function readText(part: unknown): string | null {
  return isObject(part) && part.type === "text" && typeof part.text === "string" ? part.text : null;
}

function renameLimit(body: JsonObject, from: string, to: string): JsonObject | null {
  // The Messages API has the one name alone.
  if (body[from] === undefined || body[to] !== undefined || body.system !== undefined) return null;
  const { [from]: limit, ...rest } = body;
  return { ...rest, [to]: limit };
}

/** `{type: "function", function: {name}}` of chat completions, `{type: "function", name}` of the Responses API. */
function requireTool(body: JsonObject): JsonObject | null {
  const { tool_choice: choice, tools } = body;
  if (!isObject(choice) || choice.type !== "function" || !Array.isArray(tools)) return null;
  const name = readToolName(choice);
  const alone = tools.filter((tool) => readToolName(tool) === name);
  return name === undefined || alone.length !== 1 ? null : { ...body, tools: alone, tool_choice: "required" };
}

function readToolName(tool: unknown): unknown {
  if (!isObject(tool)) return undefined;
  return isObject(tool.function) ? tool.function.name : tool.name;
}
