// Pictures, speech and transcripts as streams: parts as they arrive, exact charges, hang-ups, failures in mid-stream.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listProblems } from "../../../src/admin/money/verify.ts";
import { openStore } from "../../../src/app/start/open-store.ts";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { DRAFTS, SPOKEN, STREAMED_PICTURE, WORDS } from "../../operations/media/streams.ts";
import { SOUND } from "../../operations/media/upstream.ts";
import { type MediaWorld, makeForm, makeWav, startMediaWorld } from "../../operations/media/world.ts";
import { until } from "../world/until.ts";

let world: MediaWorld;
beforeAll(async () => {
  world = await startMediaWorld();
});
afterAll(() => world.stop());

const PICTURE_USD = (10 * 5 + 4 * 10 + 472 * 40) / 1e6;
const SPOKEN_TEXT = "grüße 👋";

const drawing = (model: string, more: object = {}) =>
  world.post("/images/generations", { model: `Studio#${model}`, prompt: "x", stream: true, ...more });
const wait = async (response: Promise<Response>) => readAnswer(await response);

/** Reads a stream part by part. */
function readAnswer(response: Response) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const next = async (what: string) => {
    while (!text.includes(what)) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`'${what}' did not come; read so far: ${text}`);
      text += decoder.decode(value, { stream: true });
    }
    return text;
  };
  const rest = async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return text;
      text += decoder.decode(value, { stream: true });
    }
  };
  return { response, next, rest, cancel: () => reader?.cancel() };
}

function listEvents(text: string): readonly JsonObject[] {
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => asObject(JSON.parse(line.slice("data: ".length))));
}

describe("pictures", () => {
  test("a draft is shown early, and the last event's usage is charged", async () => {
    const payer = await world.payer(5);
    const stream = await wait(
      world.post(
        "/images/generations",
        { model: "Studio#painter-slow", prompt: "x", stream: true, partial_images: 2 },
        payer.secret,
      ),
    );
    expect(stream.response.headers.get("content-type")).toStartWith("text/event-stream");
    await stream.next(DRAFTS[0]);
    world.upstream.goOn();
    const text = await stream.rest();
    expect(text).toContain("event: image_generation.partial_image\n");
    expect(listEvents(text)).toMatchObject([
      { type: "image_generation.partial_image", b64_json: DRAFTS[0], partial_image_index: 0 },
      { type: "image_generation.partial_image", b64_json: DRAFTS[1], size: "1024x1024", quality: "low" },
      {
        type: "image_generation.completed",
        b64_json: STREAMED_PICTURE,
        usage: { output_tokens: 472, charged: PICTURE_USD },
      },
    ]);
    expect(text).not.toContain("[DONE]");
    expect(await payer.balance()).toBeCloseTo(5 - PICTURE_USD, 9);
    expect(world.upstream.last().body).toMatchObject({ stream: true, partial_images: 2 });
  });

  test("edits have their own events", async () => {
    const image = new File([SOUND], "a.png", { type: "image/png" });
    const form = makeForm({
      model: "Studio#painter",
      prompt: "x",
      image,
      stream: "true",
      partial_images: "1",
    });
    const events = listEvents(await (await world.post("/images/edits", form)).text());
    expect(events.map(({ type }) => type)).toEqual(["image_edit.partial_image", "image_edit.completed"]);
    expect(world.upstream.last().body).toMatchObject({ stream: "true", partial_images: "1" });
  });

  test("no more drafts are shown than requested", async () => {
    const text = await (await drawing("painter-flooding", { partial_images: 1 })).text();
    expect(listEvents(text).map(({ b64_json }) => b64_json)).toEqual([DRAFTS[0], STREAMED_PICTURE]);
  });

  test("a server without streams gives each picture as its last event, with the total usage", async () => {
    const events = listEvents(await (await drawing("silent", { n: 2, partial_images: 3 })).text());
    expect(events).toMatchObject([
      { type: "image_generation.completed", b64_json: "aGVsbG8=" },
      { type: "image_generation.completed", b64_json: "aGVsbG8=", usage: { cost: 0.08 } },
    ]);
  });

  test("a request is made once per Idempotency-Key, whole and streamed", async () => {
    const payer = await world.payer(5);
    const ask = (stream: boolean) =>
      world.post(
        "/images/generations",
        { model: "Studio#painter", prompt: "x", stream, partial_images: 1 },
        payer.secret,
        { "idempotency-key": "one-picture" },
      );
    const before = world.upstream.calls.length;
    const events = listEvents(await (await ask(true)).text());
    expect(events.map(({ type }) => type)).toEqual([
      "image_generation.partial_image",
      "image_generation.completed",
    ]);
    expect(listEvents(await (await ask(true)).text())).toMatchObject([
      { type: "image_generation.completed", b64_json: STREAMED_PICTURE, usage: { charged: PICTURE_USD } },
    ]);
    expect(await (await ask(false)).json()).toMatchObject({ data: [{ b64_json: STREAMED_PICTURE }] });
    expect(world.upstream.calls.length).toBe(before + 1);
    expect(await payer.balance()).toBeCloseTo(5 - PICTURE_USD, 9);
  });
});

