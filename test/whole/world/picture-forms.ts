// A conversation with pictures in the form of each surface.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { PICTURE } from "../../clients/setting.ts";

export const PIXELS = PICTURE.slice(PICTURE.indexOf(",") + 1);

export interface Form {
  readonly path: (model: string) => string;
  readonly tools: JsonObject;
  /** A turn of the user's, with the picture if it has one. */
  readonly asked: (text: string, hasPicture: boolean) => JsonObject;
  readonly called: JsonObject;
  /** The call's result with a picture, and after it the text of the user's, if any. */
  readonly answered: (text?: string) => readonly JsonObject[];
  /** The field of the conversation. */
  readonly field: string;
  readonly more: JsonObject;
  /** The client's name of a picture. */
  readonly dropped: string;
}

const schema = { type: "object", properties: {} };
export const chatPicture = { type: "image_url", image_url: { url: PICTURE } };
const messagesPicture = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXELS } };
const responsesPicture = { type: "input_image", image_url: PICTURE };
const geminiPicture = { inlineData: { mimeType: "image/png", data: PIXELS } };

export const FORMS: Readonly<Record<string, Form>> = {
  "chat completions": {
    path: () => "/v1/chat/completions",
    field: "messages",
    tools: { tools: [{ type: "function", function: { name: "look", parameters: schema } }] },
    asked: (text, hasPicture) => ({
      role: "user",
      content: hasPicture ? [{ type: "text", text }, chatPicture] : text,
    }),
    called: {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }],
    },
    answered: (text) => [
      { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "Here." }, chatPicture] },
      ...(text === undefined ? [] : [{ role: "user", content: [{ type: "text", text }, chatPicture] }]),
    ],
    more: {},
    dropped: "messages.image_url",
  },
  Messages: {
    path: () => "/v1/messages",
    field: "messages",
    tools: { tools: [{ name: "look", input_schema: schema }] },
    asked: (text, hasPicture) => ({
      role: "user",
      content: hasPicture ? [messagesPicture, { type: "text", text }] : text,
    }),
    called: { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
    answered: (text) => [
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: [{ type: "text", text: "Here." }, messagesPicture],
          },
          ...(text === undefined ? [] : [messagesPicture, { type: "text", text }]),
        ],
      },
    ],
    more: { max_tokens: 500 },
    dropped: "messages.image",
  },
  Responses: {
    path: () => "/v1/responses",
    field: "input",
    tools: { tools: [{ type: "function", name: "look", parameters: schema, strict: false }] },
    asked: (text, hasPicture) => ({
      role: "user",
      content: [{ type: "input_text", text }, ...(hasPicture ? [responsesPicture] : [])],
    }),
    called: { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
    answered: (text) => [
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [{ type: "input_text", text: "Here." }, responsesPicture],
      },
      ...(text === undefined
        ? []
        : [{ role: "user", content: [responsesPicture, { type: "input_text", text }] }]),
    ],
    more: { store: false },
    dropped: "input.input_image",
  },
  Gemini: {
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    field: "contents",
    tools: { tools: [{ functionDeclarations: [{ name: "look" }] }] },
    asked: (text, hasPicture) => ({
      role: "user",
      parts: [{ text }, ...(hasPicture ? [geminiPicture] : [])],
    }),
    called: { role: "model", parts: [{ functionCall: { id: "call_1", name: "look", args: {} } }] },
    answered: (text) => [
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "call_1",
              name: "look",
              response: { output: "Here." },
              parts: [geminiPicture],
            },
          },
          ...(text === undefined ? [] : [geminiPicture, { text }]),
        ],
      },
    ],
    more: {},
    dropped: "contents.parts",
  },
};
