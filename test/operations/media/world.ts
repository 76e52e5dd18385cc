// A gateway in front of the media upstream, with prices by token, picture, minute and character.
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { type MediaUpstream, startMediaUpstream } from "./upstream.ts";

export interface MediaWorld extends UnderTest {
  readonly upstream: MediaUpstream;
  /** A key whose requests are all paid from an account with this balance. */
  payer(usd: number): Promise<{ readonly secret: string; balance(): Promise<number> }>;
  post(
    path: string,
    body: object | FormData,
    secret?: string,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response>;
  /** The newest row of the log. */
  lastRow(): Promise<JsonObject>;
}

const STREAMING = [
  "painter, operations: [images], price: { input: 5, input_image: 10, output: 40 }",
  "scribe, operations: [transcription], price: { input: 2.5, input_audio: 6, output: 10 }",
  "voice, operations: [speech], price: { per_character_million: 15 }",
  "gpt-voice, operations: [speech], price: { input: 0.6, output: 12 }",
];
const INTERRUPTED = ["slow", "breaking", "erring", "ending", "flooding", "blocked"].flatMap((how) =>
  STREAMING.map((model) => `{ name: ${model.replace(",", `-${how},`)} }`),
);

const MODELS = [
  ...STREAMING.map((model) => `{ name: ${model} }`),
  ...INTERRUPTED,
  "{ name: silent, operations: [images, transcription], price: { per_image: 0.04, per_minute: 0.006 } }",
  "{ name: failing, operations: [images], price: { per_image: 0.04 } }",
  "{ name: huge, operations: [images], price: { per_image: 0.04 } }",
  "{ name: voice-long, operations: [speech], price: { per_character_million: 15 } }",
  "{ name: scribe-speakers, operations: [transcription], price: { per_minute: 0.006 } }",
  "{ name: whisper, operations: [transcription], price: { per_minute: 0.006 } }",
];

export async function startMediaWorld(): Promise<MediaWorld> {
  const upstream = await startMediaUpstream();
  const rows = MODELS.map((row) => `      - ${row}`).join("\n");
  const gateway = await startUnderTest({
    more: `  Studio:\n    dialect: openai\n    keys: ["sim-key"]\n    base_url: "${upstream.url}"\n    models:\n${rows}`,
  });
  const authorize = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const admin = async (path: string, body?: object) => {
    const response = await fetch(`${gateway.url}/admin/v1${path}`, {
      method: body ? "POST" : "GET",
      headers: { ...authorize(gateway.adminToken), "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return asObject(await response.json());
  };
  return {
    ...gateway,
    upstream,
    async payer(usd) {
      const { id } = await admin("/accounts", { name: "payer" });
      const accountId = String(id);
      await gateway.topUp(accountId, usd);
      const { secret } = await gateway.newKey({ account_id: accountId, requests_per_day: 0 });
      return { secret, balance: async () => Number((await admin(`/accounts/${accountId}`)).balance_usd) };
    },
    async lastRow() {
      const { data, requests } = await admin("/requests?limit=1");
      return asObject(asArray(data ?? requests)[0]);
    },
    post: (path, body, secret = gateway.secret, headers = {}, signal) =>
      fetch(`${gateway.url}/v1${path}`, {
        method: "POST",
        headers: {
          ...authorize(secret),
          ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: body instanceof FormData ? body : JSON.stringify(body),
        ...(signal ? { signal } : {}),
      }),
    async stop() {
      await gateway.stop();
      await upstream.stop();
    },
  };
}

/** A form with these fields. A list is sent as several fields whose names end in `[]`. */
export function makeForm(
  fields: Readonly<Record<string, string | Blob | readonly (string | Blob)[]>>,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string" || value instanceof Blob) form.append(name, value);
    else for (const one of value) form.append(`${name}[]`, one);
  }
  return form;
}

const SAMPLES_PER_SECOND = 8000;

/** A sound file of silence (WAV, 8 bits, one channel). */
export function makeWav(seconds: number, name = "a.wav"): File {
  const samples = seconds * SAMPLES_PER_SECOND;
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  header.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples, 40);
  return new File([header, Buffer.alloc(samples, 128)], name, { type: "audio/wav" });
}