describe("transcripts", () => {
  const dictating = (model: string, secret?: string) =>
    world.post(
      "/audio/transcriptions",
      makeForm({ model: `Studio#${model}`, file: makeWav(3), stream: "true" }),
      secret,
    );

  test("words are shown early, and the last event's usage is charged", async () => {
    const payer = await world.payer(5);
    const stream = await wait(dictating("scribe-slow", payer.secret));
    await stream.next(WORDS[0]);
    world.upstream.goOn();
    const text = await stream.rest();
    expect(listEvents(text)).toMatchObject([
      ...WORDS.map((delta) => ({ type: "transcript.text.delta", delta })),
      { type: "transcript.text.done", text: WORDS.join(""), usage: { type: "tokens", output_tokens: 144 } },
    ]);
    expect(text).toEndWith("\n\ndata: [DONE]\n\n");
    expect(await payer.balance()).toBeCloseTo(5 - (7 * 2.5 + 30 * 6 + 144 * 10) / 1e6, 9);
    expect(world.upstream.last().body).toMatchObject({ stream: "true", response_format: "json" });
  });

  test("a server without streams gives the text in one piece", async () => {
    const text = await (await dictating("whisper")).text();
    expect(listEvents(text)).toMatchObject([
      { type: "transcript.text.delta", delta: "by that conference." },
      { type: "transcript.text.done", text: "by that conference.", usage: { type: "duration", seconds: 4 } },
    ]);
  });

  test("subtitles arrive complete", async () => {
    const fields = { model: "Studio#scribe", file: makeWav(1), stream: "true", response_format: "vtt" };
    const response = await world.post("/audio/transcriptions", makeForm(fields));
    expect(response.headers.get("content-type")).toStartWith("text/vtt");
    expect(world.upstream.last().body.stream).toBeUndefined();
    await response.text();
  });
});

