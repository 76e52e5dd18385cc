// Calls in the history as each dialect writes them: arguments that are no JSON object, and an empty text beside a call.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { CHAT_DIALECTS, type ChatDialectName } from "../../src/core/models/dialect-names.ts";
import { findDialect } from "../../src/providers/index.ts";
import { encoded, functionTool, makeCard } from "./cases/drive.ts";

const ARGUMENTS = ["", '{"a', "[1]", '{"b":1}'] as const;

/** Objects where the API has objects: what isn't one stands in one. Texts are passed on, but none is empty. */
const AS_OBJECTS = ["{}", '{"arguments":"{\\"a"}', '{"arguments":"[1]"}', '{"b":1}'];
const AS_INPUTS = AS_OBJECTS.map((text) => text.replace("arguments", "input"));
const AS_TEXTS = ["{}", '{"a', "[1]", '{"b":1}'].map((text) => JSON.stringify(text));

const WRITTEN: Readonly<Record<ChatDialectName, readonly string[]>> = {
  openai: AS_TEXTS,
  responses: AS_TEXTS,
  mistral: AS_TEXTS,
  cohere: AS_TEXTS,
  perplexity: AS_TEXTS,
  anthropic: AS_OBJECTS,
  gemini: AS_INPUTS,
  bedrock: AS_OBJECTS,
};

function send(dialect: ChatDialectName, text: string): string {
  const call = { id: "call_abcd1", type: "function" as const, function: { name: "f", arguments: text } };
  const { body } = encoded(
    findDialect(dialect),
    {
      tools: [functionTool("f")],
      messages: [
        { role: "user", content: "Hello." },
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "tool", tool_call_id: "call_abcd1", content: "done" },
      ],
    },
    makeCard("m", ["tools"]),
  );
  return JSON.stringify(body satisfies JsonObject);
}

const ROWS = CHAT_DIALECTS.flatMap((dialect) =>
  ARGUMENTS.map((text, at) => ({ dialect, text, written: WRITTEN[dialect][at] ?? "" })),
);

test.each(ROWS)("$dialect: $text", ({ dialect, text, written }) => {
  const sent = send(dialect, text);
  const [, found] =
    /"(?:arguments|input|args)":("(?:[^"\\]|\\.)*"|\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})/.exec(sent) ?? [];
  expect(found).toBe(written);
});

/** Mistral takes an empty text, which its own answers have beside calls. */
const EMPTY_TEXT: ReadonlySet<ChatDialectName> = new Set(["mistral"]);

test.each([...CHAT_DIALECTS])("%s: an empty text beside a call", (dialect) => {
  const sent = send(dialect, "{}");
  expect(/"(?:content|text)":""/.test(sent)).toBe(EMPTY_TEXT.has(dialect));
});
