// Pictures and PDFs in the native lanes: a declared type that the provider is certain to refuse becomes the true one, and
// everything else stays.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Mending } from "../../../src/core/models/dialect.ts";
import { ANTHROPIC_LANE } from "../../../src/dialects/anthropic/lane.ts";
import type { ChatLane } from "../../../src/dialects/dialect.ts";
import { GEMINI_LANE } from "../../../src/dialects/gemini/lane.ts";
import { RESPONSES_LANE } from "../../../src/dialects/responses/lane.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { readGemini, readMessages, readResponses } from "./native-read.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = Buffer.from("%PDF-1.7\n").toBase64();

interface Way {
  readonly lane: ChatLane;
  readonly card: string;
  readonly read: typeof readMessages;
  /** The conversation with a block or part, as the user's and as a tool's result. */
  readonly holding: (block: JsonObject) => readonly JsonObject[];
  /** The field of the conversation. */
  readonly field: string;
  /** A block with what it is declared as, and what is sent. */
  readonly blocks: readonly (readonly [name: string, given: JsonObject, sent: JsonObject])[];
}

const source = (media_type: string, data: string) => ({ type: "base64", media_type, data });
const mark = { cache_control: { type: "ephemeral" } };
const called = {
  type: "tool_use",
  id: "toolu_1",
  name: "look",
  input: { type: "image", source: source("image/jpeg", PNG) },
};
const hi = { role: "user", content: "hi" };
const image = (image_url: string) => ({ type: "input_image", image_url });
const inline = (mimeType: string) => ({ inlineData: { mimeType, data: PNG } });

const WAYS: Readonly<Record<string, Way>> = {
  Messages: {
    lane: ANTHROPIC_LANE,
    card: "Anthropic#claude-sonnet-5",
    read: readMessages,
    field: "messages",
    holding: (block) => [
      { messages: [{ role: "user", content: [block] }] },
      {
        messages: [
          hi,
          { role: "assistant", content: [called] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [block] }] },
        ],
      },
    ],
    blocks: [
      [
        "a PNG that is called a JPEG",
        { type: "image", source: source("image/jpeg", PNG), ...mark },
        { type: "image", source: source("image/png", PNG), ...mark },
      ],
      [
        "a PDF that is called a picture",
        { type: "image", source: source("image/png", PDF), ...mark },
        { type: "document", source: source("application/pdf", PDF), ...mark },
      ],
      [
        "a picture that is called a PDF",
        { type: "document", source: source("application/pdf", PNG), title: "a" },
        { type: "image", source: source("image/png", PNG) },
      ],
      [
        "a true type",
        { type: "image", source: source("image/png", PNG) },
        { type: "image", source: source("image/png", PNG) },
      ],
    ],
  },
  Responses: {
    lane: RESPONSES_LANE,
    card: "OpenAI#gpt-5.4",
    read: readResponses,
    field: "input",
    holding: (block) => [
      { input: [{ role: "user", content: [block] }] },
      {
        input: [
          hi,
          { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
          { type: "function_call_output", call_id: "call_1", output: [block] },
        ],
      },
    ],
    blocks: [
      [
        "a type that says nothing",
        image(`data:application/octet-stream;base64,${PNG}`),
        image(`data:image/png;base64,${PNG}`),
      ],
      ["no type", image(`data:;base64,${PNG}`), image(`data:image/png;base64,${PNG}`)],
      [
        "another picture's type, which OpenAI doesn't mind",
        image(`data:image/jpeg;base64,${PNG}`),
        image(`data:image/jpeg;base64,${PNG}`),
      ],
    ],
  },
  Gemini: {
    lane: GEMINI_LANE,
    card: "Google#gemini-2.5-flash",
    read: readGemini,
    field: "contents",
    holding: (block) => [
      { contents: [{ role: "user", parts: [block] }] },
      {
        contents: [
          { role: "user", parts: [{ text: "hi" }] },
          { role: "model", parts: [{ functionCall: { name: "look", args: inline("") } }] },
          {
            role: "user",
            parts: [{ functionResponse: { name: "look", response: inline(""), parts: [block] } }],
          },
        ],
      },
    ],
    blocks: [
      ["a type that says nothing", inline("application/octet-stream"), inline("image/png")],
      ["image/jpg", inline("image/jpg"), inline("image/png")],
      ["another picture's type, which Google doesn't mind", inline("image/jpeg"), inline("image/jpeg")],
    ],
  },
};

function send({ lane, card, read, field }: Way, body: JsonObject, mends?: Mending) {
  const { raw, ask } = read(body);
  if (!raw) throw new Error("The surface keeps no request of the client's.");
  const target = {
    baseUrl: "https://provider.test/v1",
    secret: "s",
    headers: {},
    ...(mends ? { mends } : {}),
  };
  const sent = lane.encode(
    raw,
    ask,
    makeModelCard(card, { capabilities: new Set(["vision", "files", "tools"]) }),
    target,
  );
  return { held: sent.body[field], dropped: sent.dropped, kept: raw.body[field] };
}

const ROWS = Object.values(WAYS).flatMap((way) =>
  way.blocks.map(([name, given, sent]) => ({ name: `${way.field}: ${name}`, way, given, sent })),
);

describe.each(ROWS)("$name", ({ way, given, sent }) => {
  test("is sent as what it is, by name and where the gateway chose", () => {
    for (const mends of ["surely_refused", "refused"] as const) {
      const [asked, result] = way.holding(given).map((body) => send(way, body, mends));
      const [asExpected, resultExpected] = way.holding(sent);
      expect(asked?.held).toEqual(asExpected?.[way.field]);
      expect(result?.held).toEqual(resultExpected?.[way.field]);
      const isChanged = JSON.stringify(given) !== JSON.stringify(sent);
      expect(asked?.dropped.some((path) => path.startsWith(`${way.field}[0].`))).toBe(isChanged);
      if (!isChanged) expect([asked?.held, result?.held]).toEqual([asked?.kept, result?.kept]);
    }
  });

  test("stays as it came with `mend: never`", () => {
    for (const body of way.holding(given)) {
      const { held, kept, dropped } = send(way, body);
      expect(held).toEqual(kept);
      expect(dropped).toEqual([]);
    }
  });
});
