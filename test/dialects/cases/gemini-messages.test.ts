// A conversation as Gemini's contents: roles, results, signatures, media, and thinking over two turns.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ContentPart } from "../../../src/operations/chat/form.ts";
import { call, encoded, part, SENTINEL, streamed, VERTEX, whole } from "./gemini-cases.ts";

describe("messages", () => {
  test("roles, system text, calls and a turn's results are encoded", () => {
    const { body } = encoded({
      messages: [
        { role: "system", content: "S" },
        { role: "user", content: "Q" },
        { role: "assistant", content: null, tool_calls: [call("c1", "add"), call("c2", "sub")] },
        { role: "tool", tool_call_id: "c2", content: '{"value":2}' },
        { role: "tool", tool_call_id: "c1", content: "one" },
        { role: "developer", content: "D" },
      ],
    });
    expect(body.systemInstruction).toEqual({ parts: [{ text: "S" }] });
    expect(body.contents).toEqual([
      { role: "user", parts: [{ text: "Q" }] },
      {
        role: "model",
        parts: [
          { functionCall: { id: "c1", name: "add", args: { a: 1 } }, thoughtSignature: SENTINEL },
          { functionCall: { id: "c2", name: "sub", args: { a: 1 } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c1", name: "add", response: { result: "one" } } },
          { functionResponse: { id: "c2", name: "sub", response: { value: 2 } } },
          { text: "<system_message>\nD\n</system_message>" },
        ],
      },
    ]);
  });

  test("a conversation that starts with a call gets a user's turn before it", () => {
    const asked = [
      { role: "system", content: "S" },
      { role: "user", content: "" },
    ] as const;
    const called = [
      { role: "assistant", content: null, tool_calls: [call("c1", "add")] },
      { role: "tool", tool_call_id: "c1", content: "one" },
    ] as const;
    for (const messages of [called, [...asked, ...called]]) {
      const [first, second] = asArray(encoded({ messages }).body.contents).map(asObject);
      expect(first).toEqual({ role: "user", parts: [{ text: " " }] });
      expect(second?.role).toBe("model");
    }
  });

  test("the placeholder signature is only used in generation 3's current turn, and not after a signed call", () => {
    const google = { extra_content: { google: { thought_signature: "sig" } } };
    const past = [
      { role: "assistant", content: null, tool_calls: [call("c0", "old")] },
      { role: "tool", tool_call_id: "c0", content: "x" },
      { role: "user", content: "again" },
    ] as const;
    const now = [
      { role: "assistant", content: null, tool_calls: [call("c1", "add", google), call("c2", "sub")] },
      { role: "tool", tool_call_id: "c1", content: "x" },
      { role: "tool", tool_call_id: "c2", content: "x" },
    ] as const;
    const messages = [{ role: "user", content: "Q" } as const, ...past, ...now];
    const signatures = (name: string) =>
      asArray(encoded({ messages }, name).body.contents)
        .flatMap((turn) => asArray(asObject(turn).parts))
        .filter((each) => asObject(each).functionCall)
        .map((each) => asObject(each).thoughtSignature);
    expect(signatures("gemini-3-pro-preview")).toEqual([undefined, "sig", undefined]);
    expect(
      JSON.stringify(encoded({ messages: messages.slice(0, 3) }, "gemini-2.5-flash").body),
    ).not.toContain(SENTINEL);
  });

  test("ids are dropped if Vertex AI refuses them", () => {
    const messages = [
      { role: "user", content: "Q" },
      { role: "assistant", content: null, tool_calls: [call("c1", "add")] },
      { role: "tool", tool_call_id: "c1", content: "x" },
    ] as const;
    expect(JSON.stringify(encoded({ messages }, "gemini-2.5-flash", VERTEX).body)).not.toContain('"c1"');
    expect(JSON.stringify(encoded({ messages }, "gemini-3-flash-preview", VERTEX).body)).toContain('"c1"');
  });

  test("Gemma has no system role", () => {
    const { body } = encoded(
      {
        messages: [
          { role: "system", content: "S" },
          { role: "user", content: "Q" },
        ],
      },
      "gemma-3-27b-it",
    );
    expect(body).toEqual({ contents: [{ role: "user", parts: [{ text: "S\n\n" }, { text: "Q" }] }] });
  });

  test("a conversation with only system text still has a user turn", () => {
    const { body } = encoded({ messages: [{ role: "system", content: "S" }] });
    expect(body).toEqual({ contents: [{ role: "user", parts: [{ text: "S" }] }] });
  });

  test("the newest models refuse a prefill, and consecutive assistant messages are merged", () => {
    const messages = [
      { role: "user", content: "Q" },
      { role: "assistant", content: "A" },
      { role: "assistant", content: "B" },
    ] as const;
    const turns = (name: string) =>
      asArray(encoded({ messages }, name).body.contents).map((turn) => asObject(turn).role);
    expect(turns("gemini-2.5-flash")).toEqual(["user", "model"]);
    for (const name of ["gemini-3.5-flash-lite", "gemini-3.8-flash", "gemini-4-argon"]) {
      expect(turns(name)).toEqual(["user", "model", "user"]);
    }
  });

  const png = "data:image/png;base64,AAAA";
  const jpg = "data:image/jpg;base64,AAAA";
  const media: [string, ContentPart, JsonObject][] = [
    [
      "a picture inline",
      { type: "image_url", image_url: { url: png } },
      { inlineData: { mimeType: "image/png", data: "AAAA" } },
    ],
    [
      "a type by its wrong name",
      { type: "image_url", image_url: { url: jpg } },
      { inlineData: { mimeType: "image/jpeg", data: "AAAA" } },
    ],
    [
      "a picture by address",
      { type: "image_url", image_url: { url: "https://x.test/a.WEBP?b=c.gif" } },
      { fileData: { mimeType: "image/webp", fileUri: "https://x.test/a.WEBP?b=c.gif" } },
    ],
    [
      "an address that says nothing",
      { type: "image_url", image_url: { url: "https://x.test/a" } },
      { fileData: { mimeType: "image/jpeg", fileUri: "https://x.test/a" } },
    ],
    [
      "sound",
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
      { inlineData: { mimeType: "audio/mpeg", data: "AAAA" } },
    ],
    [
      "a file of bare base64",
      { type: "file", file: { file_data: "AAAA", filename: "a.csv" } },
      { inlineData: { mimeType: "text/csv", data: "AAAA" } },
    ],
  ];
  test.each(media)("%s", (_what, given, expected) => {
    const messages = [{ role: "user", content: [given] }] as const;
    expect(encoded({ messages }).body.contents).toEqual([{ role: "user", parts: [expected] }]);
  });
});

test("thinking and its signatures are sent back unchanged over two turns", () => {
  const parts = [
    { text: "Let me ", thought: true },
    { text: "think", thought: true },
    { text: "I look." },
    { text: "", thoughtSignature: "text-sig" },
    { functionCall: { id: "g1", name: "look", args: { at: "x" } }, thoughtSignature: "call-sig" },
    { functionCall: { id: "g2", name: "look", args: { at: "y" } } },
  ];
  const events = parts.map((each, at) => part([each], at === parts.length - 1 ? "STOP" : undefined));
  for (const reply of [streamed(events), whole(part(parts, "STOP"))]) {
    const message = reply.choices[0]?.message;
    if (!message) throw new Error("no message");
    expect(message.reasoning_details?.map((each) => each.index)).toEqual([0, 1]);
    const { body } = encoded({
      messages: [
        { role: "user", content: "Q" },
        message,
        { role: "tool", tool_call_id: "g1", content: "1" },
        { role: "tool", tool_call_id: "g2", content: "2" },
      ],
    });
    expect(asObject(asArray(body.contents)[1]).parts).toEqual([
      { text: "Let me think", thought: true },
      { text: "I look.", thoughtSignature: "text-sig" },
      { functionCall: { id: "g1", name: "look", args: { at: "x" } }, thoughtSignature: "call-sig" },
      { functionCall: { id: "g2", name: "look", args: { at: "y" } } },
    ]);
  }
});

test("another provider's thinking is dropped, but OpenRouter's call signature is accepted", () => {
  const { body } = encoded({
    messages: [
      { role: "user", content: "Q" },
      {
        role: "assistant",
        content: "A",
        tool_calls: [call("c1", "add")],
        reasoning_details: [
          { type: "reasoning.text", text: "hidden", signature: "s", format: "anthropic-claude-v1", index: 0 },
          { type: "reasoning.encrypted", data: "call-sig", id: "c1", format: "google-gemini-v1", index: 1 },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "x" },
    ],
  });
  expect(asObject(asArray(body.contents)[1]).parts).toEqual([
    { text: "A" },
    { functionCall: { id: "c1", name: "add", args: { a: 1 } }, thoughtSignature: "call-sig" },
  ]);
});
