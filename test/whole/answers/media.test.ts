// Images, speech and transcripts over HTTP: what providers receive and what clients get.
import { afterAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { readStanding } from "../../clients/setting.ts";
import { PICTURE, SOUND, VTT } from "../../operations/media/upstream.ts";
import { makeForm, makeWav, startMediaWorld } from "../../operations/media/world.ts";

const world = await startMediaWorld();
afterAll(() => world.stop());

async function read(response: Response): Promise<JsonObject> {
  return asObject(await response.json());
}

/** The events of a stream, by their data. */
async function readEvents(response: Response): Promise<readonly JsonObject[]> {
  expect(response.headers.get("content-type")).toStartWith("text/event-stream");
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => asObject(JSON.parse(line.slice("data: ".length))));
}

describe("images", () => {
  test("pictures arrive as the provider made them, with OpenAI's usage format", async () => {
    const response = await world.post("/images/generations", {
      model: "Studio#painter",
      prompt: "a siamese cat",
      n: 2,
      size: "1024x1024",
      quality: "low",
      user: "u1",
    });
    expect(response.status).toBe(200);
    expect(await read(response)).toMatchObject({
      data: [{ b64_json: PICTURE }, { b64_json: PICTURE }],
      usage: { input_tokens: 14, output_tokens: 272, input_tokens_details: { image_tokens: 4 } },
    });
    expect(world.upstream.last()).toMatchObject({
      path: "/images/generations",
      body: {
        model: "painter",
        prompt: "a siamese cat",
        n: 2,
        size: "1024x1024",
        quality: "low",
        user: "u1",
      },
    });
  });

  test("pictures to edit are passed on as files or URLs, as received", async () => {
    const pictures = [1, 2].map((at) => new File([SOUND], `${at}.png`, { type: "image/png" }));
    const mask = new File([SOUND], "mask.png", { type: "image/png" });
    const form = makeForm({ model: "Studio#painter", prompt: "green", image: pictures, mask, n: "1" });
    expect((await world.post("/images/edits", form)).status).toBe(200);
    const { body, files, path } = world.upstream.last();
    expect(path).toBe("/images/edits");
    expect(body).toMatchObject({
      model: "painter",
      prompt: "green",
      "image[]": ["1.png", "2.png"],
      mask: "mask.png",
    });
    expect(new Uint8Array((await files[0]?.arrayBuffer()) ?? [])).toEqual(SOUND);
    const images = [{ image_url: "https://example.test/a.png" }];
    const json = { model: "Studio#painter", prompt: "green", images };
    expect((await world.post("/images/edits", json)).status).toBe(200);
    expect(world.upstream.last().body).toMatchObject({ images });
  });

  test("a markup shows what to change, as a file or an address", async () => {
    const file = (name: string) => new File([SOUND], name, { type: "image/png" });
    const form = { model: "Studio#painter", prompt: "green", image: file("a.png") };
    const edit = async (more: Parameters<typeof world.post>[1]) => {
      const response = await world.post("/images/edits", more);
      expect(response.status).toBe(200);
      await response.text();
      return world.upstream.last().body;
    };
    expect(await edit(makeForm({ ...form, markup: file("drawn.png") }))).toMatchObject({
      "image[]": ["a.png"],
      markup: "drawn.png",
    });
    // A form has no place for an address.
    const address = "data:image/png;base64,iVBORw0KGgo=";
    expect(await edit(makeForm({ ...form, mask: address }))).toMatchObject({
      images: [{ image_url: expect.stringMatching(/^data:/) }],
      mask: { image_url: address },
    });
    const images = [{ image_url: "https://example.test/a.png" }];
    const markup = { image_url: "https://example.test/b.png" };
    expect(await edit({ model: "Studio#painter", prompt: "green", images, markup })).toMatchObject({
      markup,
    });
    const drawing = { model: "Studio#painter", prompt: "green", markup: address };
    const drawn = await world.post("/images/generations", drawing);
    expect(drawn.headers.get("x-poundkey-dropped")).toBe("markup");
    await drawn.text();
  });

  test("a stream ends with an event for each picture", async () => {
    const body = { model: "Studio#painter", prompt: "a cat", stream: true, partial_images: 2 };
    const response = await world.post("/images/generations", { ...body, model: "Studio#silent" });
    expect(await readEvents(response)).toMatchObject([
      { type: "image_generation.completed", b64_json: PICTURE, usage: { cost: 0.04 } },
    ]);
    const whole = await world.post("/images/generations", { ...body, stream: false });
    expect(whole.headers.get("x-poundkey-dropped")).toBe("partial_images");
    await whole.text();
  });

  test("an answer of 20 MB arrives complete", async () => {
    const { data } = await read(
      await world.post("/images/generations", { model: "Studio#huge", prompt: "x" }),
    );
    expect(String(asObject(asArray(data)[0]).b64_json)).toHaveLength(20 * 1024 * 1024);
  });

  test("two answers take two places of the allowance, failed ones none", async () => {
    const { secret } = await world.newKey({ requests_per_day: 5 });
    await world.post("/images/generations", { model: "Studio#painter", prompt: "x", n: 2 }, secret);
    expect((await readStanding(world.url, secret)).used).toBe(2);
    const failed = await world.post(
      "/images/generations",
      { model: "Studio#failing", prompt: "x", n: 2 },
      secret,
    );
    expect(failed.status).toBe(502);
    expect((await readStanding(world.url, secret)).used).toBe(2);
  });
});

