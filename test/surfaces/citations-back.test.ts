// Citations that clients send back: the provider's own pass in its lane, and elsewhere they are dropped and named.
import { describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../src/core/json/json.ts";
import { ANTHROPIC_MESSAGES } from "../../src/surfaces/anthropic-messages/surface.ts";
import { OPENAI_RESPONSES } from "../../src/surfaces/openai-responses/surface.ts";
import { incoming } from "./recorded.ts";

const question = { role: "user", content: "Where?" };

describe("messages", () => {
  const page = { type: "web_search_result_location", url: "https://a.example/", title: "A", cited_text: "" };
  const own = { ...page, encrypted_index: "sealed" };
  const read = (content: readonly JsonObject[], role = "assistant") =>
    ANTHROPIC_MESSAGES.read(
      incoming({ model: "m", max_tokens: 10, messages: [question, { role, content }, question] }),
    );

  test("a translation leaves them out, and names them", () => {
    const { ask, lost } = read([{ type: "text", text: "Paris.", citations: [own] }]);
    expect(lost).toEqual(["citations"]);
    expect(asObject(ask.messages[1])).toEqual({ role: "assistant", content: "Paris." });
    expect(read([{ type: "text", text: "Paris.", citations: null }]).lost).toEqual([]);
  });

  test("a translation names the wish that a document is cited", () => {
    const document = { type: "document", source: { type: "text", media_type: "text/plain", data: "Paris" } };
    expect(read([{ ...document, citations: { enabled: true } }], "user").lost).toEqual(["citations"]);
    expect(read([{ ...document, citations: { enabled: false } }], "user").lost).toEqual([]);
  });

  test("Anthropic gets its own alone: it can't open another provider's", () => {
    const { raw } = read([
      { type: "text", text: "Paris.", citations: [{ ...page, encrypted_index: "" }, own] },
    ]);
    expect(asObject(raw?.body).messages).toEqual([
      question,
      { role: "assistant", content: [{ type: "text", text: "Paris.", citations: [own] }] },
      question,
    ]);
  });
});

describe("responses", () => {
  const page = { type: "url_citation", url: "https://a.example/", title: "A", start_index: 0, end_index: 5 };
  const file = { type: "file_citation", file_id: "file-1", filename: "a.pdf", index: 5 };
  const said = { type: "message", role: "assistant" };
  const read = (annotations: readonly JsonObject[], id: string) => {
    const content = [{ type: "output_text", text: "Paris.", annotations }];
    return OPENAI_RESPONSES.read(
      incoming({ model: "m", input: [question, { ...said, id, content }, question] }),
    );
  };
  const listSent = ({ raw }: ReturnType<typeof read>) => asObject(raw?.body).input;

  test("a translation leaves them out, and names them", () => {
    const { ask, lost } = read([page, file], "msg_1");
    expect(lost).toEqual(["annotations"]);
    expect(asObject(ask.messages[1])).toEqual({ role: "assistant", content: "Paris." });
    expect(read([], "msg_1").lost).toEqual([]);
  });

  test("OpenAI gets its own whole, and of another provider's those of pages", () => {
    const content = (annotations: readonly JsonObject[]) => [
      { type: "output_text", text: "Paris.", annotations },
    ];
    expect(listSent(read([page, file], "msg_1"))).toEqual([
      question,
      { ...said, id: "msg_1", content: content([page, file]) },
      question,
    ]);
    expect(listSent(read([page, file], "msg_pk1_a_0"))).toEqual([
      question,
      { ...said, content: content([page]) },
      question,
    ]);
  });
});
