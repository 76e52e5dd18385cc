// The fast path of a stream against the slow one: the same bytes to the client and the same counts, for any input.
import { describe, expect, test } from "bun:test";
import { CAPABILITIES } from "../../../src/core/models/card.ts";
import { findDialect } from "../../../src/providers/index.ts";
import { ANTHROPIC_MESSAGES } from "../../../src/surfaces/anthropic-messages/surface.ts";
import { OPENAI_RESPONSES } from "../../../src/surfaces/openai-responses/surface.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { IS_LONG, sampleRows } from "../../harness/long.ts";
import { listCuts } from "../../recorded/cuts.ts";
import { atLeast, readTraffic } from "../../recorded/load.ts";
import { encodeText, makeSubject } from "../../recorded/pipeline.ts";
import { incoming, STAMP } from "../../surfaces/recorded.ts";
import { type Subject, same } from "./splice/both.ts";
import { anthropicStream, chatStream, cutStream, Dice } from "./splice/streams.ts";

const MANY_CUTS_MS = 60_000;
/** Of the recorded streams, one in so many is cut everywhere, and all in the long form. */
const STEP = 3;
const recordings = readTraffic().recordings.filter(({ streamed }) => streamed);

describe("recorded streams", () => {
  for (const [file, own] of Map.groupBy(recordings, (recording) => recording.file)) {
    test(
      file,
      () => {
        for (const recording of sampleRows(own, STEP)) {
          const subject = makeSubject(recording);
          same(subject, [encodeText(recording.body)]);
          for (const { pieces } of listCuts(recording)) same(subject, pieces);
        }
      },
      MANY_CUTS_MS,
    );
  }

  test("most texts of common servers take the fast path", () => {
    const shares = ["deepseek", "groq", "llamacpp", "openai", "anthropic"].map((file) => {
      const own = recordings.filter(
        ({ file: of, api }) => of === file && (api === "openai-chat" || api === "anthropic-messages"),
      );
      const spliced = own.map((recording) => same(makeSubject(recording), [encodeText(recording.body)]));
      const events = own.map(({ body }) => body.split(/\n\ndata:|\n\nevent:/).length);
      return { file, share: sum(spliced) / sum(events) };
    });
    for (const { file, share } of shares) expect([file, share > 0.25]).toEqual([file, true]);
  });
});

describe("recorded streams in the native lane", () => {
  const question = { role: "user", content: "a" };
  const anthropic = { model: "m", max_tokens: 10, messages: [question] };
  const responses = { model: "m", input: [question] };
  for (const [name, api, surface, request, least] of [
    ["anthropic", "anthropic-messages", ANTHROPIC_MESSAGES, anthropic, 30],
    ["responses", "openai-responses", OPENAI_RESPONSES, responses, 300],
  ] as const) {
    test(
      `${name}: the fast path gives the same events, byte for byte, under every cut`,
      () => {
        const lane = findDialect(name).chat?.lanes?.[name];
        if (!lane) throw new Error(`${name} has no lane of its own.`);
        const makeWriter = () => surface.read(incoming(request)).writer(() => STAMP);
        let spliced = 0;
        for (const recording of sampleRows(
          recordings.filter((one) => one.api === api),
          STEP,
        )) {
          const subject = { ...makeSubject(recording), lane, makeWriter };
          spliced += same(subject, [encodeText(recording.body)]);
          for (const { pieces } of listCuts(recording)) same(subject, pieces);
        }
        expect(spliced).toBeGreaterThanOrEqual(atLeast(least));
      },
      MANY_CUTS_MS,
    );
  }
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const subjectNamed = (name: "openai" | "anthropic"): Subject => ({
  dialect: findDialect(name),
  card: makeModelCard(`Here#${name}`, { capabilities: new Set(CAPABILITIES) }),
  request: { model: `Here#${name}`, messages: [{ role: "user", content: "Hi" }], stream: true },
});

describe("generated streams: odd keys, numbers, escapes, braces in text, duplicate keys, comments, split data, CRLF", () => {
  const SEEDS = Array.from({ length: IS_LONG ? 400 : 150 }, (_, seed) => seed + 1);

  for (const [name, stream] of [
    ["openai", chatStream],
    ["anthropic", anthropicStream],
  ] as const) {
    test(name, () => {
      let spliced = 0;
      for (const seed of SEEDS) {
        const dice = new Dice(seed);
        const text = stream(dice);
        spliced += same(subjectNamed(name), [encodeText(text)]);
        same(subjectNamed(name), cutStream(text, dice));
      }
      expect(spliced).toBeGreaterThan(SEEDS.length / 2);
    });
  }
});

test("a field that only looks like padding is passed on unchanged", () => {
  const events = ["same", "same", "other", "another"].map(
    (p, at) => `{"choices":[{"index":0,"delta":{"content":"word ${at}"},"finish_reason":null,"p":"${p}"}]}`,
  );
  const all = [
    '{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}',
    ...events,
    '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  ];
  same(subjectNamed("openai"), [encodeText(all.map((one) => `data: ${one}\n\n`).join(""))]);
});
