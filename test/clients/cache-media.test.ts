// Kept answers of the operations beside chat as OpenAI's SDK reads them: equal to new ones but for what they cost.
import { afterAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { makeWav, startMediaWorld } from "../operations/media/world.ts";

const world = await startMediaWorld();
const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0 });
afterAll(() => world.stop());

type Headers = Record<string, string>;
type Ask = (headers: Headers) => Promise<unknown>;

const file = makeWav(2);
const picture = { model: "Studio#painter", prompt: "a cat" } as const;
const edited = { model: "Studio#painter", prompt: "a dog", image: file } as const;
const speech = (model: string) => ({ model: `Studio#${model}`, input: "grüße 👋", voice: "nova" });
const hear = (more: object, headers: Headers) =>
  client.audio.transcriptions.create({ model: "Studio#scribe", file, ...more }, { headers });
const hearStream = async (more: object, headers: Headers) =>
  Array.fromAsync(
    await client.audio.transcriptions.create(
      { model: "Studio#scribe", file, ...more, stream: true },
      { headers },
    ),
  );
const play = async (model: string, headers: Headers) => {
  const answer = await client.audio.speech.create(speech(model), { headers });
  return [answer.headers.get("content-type"), await answer.bytes()];
};
/** The SDK has no reader for these events. */
const playEvents = async (model: string, headers: Headers) => {
  const answer = await client.audio.speech.create({ ...speech(model), stream_format: "sse" }, { headers });
  const text = await answer.text();
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
  const sound = events.map(({ audio = "" }) => Buffer.from(audio, "base64"));
  return [answer.headers.get("content-type"), Buffer.concat(sound), strip(events.at(-1))];
};

/** Of each operation, the ways to ask for one answer. */
const OPERATIONS: Readonly<Record<string, Readonly<Record<string, Ask>>>> = {
  embeddings: {
    whole: (headers) =>
      client.embeddings.create({ model: "OpenAI#sim-embed", input: ["a", "b"] }, { headers }),
  },
  moderations: {
    whole: (headers) =>
      client.moderations.create({ model: "OpenAI#sim-moderation", input: "a" }, { headers }),
  },
  "images made": {
    whole: (headers) => client.images.generate(picture, { headers }),
    streamed: async (headers) =>
      Array.fromAsync(await client.images.generate({ ...picture, stream: true }, { headers })),
  },
  "images edited": {
    whole: (headers) => client.images.edit(edited, { headers }),
    streamed: async (headers) =>
      Array.fromAsync(await client.images.edit({ ...edited, stream: true }, { headers })),
  },
  "speech of a server with events": {
    bytes: (headers) => play("gpt-voice", headers),
    events: (headers) => playEvents("gpt-voice", headers),
  },
  "speech of a server without": {
    bytes: (headers) => play("voice", headers),
    events: (headers) => playEvents("voice", headers),
  },
  transcription: {
    whole: (headers) => hear({}, headers),
    streamed: (headers) => hearStream({}, headers),
  },
  "transcription as text": { whole: (headers) => hear({ response_format: "text" }, headers) },
  "transcription as subtitles": {
    whole: (headers) => hear({ model: "Studio#whisper", response_format: "vtt" }, headers),
  },
  "transcription with speakers": {
    streamed: (headers) => hearStream({ model: "Studio#scribe-speakers" }, headers),
  },
  translation: {
    whole: (headers) => client.audio.translations.create({ model: "Studio#whisper", file }, { headers }),
  },
};

/** The marks of one answer, and how a stream cuts its texts. */
const OWN = new Set(["created", "created_at", "id", "cost", "charged", "_request_id"]);

function strip(answer: unknown): unknown {
  if (!(answer instanceof Object)) return answer;
  return JSON.parse(JSON.stringify(answer, (name, value) => (OWN.has(name) ? undefined : value)));
}

const ANEW = { "x-poundkey-cache": "on", "cache-control": "no-cache" };
const ONLY = { "cache-control": "only-if-cached" };

describe.each(Object.entries(OPERATIONS))("%s", (_operation, forms) => {
  test.each(Object.entries(forms))("%s", async (_form, ask) => {
    const first = await ask(ANEW);
    const before = world.upstream.calls.length;
    expect(readWhole(strip(await ask(ONLY)))).toEqual(readWhole(strip(first)));
    // The other way of asking gets the same answer, too.
    for (const other of Object.values(forms)) expect(await other(ONLY)).toBeDefined();
    expect(world.upstream.calls.length).toBe(before);
  });
});

/** The deltas of a transcript in one. */
function readWhole(answer: unknown): unknown {
  if (!Array.isArray(answer)) return answer;
  const words = answer.map((event) => event.delta ?? "").join("");
  return [words, ...answer.filter((event) => event.delta === undefined)];
}
