// Pictures, PDFs and sounds that a client declares as something else reach every provider as what they are.
import { describe, expect, test } from "bun:test";
import { Attachment } from "../../../src/core/models/attachment.ts";
import { findUrl } from "../../../src/dialects/_whole/images.ts";
import type { ContentPart } from "../../../src/operations/chat/form.ts";
import { typePart } from "../../../src/operations/chat/prompt/type-media.ts";
import { CROSSED_MODELS, cross, readAt, SURFACE_KEYS } from "./crossing.ts";
import { encode, FILES, type Known, listNamed, makeBodies, PICTURES } from "./media.ts";

const DECLARED = ["image/jpeg", "image/png", "image/jpg", "application/octet-stream", ""];

describe.each(PICTURES)("%s", (type) => {
  describe.each([...SURFACE_KEYS])("from %s", (surface) => {
    test.each(CROSSED_MODELS.map((model) => [model]))("to %s", (model) => {
      for (const declared of DECLARED) {
        for (const body of makeBodies(`data:${declared};base64,${FILES[type]}`)[surface]) {
          for (const isStreamed of [false, true]) {
            const sent = JSON.stringify(cross(surface, body, model, isStreamed).body);
            const named = listNamed(sent);
            // Some servers take no picture in a tool's result, and get a line instead.
            expect([surface, declared, sent.includes(FILES[type]) ? named : [type]]).toEqual([
              surface,
              declared,
              [type],
            ]);
            expect(sent).not.toContain("octet-stream");
          }
        }
      }
    });
  });
});

describe("a PDF that is sent as a picture", () => {
  const declared = ["image/png", "application/pdf"].flatMap((type) =>
    [...SURFACE_KEYS].map((surface) => [surface, type] as const),
  );
  test.each(declared)("is a document from %s, declared as %s", (surface, type) => {
    for (const body of makeBodies(`data:${type};base64,${FILES["application/pdf"]}`)[surface]) {
      expect(JSON.stringify(readAt(surface, body).ask.messages)).toContain(
        '"file_data":"data:application/pdf;',
      );
      for (const model of ["OpenAI#gpt-5.4", "OpenAI#gpt-5.3-codex", "Mistral#mistral-medium-2604"]) {
        const sent = JSON.stringify(cross(surface, body, model).body);
        expect(sent).not.toContain("image/png");
        expect(sent).not.toMatch(/image_url|input_image/);
      }
    }
  });
});

describe("a sound", () => {
  const sounds = Object.keys(FILES).filter((type): type is Known => type.startsWith("audio/"));
  const formats: Readonly<Record<string, string>> = { "audio/mpeg": "mp3" };
  test.each(sounds)("%s has its own format", (type) => {
    const format = formats[type] ?? type.slice("audio/".length);
    for (const declared of ["mp3", "wav", "m4a", "audio/x"]) {
      const part: ContentPart = { type: "input_audio", input_audio: { data: FILES[type], format: declared } };
      expect(typePart(part)).toEqual({ type: "input_audio", input_audio: { data: FILES[type], format } });
      const body = {
        contents: [{ role: "user", parts: [{ inlineData: { mimeType: "audio/mp4", data: FILES[type] } }] }],
      };
      expect(JSON.stringify(cross("gemini", body, "Google#gemini-3.8-flash").body)).toContain(type);
    }
    const image: ContentPart = {
      type: "image_url",
      image_url: { url: `data:image/png;base64,${FILES[type]}` },
    };
    expect(typePart(image)).toMatchObject({ type: "input_audio", input_audio: { format } });
  });

  test("keeps its codec in a container", () => {
    const part: ContentPart = {
      type: "input_audio",
      input_audio: { data: FILES["audio/ogg"], format: "opus" },
    };
    expect(typePart(part)).toBe(part);
  });
});

describe("nothing changes", () => {
  const url = (type: string, base64: string) => `data:${type};base64,${base64}`;
  const parts: readonly ContentPart[] = [
    { type: "text", text: "hi" },
    { type: "image_url", image_url: { url: url("image/png", FILES["image/png"]), detail: "low" } },
    { type: "image_url", image_url: { url: "https://example.com/a.jpg" } },
    { type: "image_url", image_url: { url: url("image/png", "AAAA") } },
    { type: "image_url", image_url: { url: "data:image/svg+xml,%3Csvg/%3E" } },
    {
      type: "file",
      file: { file_data: url("application/pdf", FILES["application/pdf"]), filename: "a.pdf" },
    },
    { type: "file", file: { file_data: FILES["application/pdf"] } },
    { type: "file", file: { file_data: url("text/plain", encode("fLaC, OggS, ID3 and RIFF are words")) } },
    { type: "file", file: { file_data: url("video/webm", encode("\x45\xdf\xa3", 0x1a)) } },
    { type: "file", file: { file_data: "https://example.com/a.pdf" } },
    { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
  ];
  test.each(parts.map((part) => [JSON.stringify(part).slice(0, 70), part] as const))("of %s", (_, part) => {
    expect(typePart(part)).toBe(part);
  });
});

test("the marks of a picture stay", () => {
  const image_url = { url: `data:image/jpeg;base64,${FILES["image/png"]}`, detail: "high" };
  const part = { type: "image_url" as const, image_url, cache_control: { type: "ephemeral" } };
  expect(typePart(part)).toEqual({
    ...part,
    image_url: { ...image_url, url: `data:image/png;base64,${FILES["image/png"]}` },
  });
});

test("a picture to be edited has its true type", () => {
  const bytes = Uint8Array.fromBase64(FILES["image/png"]);
  const url = `data:image/png;base64,${FILES["image/png"]}`;
  expect(findUrl(new Attachment("a.jpg", "image/jpeg", bytes))).toBe(url);
  expect(findUrl(new Attachment("a", "", bytes))).toBe(url);
  expect(findUrl({ url: `data:image/webp;base64,${FILES["image/png"]}` })).toBe(url);
  expect(findUrl({ url: "https://example.com/a.png" })).toBe("https://example.com/a.png");
});
