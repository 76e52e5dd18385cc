// The words that masks don't see, against the vendors' SDKs: none is a field in which an SDK declares free text.
import { expect, test } from "bun:test";
import { TEXTS as MESSAGES } from "../../../src/surfaces/anthropic-messages/texts.ts";
import { TEXTS as GEMINI } from "../../../src/surfaces/gemini/texts.ts";
import { TEXTS as RESPONSES } from "../../../src/surfaces/openai-responses/texts.ts";
import { Declarations } from "../../surfaces/declarations.ts";

/** Fields that an SDK declares as any string, although they hold ids, sealed or binary data, addresses or closed lists. */
const NO_TEXTS = new Set([
  "id",
  "tool_use_id",
  "tool_id",
  "file_id",
  "call_id",
  "item_id",
  "container_id",
  "approval_request_id",
  "previous_response_id",
  "responseId",
  "signature",
  "thoughtSignature",
  "encrypted_content",
  "encrypted_index",
  "encrypted_stdout",
  "data",
  "image_url",
  "fileUri",
  "obfuscation",
  "voiceName",
  "type",
  "role",
  "status",
  "model",
  "modelVersion",
  "mimeType",
  "responseMimeType",
  "responseModalities",
  "inference_geo",
  "stop_reason",
  "method",
  "createTime",
  "languageCode",
]);

test.each([
  ["Anthropic's", "@anthropic-ai/sdk/resources/beta/messages/messages.d.ts", MESSAGES.words, 8],
  ["OpenAI's", "openai/resources/responses/responses.d.ts", RESPONSES.words, 8],
  ["Google's", "@google/genai/dist/genai.d.ts", GEMINI.words, 8],
] as const)("%s SDK declares no free text in a field that masks skip", (_vendor, file, words, least) => {
  const free = new Declarations(file).listFreeTexts().filter((field) => words.has(field));
  expect(free.filter((field) => !NO_TEXTS.has(field))).toEqual([]);
  expect(free.length).toBeGreaterThanOrEqual(least);
});
