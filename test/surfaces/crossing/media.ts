// Files whose true type their first bytes say, in each surface's form.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { SurfaceKey } from "./crossing.ts";

export function encode(text: string, ...before: readonly number[]): string {
  return Buffer.concat([Buffer.from(before), Buffer.from(text, "latin1")]).toBase64();
}

/** The beginning of a file of each type. */
export const FILES = {
  "image/png": encode("PNG\r\n\x1a\n0000IHDR", 0x89),
  "image/jpeg": encode("\xe0\x00\x10JFIF\0", 0xff, 0xd8, 0xff),
  "image/gif": encode("GIF89a\x01\0\x01\0"),
  "image/webp": encode("RIFF\x24\0\0\0WEBPVP8 "),
  "application/pdf": encode("%PDF-1.7\n%\xe2\xe3"),
  "audio/wav": encode("RIFF\x24\0\0\0WAVEfmt "),
  "audio/mpeg": encode("ID3\x04\0\0\0\0"),
  "audio/flac": encode("fLaC\0\0\0\x22"),
  "audio/aiff": encode("FORM\0\0\0\x24AIFFCOMM"),
  "audio/ogg": encode("OggS\0\x02\0\0"),
} as const;
export type Known = keyof typeof FILES;

/** A user's picture, and one in a tool's result, as each surface takes them. Gemini's clients declare a type always. */
export function makeBodies(url: string): Readonly<Record<SurfaceKey, readonly JsonObject[]>> {
  const [, declared = "", data = ""] = /^data:([^;]*);base64,(.*)$/.exec(url) ?? [];
  const source = { type: "base64", media_type: declared, data };
  const call = { id: "toolu_1", name: "look", input: {} };
  const fn = { id: "toolu_1", type: "function", function: { name: "look", arguments: "{}" } };
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "image", source }] };
  const hi = { role: "user", content: "hi" };
  const item = { type: "function_call", call_id: "toolu_1", name: "look", arguments: "{}" };
  const image = { type: "input_image", image_url: url };
  const inlineData = { mimeType: declared, data };
  return {
    chat: [
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] },
      { messages: [{ role: "user", content: [{ type: "file", file: { file_data: url } }] }] },
      {
        messages: [
          hi,
          { role: "assistant", content: null, tool_calls: [fn] },
          { role: "tool", tool_call_id: "toolu_1", content: [{ type: "image_url", image_url: { url } }] },
        ],
      },
    ],
    messages: [
      { messages: [{ role: "user", content: [{ type: "image", source }] }] },
      { messages: [{ role: "user", content: [{ type: "document", source }] }] },
      {
        messages: [
          hi,
          { role: "assistant", content: [{ type: "tool_use", ...call }] },
          { role: "user", content: [result] },
        ],
      },
    ],
    responses: [
      { input: [{ role: "user", content: [image] }] },
      { input: [{ role: "user", content: [{ type: "input_file", filename: "a", file_data: url }] }] },
      { input: [hi, item, { type: "function_call_output", call_id: "toolu_1", output: [image] }] },
    ],
    gemini: [{ contents: [{ role: "user", parts: [{ inlineData }] }] }],
  };
}

/** The words by which the dialects name a type. */
const WORDS: Readonly<Record<string, RegExp>> = {
  "image/png": /image\/png|"format":"png"/,
  "image/jpeg": /image\/jpeg|"format":"jpeg"/,
  "image/gif": /image\/gif|"format":"gif"/,
  "image/webp": /image\/webp|"format":"webp"/,
};
export const PICTURES = Object.keys(WORDS).filter((type): type is Known => type in FILES);

/** Returns the types of picture that a provider's body names. */
export function listNamed(sent: string): readonly string[] {
  return Object.entries(WORDS).flatMap(([name, word]) => (word.test(sent) ? [name] : []));
}
