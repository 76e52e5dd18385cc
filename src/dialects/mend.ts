// Writes a call's body without what its server is known to refuse, whatever the dialect. Pure.
import { isObject, type JsonObject } from "../core/json/json.ts";
import type { Outgoing } from "../core/models/dialect.ts";
import type { Refusal } from "../core/models/refusals.ts";
import { type BodyWord, isBodyWord, isFieldWord, readPath } from "../core/models/words/body-refusals.ts";
import { leaveOutPath } from "./leave-out.ts";

/** Returns the body in another form. Null if it has nothing that the word is about. */
type Mend = (body: JsonObject) => JsonObject | null;

const MENDS: Readonly<Record<BodyWord, Mend>> = {
  tool_choice_object: requireTool,
  text_parts: joinTexts,
  max_tokens: (body) => renameLimit(body, "max_tokens", "max_completion_tokens"),
  max_completion_tokens: (body) => renameLimit(body, "max_completion_tokens", "max_tokens"),
};

/** The one place at which bodies are mended. Fields that were left out are named. */
export function mendOutgoing(outgoing: Outgoing, refuses: ReadonlySet<Refusal>): Outgoing {
  if (outgoing.form !== undefined) return outgoing;
  let { body } = outgoing;
  let { dropped } = outgoing;
  for (const word of refuses) {
    const isField = isFieldWord(word);
    if (!isField && !isBodyWord(word)) continue;
    const mended = isField ? leaveOutPath(body, readPath(word)) : MENDS[word](body);
    if (mended === null) continue;
    body = mended;
    if (isField) dropped = [...dropped, nameField(readPath(word))];
  }
  return body === outgoing.body ? outgoing : { ...outgoing, body, dropped };
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
