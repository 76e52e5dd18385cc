// The AI SDK's classes and LangChain's for images, speech and transcripts.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { DallEAPIWrapper } from "@langchain/openai";
import { APICallError, generateImage, generateSpeech, transcribe } from "ai";
import { PICTURE, SOUND } from "../operations/media/upstream.ts";
import { type MediaWorld, makeWav, startMediaWorld } from "../operations/media/world.ts";
import { failure, PICTURE_BYTES } from "./setting.ts";

let world: MediaWorld;
beforeAll(async () => {
  world = await startMediaWorld();
});
afterAll(() => world.stop());

const connect = () => createOpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret });

test("the AI SDK creates pictures, one call each", async () => {
  const model = connect().image("Studio#painter");
  const before = world.upstream.calls.length;
  const { images, usage } = await generateImage({ model, prompt: "a siamese cat", n: 2, size: "1024x1024" });
  expect(images.map(({ base64 }) => base64)).toEqual([PICTURE, PICTURE]);
  expect(usage).toMatchObject({ inputTokens: 28, outputTokens: 544, totalTokens: 572 });
  expect(world.upstream.calls.slice(before).map(({ path, body }) => [path, body.n])).toEqual([
    ["/images/generations", 1],
    ["/images/generations", 1],
  ]);
});

test("the AI SDK edits pictures", async () => {
  const model = connect().image("Studio#painter");
  const { image } = await generateImage({ model, prompt: { text: "green", images: [PICTURE_BYTES] } });
  expect(image.base64).toBe(PICTURE);
  const { path, files, body } = world.upstream.last();
  expect([path, files.map(({ type, size }) => [type, size]), body.prompt]).toEqual([
    "/images/edits",
    [["image/png", PICTURE_BYTES.length]],
    "green",
  ]);
});

test("the AI SDK generates speech", async () => {
  const model = connect().speech("Studio#voice");
  const { audio } = await generateSpeech({ model, text: "hello", voice: "nova" });
  expect([audio.uint8Array, audio.mediaType]).toEqual([SOUND, "audio/mpeg"]);
});

test("the AI SDK transcribes", async () => {
  const audio = new Uint8Array(await makeWav(1).arrayBuffer());
  for (const id of ["Studio#whisper", "Studio#scribe"]) {
    const { text } = await transcribe({ model: connect().transcription(id), audio });
    expect(text).toBe("by that conference.");
    expect(world.upstream.last().files.map(({ size }) => size)).toEqual([audio.length]);
  }
});

test("the AI SDK reports a refusal without retrying", async () => {
  const model = connect().image("Studio#nobody");
  const before = world.upstream.calls.length;
  const error = await failure(APICallError, generateImage({ model, prompt: "x" }));
  expect([error.statusCode, error.isRetryable, world.upstream.calls.length]).toEqual([404, false, before]);
});

test("LangChain creates pictures", async () => {
  const tool = new DallEAPIWrapper({
    model: "Studio#painter",
    apiKey: world.secret,
    baseUrl: `${world.url}/v1`,
    dallEResponseFormat: "b64_json",
  });
  expect(await tool.invoke("a siamese cat")).toBe(PICTURE);
  expect(world.upstream.last().body).toMatchObject({ model: "painter", prompt: "a siamese cat", n: 1 });
});