describe("speech", () => {
  test("audio arrives byte by byte with its media type", async () => {
    const body = { model: "Studio#voice", input: "hello", voice: "nova", response_format: "mp3", speed: 1.5 };
    const response = await world.post("/audio/speech", body);
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(SOUND);
    expect(world.upstream.last().body).toEqual({ ...body, model: "voice" });
  });

  test("a stream of events carries the same audio", async () => {
    const body = { model: "Studio#voice", input: "hello", voice: "nova", stream_format: "sse" };
    expect(await readEvents(await world.post("/audio/speech", body))).toMatchObject([
      { type: "speech.audio.delta", audio: SOUND.toBase64() },
      { type: "speech.audio.done" },
    ]);
  });
});

describe("transcripts", () => {
  test("the form is rebuilt from its fields, with the provider's model name", async () => {
    const form = makeForm({
      model: "Studio#scribe",
      file: makeWav(3),
      language: "en",
      temperature: "0.5",
      timestamp_granularities: ["word", "segment"],
      response_format: "verbose_json",
    });
    const answer = await read(await world.post("/audio/transcriptions", form));
    expect(answer).toMatchObject({
      text: "by that conference.",
      usage: { type: "tokens", input_tokens: 37 },
    });
    const { path, body, files } = world.upstream.last();
    expect(path).toBe("/audio/transcriptions");
    expect(body).toEqual({
      model: "scribe",
      file: "a.wav",
      language: "en",
      temperature: "0.5",
      "timestamp_granularities[]": ["word", "segment"],
      response_format: "verbose_json",
    });
    expect(files[0]?.size).toBe(3 * 8000 + 44);
  });

  test("translations have their own route", async () => {
    const form = makeForm({ model: "Studio#whisper", file: makeWav(1) });
    expect((await world.post("/audio/translations", form)).status).toBe(200);
    expect(world.upstream.last().path).toBe("/audio/translations");
  });

  test("plain-text formats are written from JSON, which has a report, and a stream is made from a whole transcript", async () => {
    const subtitles = makeForm({ model: "Studio#whisper", file: makeWav(1), response_format: "vtt" });
    const response = await world.post("/audio/transcriptions", subtitles);
    expect(response.headers.get("content-type")).toStartWith("text/vtt");
    expect(await response.text()).toBe(VTT);
    expect(world.upstream.last().body.response_format).toBe("verbose_json");
    const streamed = makeForm({ model: "Studio#whisper", file: makeWav(1), stream: "true" });
    expect(await readEvents(await world.post("/audio/transcriptions", streamed))).toMatchObject([
      { type: "transcript.text.delta", delta: "by that conference." },
      { type: "transcript.text.done", text: "by that conference.", usage: { seconds: 4 } },
    ]);
  });

  test("a 25 MB upload works", async () => {
    const file = new File([Buffer.alloc(25 * 1024 * 1024)], "long.mp3", { type: "audio/mpeg" });
    const response = await world.post("/audio/transcriptions", makeForm({ model: "Studio#whisper", file }));
    expect(response.status).toBe(200);
    expect(world.upstream.last().files[0]?.size).toBe(25 * 1024 * 1024);
  });
});
