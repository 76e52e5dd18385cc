// Prompts and answers in the form of OpenTelemetry's GenAI conventions: messages with a role and typed parts.
import { asArray, asObject, asString, isObject, type JsonObject } from "../json/json.ts";

/** JSON texts, as the conventions' attributes hold them. Null for what there is none of. */
export interface SpanMessages {
  readonly system: string | null;
  readonly input: string;
  readonly output: string | null;
  /** True if a part was too long to export. */
  readonly isTruncated: boolean;
}

/** Longer prompts lose their oldest messages, longer answers are left out: a batch of spans has to stay small. */
const CHARACTERS_MAX = 65_536;

interface WrittenMessages {
  readonly text: string;
  readonly isTruncated: boolean;
}

const SYSTEM_ROLES: ReadonlySet<unknown> = new Set(["system", "developer"]);

/** Writes the messages of a request, as `Operation.toLog` returns them: a chat's, or the texts of another operation. */
export function writeInput(messages: readonly unknown[]): Omit<SpanMessages, "output"> {
  const isSystem = (one: unknown) => isObject(one) && SYSTEM_ROLES.has(one.role);
  const system = writeNewest(messages.filter(isSystem).flatMap((one) => listParts(asObject(one).content)));
  const input = writeNewest(messages.filter((one) => !isSystem(one)).map(convertMessage));
  return {
    system: system.text === "[]" ? null : system.text,
    input: input.text,
    isTruncated: system.isTruncated || input.isTruncated,
  };
}

/** Writes a reply, as `Operation.toLogged` returns it. */
export function writeOutput(reply: JsonObject): WrittenMessages {
  const choices = asArray(reply.choices).map(asObject);
  return writeNewest(
    choices.map(({ message, text, finish_reason: finish }) => ({
      ...convertMessage(isObject(message) ? message : { role: "assistant", content: text }),
      finish_reason: asString(finish) ?? "error",
    })),
  );
}

/** Leaves out the oldest if all together are too long. */
function writeNewest(all: readonly object[]): WrittenMessages {
  const texts: string[] = [];
  let characters = 2;
  for (const one of all.toReversed()) {
    const text = JSON.stringify(one);
    characters += text.length + 1;
    if (characters > CHARACTERS_MAX) break;
    texts.push(text);
  }
  return { text: `[${texts.reverse().join(",")}]`, isTruncated: texts.length < all.length };
}

function convertMessage(value: unknown): JsonObject {
  if (!isObject(value)) return { role: "user", parts: listParts(value) };
  const { role, content, reasoning_content: reasoning, tool_calls: calls, tool_call_id: id } = value;
  if (role === "tool") {
    return { role, parts: [{ type: "tool_call_response", id: id ?? null, response: content ?? null }] };
  }
  const thoughts = typeof reasoning === "string" ? [{ type: "reasoning", content: reasoning }] : [];
  const parts = [...thoughts, ...listParts(content), ...asArray(calls).map(asObject).map(convertCall)];
  return { role: asString(role) ?? "user", parts };
}

function listParts(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", content }];
  return asArray(content).map((part) => {
    const { type, text } = asObject(part);
    if (typeof part === "string") return { type: "text", content: part };
    // The bytes of pictures and sounds have no place in a span.
    return typeof text === "string" ? { type: "text", content: text } : { type: asString(type) ?? "other" };
  });
}

function convertCall({ id, function: called, custom }: JsonObject): JsonObject {
  const { name, arguments: given, input } = asObject(called ?? custom);
  return { type: "tool_call", id: id ?? null, name: name ?? "", arguments: given ?? input ?? null };
}