describe("speech", () => {
  const speaking = (model: string, more: object = {}, secret?: string) =>
    world.post(
      "/audio/speech",
      { model: `Studio#${model}`, input: SPOKEN_TEXT, voice: "nova", ...more },
      secret,
    );

  test("audio starts before the rest has arrived", async () => {
    const response = await speaking("voice-slow");
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toEqual(SPOKEN[0]);
    world.upstream.goOn();
    expect((await reader?.read())?.value).toEqual(SPOKEN[1]);
    expect((await reader?.read())?.done).toBe(true);
  });

  test("a server's own events contain the audio and its usage", async () => {
    const payer = await world.payer(5);
    const stream = await wait(speaking("gpt-voice-slow", { stream_format: "sse" }, payer.secret));
    await stream.next(SPOKEN[0].toBase64());
    world.upstream.goOn();
    expect(listEvents(await stream.rest())).toMatchObject([
      { type: "speech.audio.delta", audio: SPOKEN[0].toBase64() },
      { type: "speech.audio.delta", audio: SPOKEN[1].toBase64() },
      { type: "speech.audio.done", usage: { input_tokens: 3, output_tokens: 42, total_tokens: 45 } },
    ]);
    expect(await payer.balance()).toBeCloseTo(5 - (3 * 0.6 + 42 * 12) / 1e6, 9);
    expect(world.upstream.last().body.stream_format).toBe("sse");
  });

  test("events are created from a server's plain bytes", async () => {
    const stream = await wait(speaking("voice-slow", { stream_format: "sse" }));
    await stream.next(SPOKEN[0].toBase64());
    world.upstream.goOn();
    const types = listEvents(await stream.rest()).map(({ type }) => type);
    expect(types).toEqual(["speech.audio.delta", "speech.audio.delta", "speech.audio.done"]);
    expect(world.upstream.last().body.stream_format).toBeUndefined();
  });

  test("a broken connection breaks the client's too, so that it can't be mistaken for a complete answer", async () => {
    const response = await speaking("voice-breaking");
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toEqual(SPOKEN[0]);
    world.upstream.goOn();
    const left = async () => (await reader?.read())?.done;
    expect(left()).rejects.toThrow();
    await left().catch(() => {});
    expect(await world.lastRow()).toMatchObject({ ended: "broken_off" });
  });
});

test("a prompt that the safety system rejects is the client's refusal, however often it happens", async () => {
  const answers: unknown[] = [];
  for (let time = 0; time < 8; time++) {
    const response = await drawing("painter-blocked");
    const { error } = await response.json();
    answers.push([response.status, error.code, error.message]);
  }
  expect(answers).toEqual(Array(8).fill([400, "content_filter", "Rejected for safety."]));
});

describe("an unfinished stream", () => {
  const PATHS: Readonly<Record<string, (model: string) => Promise<Response>>> = {
    painter: (model) => drawing(model, { partial_images: 2 }),
    scribe: (model) =>
      world.post(
        "/audio/transcriptions",
        makeForm({ model: `Studio#${model}`, file: makeWav(3), stream: "true" }),
      ),
    "gpt-voice": (model) =>
      world.post("/audio/speech", { model: `Studio#${model}`, input: "x", voice: "a", stream_format: "sse" }),
  };
  const FIRST = { painter: DRAFTS[0], scribe: WORDS[0], "gpt-voice": SPOKEN[0].toBase64() };
  for (const [model, first] of Object.entries(FIRST)) {
    const ask = (how: string) => PATHS[model]?.(`${model}-${how}`) ?? Promise.reject(new Error(model));

    test(`${model}: a client that leaves ends the call and pays an estimate`, async () => {
      const stream = await wait(ask("slow"));
      await stream.next(first);
      await stream.cancel();
      expect(await world.upstream.last().sent).toBe(false);
      const row = await until("the row", async () => {
        const one = await world.lastRow();
        return one.ended === "client_gone" && String(one.model_used).endsWith(`${model}-slow`) ? one : null;
      });
      expect(row).toMatchObject({ usage_source: "estimate", stream: true });
      expect(Number(row.cost_usd)).toBeGreaterThan(0);
    });

    for (const [how, goes] of [
      ["breaking", true],
      ["erring", false],
      ["ending", false],
    ] as const) {
      test(`${model}: one that is ${how} ends with an error event`, async () => {
        const stream = await wait(ask(how));
        await stream.next(first);
        if (goes) world.upstream.goOn();
        const text = await stream.rest();
        expect(listEvents(text).at(-1)).toMatchObject({
          error: { type: "api_error", code: "upstream_error" },
        });
        expect(text).not.toContain("[DONE]");
        expect(await world.lastRow()).toMatchObject({ ended: "broken_off", usage_source: "estimate" });
      });
    }
  }

  test("the books balance afterwards", async () => {
    const { store } = await openStore(`sqlite:${world.directory}/poundkey.db`, undefined);
    try {
      expect(listProblems(await store.audit())).toEqual([]);
    } finally {
      await store.close();
    }
  });
});
