// The messages of Converse: turns, media, tool results, ids and reasoning.
import { describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { bedrock } from "../../../src/dialects/bedrock/dialect.ts";
import type { ChatMessage } from "../../../src/operations/chat/form.ts";
import { catchCode, makeCard, makeRequest } from "../cases/drive.ts";
import { ALL, calls, encode, hi, LLAMA, NOVA, result, target, turns } from "./converse-cases.ts";

describe("messages", () => {
  test("leading system messages become the system prompt, later ones keep their place", () => {
    const { body } = encode({
      messages: [
        { role: "system", content: "A" },
        { role: "developer", content: "B" },
        hi,
        { role: "system", content: "C" },
      ],
    });
    expect(body.system).toEqual([{ text: "A" }, { text: "B" }]);
    expect(body.messages).toEqual([
      { role: "user", content: [{ text: "Hi" }, { text: "<system_message>\nC\n</system_message>" }] },
    ]);
  });

  test("turns alternate, start and end with the user, and contain no blank text", () => {
    expect(
      turns([
        { role: "assistant", content: "A" },
        { role: "user", content: " " },
      ]),
    ).toEqual([
      { role: "user", content: [{ text: "Begin." }] },
      { role: "assistant", content: [{ text: "A" }] },
      { role: "user", content: [{ text: expect.stringContaining("Go on") }] },
    ]);
  });

  test("images and documents are sent as bytes, with a valid name and text beside them", () => {
    const content = [
      { type: "image_url" as const, image_url: { url: "data:image/jpg;base64,AAAA" } },
      {
        type: "file" as const,
        file: { filename: "Jahres_bericht  (1).pdf", file_data: "data:application/pdf;base64,BBBB" },
      },
      { type: "file" as const, file: { filename: "a.csv", file_data: "data:text/plain;base64,CCCC" } },
      { type: "file" as const, file: { file_data: "DDDD" } },
    ];
    expect(turns([{ role: "user", content }])[0]?.content).toEqual([
      { image: { format: "jpeg", source: { bytes: "AAAA" } } },
      { document: { format: "pdf", name: "Jahres bericht (1)", source: { bytes: "BBBB" } } },
      { document: { format: "csv", name: "a", source: { bytes: "CCCC" } } },
      { document: { format: "pdf", name: "document 4", source: { bytes: "DDDD" } } },
      { text: "See the attached document." },
    ]);
  });

  test("documents of the same name stay distinct, also in tool results", () => {
    const file = (filename?: string) => ({
      type: "file" as const,
      file: { file_data: "AAAA", ...(filename ? { filename } : {}) },
    });
    const messages: ChatMessage[] = [
      { role: "user", content: [file("a.pdf"), file("a.pdf")] },
      calls("c"),
      result("c", { content: [file("a.pdf"), file()] }),
      { role: "user", content: [file(), { type: "text", text: "?" }] },
    ];
    const names = JSON.stringify(turns(messages)).matchAll(/"name":"([^"]*)","source"/g);
    expect([...names].map(([, name]) => name)).toEqual(["a", "a (2)", "a (3)", "document 2", "document 1"]);
  });

  const refused = [
    { type: "image_url" as const, image_url: { url: "https://a.example/x.png" } },
    { type: "image_url" as const, image_url: { url: "data:image/tiff;base64,AAAA" } },
    { type: "file" as const, file: { file_data: "https://a.example/x.pdf" } },
    { type: "file" as const, file: { file_data: "data:application/zip;base64,AAAA" } },
    { type: "input_audio" as const, input_audio: { data: "AAAA", format: "wav" } },
  ];
  test.each(refused)("%j can't be sent", (part) => {
    const messages: ChatMessage[] = [{ role: "user", content: [part] }];
    expect(catchCode(() => encode({ messages }))).toBe("unsupported_capability");
  });

  test("results follow their calls in the next turn and say if the tool failed", () => {
    const messages = [
      hi,
      calls("a", "b"),
      hi,
      result("b", { is_error: true }),
      result("a", { is_error: false }),
    ];
    const answers = (blocks: object[]) => ({ role: "user", content: [...blocks, { text: "Hi" }] });
    const block = (toolUseId: string, more: object) => ({ toolResult: { toolUseId, ...more } });
    const x = [{ text: "x" }];
    expect(turns(messages)[2]).toEqual(
      answers([block("b", { content: x, status: "error" }), block("a", { content: x, status: "success" })]),
    );
    expect(turns(messages, LLAMA)[2]).toEqual(
      answers([block("b", { content: [{ text: "Error: " }, ...x] }), block("a", { content: x })]),
    );
  });

  test("ids are made to fit Bedrock's pattern, consistently and without duplicates", () => {
    const long = `${"y".repeat(80)}!1`;
    const [, first, , second, answers] = turns([
      hi,
      calls("f_0", long),
      result("f_0"),
      result(long),
      calls("f_0"),
      result("f_0", { content: "" }),
    ]);
    const ids = [first, second].flatMap((turn) =>
      asArray(turn?.content).map((block) => asObject(asObject(block).toolUse).toolUseId),
    );
    expect(ids).toEqual(["f_0", expect.stringMatching(/^y{47}_[0-9a-f]{16}$/), "f_0_1"]);
    expect(asArray(answers?.content).length).toBe(1);
    const answered = turns([hi, calls(long), result(long)])[2];
    expect(asObject(asObject(asArray(answered?.content)[0]).toolResult).toolUseId).toBe(ids[1]);
    expect(answers?.content).toEqual([
      { toolResult: { toolUseId: "f_0_1", content: [{ text: "(empty)" }] } },
    ]);
  });

  test("only signed reasoning is sent back, before what followed it", () => {
    const format = "bedrock-converse-v1";
    const detail = (index: number, more: object, form = format) => ({
      type: "reasoning.text" as const,
      format: form,
      index,
      ...more,
    });
    const answer: ChatMessage = {
      role: "assistant",
      content: "A",
      reasoning_details: [
        detail(1, { data: "ZGF0YQ==" }),
        detail(0, { text: "Hm" }),
        detail(0, { text: "m.", signature: "s" }),
        detail(2, { text: "unsigned" }),
        detail(3, { text: "x", signature: "s" }, "anthropic-claude-v1"),
      ],
    };
    const made = bedrock.chat.encode(
      makeRequest({ messages: [hi, answer, hi] }),
      makeCard(NOVA, ALL),
      target,
    );
    expect(asObject(asArray(made.body.messages)[1]).content).toEqual([
      { reasoningContent: { reasoningText: { text: "Hmm.", signature: "s" } } },
      { reasoningContent: { redactedContent: "ZGF0YQ==" } },
      { text: "A" },
    ]);
  });
});
