// OpenAI's JavaScript SDK for images, speech and transcripts.
import { afterAll, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { DRAFTS, SPOKEN, STREAMED_PICTURE, STREAMED_USAGE, WORDS } from "../operations/media/streams.ts";
import { PICTURE, SOUND, VTT } from "../operations/media/upstream.ts";
import { makeWav, startMediaWorld } from "../operations/media/world.ts";
import { failure } from "./setting.ts";

const world = await startMediaWorld();
const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0 });
afterAll(() => world.stop());

test("creates pictures, whole and streamed", async () => {
  const ask = { model: "Studio#painter", prompt: "a siamese cat", size: "1024x1024" } as const;
  const whole = await client.images.generate({ ...ask, n: 2 });
  expect(whole.data?.map(({ b64_json }) => b64_json)).toEqual([PICTURE, PICTURE]);
  expect(whole.usage).toMatchObject({ input_tokens: 14, output_tokens: 272, total_tokens: 286 });
  const streamed = await client.images.generate({ ...ask, stream: true, partial_images: 2 });
  expect(await Array.fromAsync(streamed)).toMatchObject([
    { type: "image_generation.partial_image", b64_json: DRAFTS[0], partial_image_index: 0 },
    {
      type: "image_generation.partial_image",
      b64_json: DRAFTS[1],
      partial_image_index: 1,
      size: "1024x1024",
    },
    { type: "image_generation.completed", b64_json: STREAMED_PICTURE, usage: STREAMED_USAGE },
  ]);
});

test("shows a picture's drafts as they are made", async () => {
  const stream = await client.images.generate({
    model: "Studio#painter-slow",
    prompt: "x",
    stream: true,
    partial_images: 1,
  });
  const types: string[] = [];
  for await (const { type } of stream) {
    types.push(type);
    // The final picture is only sent after its draft was received.
    world.upstream.goOn();
  }
  expect(types).toEqual(["image_generation.partial_image", "image_generation.completed"]);
});

test("reports an error in mid-stream", async () => {
  const ask = { model: "Studio#painter-erring", prompt: "x", stream: true, partial_images: 1 } as const;
  const read = async () => Array.fromAsync(await client.images.generate(ask));
  expect((await failure(OpenAI.APIError, read())).code).toBe("upstream_error");
  const file = makeWav(1);
  const words = { model: "Studio#scribe-erring", file, stream: true } as const;
  const listen = async () => Array.fromAsync(await client.audio.transcriptions.create(words));
  expect((await failure(OpenAI.APIError, listen())).code).toBe("upstream_error");
});

test("edits pictures", async () => {
  const image = [
    await toFile(SOUND, "a.png", { type: "image/png" }),
    await toFile(SOUND, "b.png", { type: "image/png" }),
  ];
  const { data } = await client.images.edit({ model: "Studio#painter", prompt: "green", image });
  expect(data?.[0]?.b64_json).toBe(PICTURE);
  expect(world.upstream.last().files.map(({ name, type }) => [name, type])).toEqual([
    ["a.png", "image/png"],
    ["b.png", "image/png"],
  ]);
  const ask = { model: "Studio#painter", prompt: "green", image, stream: true, partial_images: 1 } as const;
  expect(await Array.fromAsync(await client.images.edit(ask))).toMatchObject([
    { type: "image_edit.partial_image", b64_json: DRAFTS[0] },
    { type: "image_edit.completed", b64_json: STREAMED_PICTURE, usage: { total_tokens: 486 } },
  ]);
});

test("plays speech as soon as the first audio arrives", async () => {
  const ask = { model: "Studio#voice-slow", input: "hello", voice: "nova" };
  const reader = (await client.audio.speech.create(ask)).body?.getReader();
  expect((await reader?.read())?.value).toEqual(SPOKEN[0]);
  world.upstream.goOn();
  expect((await reader?.read())?.value).toEqual(SPOKEN[1]);
  expect((await reader?.read())?.done).toBe(true);
});

test("generates speech", async () => {
  const answer = await client.audio.speech.create({ model: "Studio#voice", input: "hello", voice: "nova" });
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(SOUND);
});

test("transcribes, as JSON, as a stream and as subtitles, and translates", async () => {
  const file = makeWav(1);
  const whole = await client.audio.transcriptions.create({ model: "Studio#scribe", file });
  expect(whole).toMatchObject({ text: "by that conference.", usage: { type: "tokens", output_tokens: 144 } });
  const stream = await client.audio.transcriptions.create({ model: "Studio#scribe", file, stream: true });
  expect(await Array.fromAsync(stream)).toMatchObject([
    ...WORDS.map((delta) => ({ type: "transcript.text.delta", delta })),
    { type: "transcript.text.done", text: WORDS.join(""), usage: { type: "tokens", output_tokens: 144 } },
  ]);
  const subtitles = await client.audio.transcriptions.create({
    model: "Studio#whisper",
    file,
    response_format: "vtt",
  });
  expect(String(subtitles)).toBe(VTT);
  const { text } = await client.audio.translations.create({ model: "Studio#whisper", file });
  expect(text).toBe("by that conference.");
});

test("reports a refusal by its class and field", async () => {
  const ask = { model: "Studio#painter", prompt: "x" };
  const refused = await failure(OpenAI.BadRequestError, client.images.generate({ ...ask, n: 99 }));
  expect(refused.param).toBe("n");
  await failure(OpenAI.NotFoundError, client.images.generate({ ...ask, model: "Studio#nobody" }));
});
