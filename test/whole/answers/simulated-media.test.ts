// The simulated provider's images, speech, transcripts and completions, as OpenAI's SDK reads them through the gateway.
import { afterAll, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { failure } from "../../clients/setting.ts";
import { startUnderTest } from "../../harness/harness.ts";
import { makeWav } from "../../operations/media/world.ts";

const under = await startUnderTest();
const client = new OpenAI({ baseURL: `${under.url}/v1`, apiKey: under.secret, maxRetries: 0 });
afterAll(() => under.stop());

test("pictures are valid and counted", async () => {
  const made = await client.images.generate({ model: "Local#sim-image", prompt: "a cat", n: 2 });
  expect(made.data?.map(({ b64_json }) => atob(b64_json ?? "").slice(1, 4))).toEqual(["PNG", "PNG"]);
  expect(made.usage).toMatchObject({ output_tokens: 544 });
  const image = await toFile(new Uint8Array([1, 2]), "a.png", { type: "image/png" });
  const changed = await client.images.edit({ model: "Local#sim-image", prompt: "green", image });
  expect(changed.usage?.input_tokens_details).toMatchObject({ image_tokens: 200 });
});

test("speech is audio that can be transcribed", async () => {
  const spoken = await client.audio.speech.create({
    model: "Local#sim-speech",
    input: "Good morning to all of you out there.",
    voice: "nova",
  });
  const sound = new Uint8Array(await spoken.arrayBuffer());
  expect(new TextDecoder("latin1").decode(sound.slice(0, 4))).toBe("RIFF");
  const file = await toFile(sound, "morning.wav", { type: "audio/wav" });
  const { text } = await client.audio.transcriptions.create({ model: "Local#sim-transcribe", file });
  expect(text).toBe("This is what was said in morning.wav.");
});

test("transcripts support their formats", async () => {
  const ask = { model: "Local#sim-transcribe", file: makeWav(3) } as const;
  const vtt = await client.audio.transcriptions.create({ ...ask, response_format: "vtt" });
  expect(String(vtt)).toStartWith("WEBVTT\n\n00:00:00.000 --> ");
  const verbose = await client.audio.transcriptions.create({ ...ask, response_format: "verbose_json" });
  expect(verbose).toMatchObject({ text: "This is what was said in a.wav.", language: "english" });
});

test("completions continue, whole and streamed", async () => {
  const ask = { model: "Local#sim-complete", prompt: ["once upon a time", "twice"] };
  const whole = await client.completions.create(ask);
  expect(whole.choices.map(({ text }) => text)).toEqual([" and so on.", " and so on."]);
  const streamed = await client.completions.create({ ...ask, prompt: "once", stream: true });
  const texts = (await Array.fromAsync(streamed)).map(({ choices }) => choices[0]?.text);
  expect(texts.join("")).toBe(" and so on.");
});

const DRAWING = { prompt: "a cat", stream: true, partial_images: 2 } as const;
const DRAWN = ["partial_image", "partial_image", "completed"];

async function listTypes(events: Promise<AsyncIterable<{ readonly type: string }>>): Promise<string[]> {
  const all = await Array.fromAsync(await events);
  return all.map(({ type }) => type.replace(/^image_\w+\./, ""));
}

test("drafts, audio and words are streamed", async () => {
  const events = await Array.fromAsync(
    await client.images.generate({ ...DRAWING, model: "Local#sim-image" }),
  );
  expect(events.at(-1)).toMatchObject({ usage: { output_tokens: 272 + 200 } });
  const image = await toFile(new Uint8Array([1, 2]), "a.png", { type: "image/png" });
  expect(await listTypes(client.images.edit({ ...DRAWING, model: "Local#sim-image", image }))).toEqual(DRAWN);
  const words = { model: "Local#sim-transcribe", file: makeWav(3), stream: true } as const;
  const heard = await Array.fromAsync(await client.audio.transcriptions.create(words));
  expect(heard.map((event) => ("delta" in event ? event.delta : event.type))).toEqual([
    "This",
    " is",
    " what",
    " was",
    " said",
    " in",
    " a.wav.",
    "transcript.text.done",
  ]);
  const ask = { model: "Local#gpt-sim-speech", input: "Good morning to all of you.", voice: "nova" };
  const whole = Buffer.from(await (await client.audio.speech.create(ask)).arrayBuffer());
  const spoken = await (await client.audio.speech.create({ ...ask, stream_format: "sse" })).text();
  const sounds = [...spoken.matchAll(/"audio":"([^"]*)"/g)].map(([, audio = ""]) =>
    Buffer.from(audio, "base64"),
  );
  expect(sounds.length).toBeGreaterThan(2);
  expect(Buffer.concat(sounds).equals(whole)).toBe(true);
  expect(spoken).toContain('"usage":{"input_tokens":7,"output_tokens":41,');
});

for (const trouble of ["trickle", "crlf", "pings", "split"]) {
  test(`streams are the same if the provider's bytes arrive as ${trouble}`, async () => {
    const model = `Local#sim-image~trouble=${trouble}`;
    expect(await listTypes(client.images.generate({ ...DRAWING, model }))).toEqual(DRAWN);
  });
}

for (const trouble of ["cut", "reset-mid", "cut-clean", "error-mid", "garbage"]) {
  test(`a stream in which the provider fails by ${trouble} is not complete`, async () => {
    const model = `Local#sim-image~trouble=${trouble}~after=1`;
    await failure(OpenAI.APIError, listTypes(client.images.generate({ ...DRAWING, model })));
  });
}

test("faults are injected as for chat", async () => {
  const prompt = "a cat";
  for (const trouble of ["500", "cut", "error-200"]) {
    const asked = client.images.generate({ model: `Local#sim-image~trouble=${trouble}`, prompt });
    await failure(OpenAI.InternalServerError, asked);
  }
  const busy = client.audio.speech.create({
    model: "Local#sim-speech~trouble=429",
    input: "x",
    voice: "nova",
  });
  expect((await failure(OpenAI.RateLimitError, busy)).code).toBe("provider_busy");
});
