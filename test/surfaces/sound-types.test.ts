// Sound by its media type in Gemini's API and by its format in chat, in both directions.
import { describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../src/core/json/json.ts";
import type { ContentPart } from "../../src/operations/chat/form.ts";
import { GEMINI } from "../../src/surfaces/gemini/surface.ts";
import { encoded } from "../dialects/cases/gemini-cases.ts";
import { incoming } from "./recorded.ts";

/** A media type as clients of Gemini write it, its format in chat, and the type that Google gets for that. */
const PAIRS: readonly (readonly [given: string, format: string, sent: string])[] = [
  ["audio/mpeg", "mp3", "audio/mpeg"],
  ["audio/mp3", "mp3", "audio/mpeg"],
  ["audio/mpga", "mp3", "audio/mpeg"],
  ["audio/wav", "wav", "audio/wav"],
  ["audio/x-wav", "wav", "audio/wav"],
  ["audio/wave", "wav", "audio/wav"],
  ["audio/vnd.wave", "wav", "audio/wav"],
  ["Audio/MPEG", "mp3", "audio/mpeg"],
  ["audio/x-aac", "aac", "audio/aac"],
  ["audio/x-flac", "flac", "audio/flac"],
  ["audio/x-aiff", "aiff", "audio/aiff"],
  ["audio/ogg;codecs=opus", "ogg", "audio/ogg"],
  ["audio/opus", "opus", "audio/opus"],
  ["audio/mp4", "m4a", "audio/m4a"],
  ["audio/x-m4a", "m4a", "audio/m4a"],
  ["audio/webm", "webm", "audio/webm"],
  // Without the parameter nobody could play it.
  ["audio/L16;rate=16000", "L16;rate=16000", "audio/L16;rate=16000"],
  ["audio/amr", "amr", "audio/amr"],
];

function readSound(mimeType: string): ContentPart | undefined {
  const parts = [{ inlineData: { mimeType, data: "AAAA" } }];
  const { ask } = GEMINI.read(
    incoming({ contents: [{ role: "user", parts }] }, "/v1beta/models/m:generateContent"),
  );
  const content = ask.messages[0]?.content;
  return typeof content === "string" ? undefined : content?.[0];
}

function sendSound(format: string): unknown {
  const part = { type: "input_audio", input_audio: { data: "AAAA", format } } as const;
  const { body } = encoded({ messages: [{ role: "user", content: [part] }] });
  const [sent] = asArray(asObject(asArray(body.contents)[0]).parts);
  return asObject(asObject(sent).inlineData).mimeType;
}

describe.each(PAIRS)("%s", (given, format, sent) => {
  test("has a format", () => {
    expect(readSound(given)).toEqual({ type: "input_audio", input_audio: { data: "AAAA", format } });
  });

  test("goes to Google by one name", () => {
    expect([sendSound(format), sendSound(given.slice("audio/".length))]).toEqual([sent, sent]);
  });
});
