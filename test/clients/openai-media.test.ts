// OpenAI's JavaScript SDK for images, speech and transcripts.
import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { PICTURE, SOUND, VTT } from "../media/upstream.ts";
import { type MediaWorld, makeWav, startMediaWorld } from "../media/world.ts";
import { failure } from "./setting.ts";

let world: MediaWorld;
let client: OpenAI;
beforeAll(async () => {
  world = await startMediaWorld();
  client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0 });
});
afterAll(() => world.stop());

test("makes pictures, whole and as a stream", async () => {
  const ask = { model: "Studio#painter", prompt: "a siamese cat", size: "1024x1024" } as const;
  const whole = await client.images.generate({ ...ask, n: 2 });
  expect(whole.data?.map(({ b64_json }) => b64_json)).toEqual([PICTURE, PICTURE]);
  expect(whole.usage).toMatchObject({ input_tokens: 14, output_tokens: 272, total_tokens: 286 });
  const events = await Array.fromAsync(await client.images.generate({ ...ask, stream: true }));
  expect(events).toMatchObject([{ type: "image_generation.completed", b64_json: PICTURE }]);
});

test("changes pictures", async () => {
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
});

test("speaks", async () => {
  const answer = await client.audio.speech.create({ model: "Studio#voice", input: "hello", voice: "nova" });
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(SOUND);
});

test("transcribes, as JSON, as a stream and as subtitles, and translates", async () => {
  const file = makeWav(1);
  const whole = await client.audio.transcriptions.create({ model: "Studio#scribe", file });
  expect(whole).toMatchObject({ text: "by that conference.", usage: { type: "tokens", output_tokens: 144 } });
  const stream = await client.audio.transcriptions.create({ model: "Studio#scribe", file, stream: true });
  const last = (await Array.fromAsync(stream)).at(-1);
  expect(last).toMatchObject({ type: "transcript.text.done", text: "by that conference." });
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
