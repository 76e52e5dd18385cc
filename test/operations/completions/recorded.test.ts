// Recorded legacy completions, whole and streamed: read correctly under every split, and their calls reproduced.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, isObject, parseJson } from "../../../src/core/json/json.ts";
import { makeCompletion, OPENAI_COMPLETION } from "../../../src/dialects/openai/completion.ts";
import { listChunks, type Part } from "../../../src/operations/chat/answer/run.ts";
import { COMPLETION } from "../../../src/operations/completion/operation.ts";
import { OPENAI_COMPLETIONS } from "../../../src/surfaces/openai-completions/surface.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { atLeast } from "../../recorded/load.ts";
import { incoming, STAMP } from "../../surfaces/recorded.ts";
import { type Recorded, readRecordedCompletions } from "./recordings.ts";

const codec = makeCompletion(OPENAI_COMPLETION);
const READING = { offset: 0, dropped: [], isNative: false };

const recordings = readRecordedCompletions();
const good = recordings.filter(({ status }) => status === 200);
const CARD = makeModelCard("Local#model", { operations: new Set(["completion"]) });

function readAsk({ request }: Recorded) {
  return OPENAI_COMPLETIONS.read(incoming({ ...request, model: CARD.id }));
}

/** Each choice's text and finish from the provider's own events. */
function meant(recording: Recorded) {
  const bodies = recording.isStream
    ? recording.body.split("\n").flatMap((line) => parseJson(line.replace(/^data: /, "")) ?? [])
    : [parseJson(recording.body)];
  const texts = new Map<number, { text: string; finish: unknown }>();
  for (const choice of bodies.flatMap((body) => asArray(asObject(body).choices).map(asObject))) {
    const index = Number(choice.index ?? 0);
    const before = texts.get(index) ?? { text: "", finish: null };
    // Together's word for the model's own end.
    const finish = choice.finish_reason === "eos" ? "stop" : (choice.finish_reason ?? before.finish);
    texts.set(index, { text: before.text + String(choice.text ?? ""), finish });
  }
  return [...texts].map(([index, one]) => ({ index, ...one }));
}

function readStream(recording: Recorded, pieceCharacters: number): readonly Part[] {
  const { ask } = readAsk(recording);
  const reader = COMPLETION.reader(codec, { ...READING, ask, card: CARD });
  const parts: Part[] = [];
  for (let at = 0; at < recording.body.length; at += pieceCharacters) {
    parts.push(...(reader.push(recording.body.slice(at, at + pieceCharacters))?.pieces ?? []));
  }
  parts.push(...reader.end().pieces, ...reader.finish());
  return parts;
}

function collect(parts: readonly Part[]): readonly object[] {
  const fold = COMPLETION.fold();
  fold.add(parts);
  return (fold.reply()?.choices ?? []).map(({ index, message, finish_reason }) => ({
    index,
    text: message.content,
    finish: finish_reason,
  }));
}

describe("recorded completions", () => {
  test("include some of each kind", () => {
    expect(good.filter(({ isStream }) => isStream).length).toBeGreaterThanOrEqual(atLeast(6));
    expect(good.filter(({ isStream }) => !isStream).length).toBeGreaterThanOrEqual(atLeast(10));
  });

  for (const recording of good.filter(({ isStream }) => !isStream)) {
    test(`${recording.id}: a whole answer`, () => {
      const { ask, whole } = readAsk(recording);
      const reply = COMPLETION.readWhole(
        codec,
        { body: recording.body, headers: new Headers() },
        { ...READING, ask, card: CARD },
      );
      const body = asObject(parseJson(recording.body));
      const written = asObject(whole(reply, STAMP));
      expect(written).toMatchObject({ object: "text_completion", id: STAMP.id, model: STAMP.model });
      expect(asArray(written.choices)).toEqual(
        asArray(body.choices).map((one) => {
          // Writer states neither the index nor the finish of its only choice.
          const { text, index = 0, logprobs = null, finish_reason = "stop" } = asObject(one);
          return { text, index, logprobs, finish_reason };
        }),
      );
      if (body.usage === undefined) expect(reply.usage).toBeUndefined();
      else expect(reply.usage).toMatchObject(asObject(body.usage));
    });
  }

  for (const recording of good.filter(({ isStream }) => isStream)) {
    test(`${recording.id}: a stream, under cuts of every size`, () => {
      for (const size of [1, 2, 7, 64, 1000, recording.body.length]) {
        expect(collect(readStream(recording, size))).toEqual(meant(recording));
      }
    });

    test(`${recording.id}: as read by its client`, () => {
      const writer = readAsk(recording).writer(() => STAMP);
      const text = writer.write(readStream(recording, 1000)) + writer.end();
      expect(text).toEndWith("data: [DONE]\n\n");
      expect(meant({ ...recording, body: text })).toEqual(meant(recording));
      const first = asObject(parseJson(text.split("\n")[0]?.replace("data: ", "") ?? ""));
      expect(first).toMatchObject({ object: "text_completion", id: STAMP.id, model: STAMP.model });
      expect(listChunks(readStream(recording, 1000)).length).toBeGreaterThan(1);
    });
  }

  for (const recording of recordings.filter(({ status }) => status === 200)) {
    test(`${recording.id}: the same call`, () => {
      const { ask } = readAsk(recording);
      const target = { baseUrl: "http://127.0.0.1/v1", secret: "k", headers: {} };
      const { body, url } = codec.encode(ask, CARD, target);
      expect(url).toEndWith("/v1/completions");
      const { prompt, stop, n, stream, ...rest } = recording.request;
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
      const prompts = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
      expect(JSON.parse(JSON.stringify(body))).toEqual({
        ...given,
        model: CARD.name,
        prompt: prompts,
        ...(stop === undefined ? {} : { stop: typeof stop === "string" ? [stop] : stop }),
        ...(n === undefined || n === 1 ? {} : { n }),
        ...(stream === true ? { stream, stream_options: { include_usage: true } } : {}),
      });
    });
  }

  test("requests refused by the provider are refused or passed on", () => {
    const refused = recordings.filter(({ status }) => status >= 400).map(({ request }) => request);
    expect(refused.length).toBeGreaterThanOrEqual(atLeast(3));
    const [negative] = refused.filter(({ max_tokens: limit }) => limit === -1);
    expect(isObject(negative)).toBe(true);
    expect(() => OPENAI_COMPLETIONS.read(incoming({ ...negative, model: CARD.id }))).toThrow("max_tokens");
  });
});
