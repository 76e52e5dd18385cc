// Every recorded answer with citations on each surface: all are present, in place, streamed and whole.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { isDocument, readSource } from "../../src/operations/chat/answer/citations.ts";
import type { ChatReply, Citation, Delta } from "../../src/operations/chat/form.ts";
import { splitEvents } from "../recorded/events.ts";
import { atLeast } from "../recorded/load.ts";
import { type CitedRead, readCited, SURFACES } from "./cited.ts";
import { makeExchange } from "./readings.ts";
import { decodePieces, recordedAnswers, STAMP, writeStream } from "./recorded.ts";

const answers = recordedAnswers().filter(
  ({ reply }) => reply.choices.length === 1 && reply.choices[0]?.message.annotations?.length,
);

/** The source's name, and the text that rests on it, as the surface should show them. Null if it has no form. */
const FORMS: Readonly<Record<string, (citation: Citation, span: string) => CitedRead | null>> = {
  chat: (citation, span) => ({ source: findUrl(citation) ?? readSource(citation).title, span }),
  responses(citation, span) {
    const { title, document_id, container_id, end_index } = readSource(citation);
    if (!isDocument(citation)) return { source: citation.url_citation.url, span };
    if (document_id === undefined) return null;
    return { source: title, span: container_id === undefined ? `at ${end_index}` : span };
  },
  messages(citation) {
    const { title, content, document_index, location } = readSource(citation);
    const source = findUrl(citation) ?? (document_index === undefined || !location ? null : title);
    return source === null ? null : { source, span: content ?? "" };
  },
  gemini: (citation, span) => ({ source: findUrl(citation) ?? readSource(citation).title, span }),
};

function findUrl(citation: Citation): string | null {
  return isDocument(citation) ? null : citation.url_citation.url;
}

function listExpected(surface: string, { choices }: ChatReply): readonly CitedRead[] {
  const { content, annotations } = choices[0]?.message ?? {};
  return (annotations ?? []).flatMap((citation) => {
    const { start_index, end_index } = readSource(citation);
    return FORMS[surface]?.(citation, (content ?? "").slice(start_index, end_index)) ?? [];
  });
}

function sort(read: readonly CitedRead[]): readonly string[] {
  return [...new Set(read.map((one) => JSON.stringify(one)))].sort();
}

const ANNOTATED: Delta = {
  annotations: [
    {
      type: "url_citation",
      url_citation: { start_index: 0, end_index: 5, content: "Paris", url: "https://a.example/", title: "A" },
    },
  ],
};
const CALLED: Delta = {
  tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
};
const SIGNED: Delta = {
  reasoning_details: [{ type: "reasoning.encrypted", data: "s", format: "google-gemini-v1", index: 0 }],
};
const SAID: Delta = { content: "Paris." };

/** Streams in which a citation is apart from its text, and the surfaces that show it. */
const APART: readonly (readonly [string, readonly Delta[], readonly string[]])[] = [
  ["after a call", [SAID, CALLED, ANNOTATED], ["responses"]],
  ["before the text", [ANNOTATED, SAID], ["responses", "messages"]],
  ["after the text's signature", [SAID, SIGNED, ANNOTATED], ["responses", "messages"]],
];

function streamOf(surface: string, deltas: readonly Delta[]): string {
  const pieces = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  return writeStream(makeExchange(surface), pieces, true);
}

describe.each(APART)("a citation that comes %s", (_, deltas, surfaces) => {
  test.each([...surfaces])("stands with its text, read as %s", async (surface) => {
    const read = await readCited(surface, streamOf(surface, deltas));
    expect(read).toEqual([{ source: "https://a.example/", span: "Paris" }]);
  });
});

test("a signature does not end its message's item before the citations have come", () => {
  const events = splitEvents(streamOf("responses", [SAID, SIGNED, ANNOTATED])).map(({ json }) => json ?? {});
  const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
  expect(done.map((item) => asObject(item).type)).toEqual(["message", "reasoning"]);
  expect(done).toEqual([...asArray(asObject(events.at(-1)?.response).output)]);
  const after = events.filter(({ type }) => type === "response.output_text.annotation.added");
  expect(after).toHaveLength(1);
});

describe.each(Object.keys(SURFACES))("%s", (surface) => {
  test("shows every recorded citation, whole and streamed", async () => {
    const failures: JsonObject[] = [];
    for (const { subject, reply } of answers) {
      const exchange = SURFACES[surface]?.();
      if (!exchange) throw new Error(surface);
      const expected = sort(listExpected(surface, reply));
      const whole = asObject(JSON.parse(JSON.stringify(exchange.whole(reply, STAMP))));
      const stream = writeStream(exchange, decodePieces(subject, null), true);
      const one = sort(await readCited(surface, whole));
      const other = sort(await readCited(surface, stream));
      const { id } = subject.recording;
      if (!Bun.deepEquals(one, expected)) failures.push({ id, whole: one, expected });
      if (!Bun.deepEquals(other, expected)) failures.push({ id, streamed: other, expected });
    }
    expect(failures).toEqual([]);
    expect(answers.length).toBeGreaterThanOrEqual(atLeast(60));
  });
});
