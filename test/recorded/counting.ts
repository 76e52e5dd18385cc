// Recorded token counts, with the surface on which a client of the gateway would request them.
import { asNumber, asObject, asString, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import type { ChatForm } from "../../src/operations/chat/decoder.ts";
import { ANTHROPIC_MESSAGES } from "../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../src/surfaces/gemini/surface.ts";
import { OPENAI_RESPONSES } from "../../src/surfaces/openai-responses/surface.ts";
import type { Surface } from "../../src/surfaces/surface.ts";
import { fixturesFolder } from "./load.ts";
import { readRows } from "./rows.ts";

const SURFACE_OF_API: Readonly<Record<string, Surface<ChatForm>>> = {
  "anthropic-count-tokens": ANTHROPIC_MESSAGES,
  "responses-input-tokens": OPENAI_RESPONSES,
  "gemini-countTokens": GEMINI,
};

export interface RecordedCount {
  readonly id: string;
  readonly surface: Surface<ChatForm>;
  /** The path that the client called. */
  readonly path: string;
  readonly request: JsonObject;
  readonly tokens: number;
}

export function readRecordedCounts(): readonly RecordedCount[] {
  return readRows(fixturesFolder()).flatMap(({ row: { id, api, request, response } }) => {
    const surface = SURFACE_OF_API[String(api)];
    if (!surface) return [];
    const { input_tokens, totalTokens } = asObject(parseJson(asString(asObject(response).body) ?? ""));
    const { url, body } = asObject(request);
    return [
      {
        id: String(id),
        surface,
        path: new URL(String(url)).pathname.replace(/^.*\/models\//, "/v1beta/models/"),
        request: asObject(body),
        tokens: asNumber(input_tokens) ?? asNumber(totalTokens) ?? 0,
      },
    ];
  });
}
