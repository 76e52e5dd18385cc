// Speech and transcripts from the cache: the same bytes without a call, their rows, and what is never kept.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { SPEAKERS, SPOKEN } from "../../operations/media/streams.ts";
import { SOUND } from "../../operations/media/upstream.ts";
import { type MediaWorld, makeForm, makeWav, startMediaWorld } from "../../operations/media/world.ts";
import { until } from "../world/until.ts";

let world: MediaWorld;
beforeAll(async () => {
  world = await startMediaWorld();
});
afterAll(() => world.stop());

const ON = { "x-poundkey-cache": "on" };

interface Wish {
  readonly more?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly secret?: string;
}

function speak(model: string, input: string, { more = {}, headers = ON, signal, secret }: Wish = {}) {
  const body = { model: `Studio#${model}`, input, voice: "nova", ...more };
  return world.post("/audio/speech", body, secret, headers, signal);
}

const state = ({ headers }: Response) => headers.get("x-poundkey-cache");
const calls = () => world.upstream.calls.length;

async function read(response: Promise<Response>) {
  const got = await response;
  const sound = new Uint8Array(await got.arrayBuffer());
  return { status: got.status, state: state(got), type: got.headers.get("content-type"), sound };
}

describe("speech", () => {
  test("has the same bytes and type, costs nothing, and is counted as saved", async () => {
    const payer = await world.payer(5);
    const { secret } = payer;
    const before = calls();
    expect(await read(speak("voice", "paid", { secret }))).toEqual({
      status: 200,
      state: "miss",
      type: "audio/mpeg",
      sound: SOUND,
    });
    const first = await world.lastRow();
    const balance = await payer.balance();
    const again = await read(speak("voice", "paid", { secret }));
    expect(again).toEqual({ status: 200, state: "hit", type: "audio/mpeg", sound: SOUND });
    expect([calls() - before, await payer.balance()]).toEqual([1, balance]);
    const row = await world.lastRow();
    expect(row).toMatchObject({ status: 200, cached_from: first.id, cost_usd: 0, charged_usd: 0 });
    expect(row.operation).toBe("speech");
    const headers = { authorization: `Bearer ${world.adminToken}` };
    const usage = await fetch(`${world.url}/admin/v1/usage?account=${row.account_id}`, { headers });
    const [sum] = asArray(asObject(await usage.json()).data).map(asObject);
    expect(sum).toMatchObject({ requests: 2, cached: 1, saved_usd: first.cost_usd });
    expect(Number(first.cost_usd)).toBeGreaterThan(0);
  });

  test("is given under a budget that another call of its cost would exceed, but not once it is used up", async () => {
    for (const [usd, again] of [
      [0.0016, 200],
      [0.0015, 429],
    ] as const) {
      const text = `${usd} `.padEnd(100, "word ");
      const headers = { authorization: `Bearer ${world.adminToken}`, "content-type": "application/json" };
      const fields = { name: "budget", requests_per_day: null, budgets: [{ usd, per: "day" }] };
      const made = await fetch(`${world.url}/admin/v1/keys`, {
        method: "POST",
        headers,
        body: JSON.stringify(fields),
      });
      const secret = String(asObject(await made.json()).secret);
      const say = async (input: string) => (await read(speak("voice", input, { secret }))).status;
      expect([await say(text), await say(text), await say(`${text}!`)]).toEqual([200, again, 429]);
    }
  });

  test("answers a request for events, and the other way round", async () => {
    for (const [input, first] of [
      ["bytes", {}],
      ["events", { stream_format: "sse" }],
    ] as const) {
      await read(speak("gpt-voice", input, { more: first }));
      expect((await read(speak("gpt-voice", input))).sound).toEqual(SOUND);
      const events = await speak("gpt-voice", input, { more: { stream_format: "sse" } });
      expect([state(events), events.headers.get("content-type")]).toEqual([
        "hit",
        "text/event-stream; charset=utf-8",
      ]);
      const text = await events.text();
      expect(text).toContain(SOUND.toBase64());
      expect(text).toMatch(/"cost":0,"charged":0/);
    }
  });

  test("is kept for its own format, voice and words", async () => {
    for (const more of [{}, { response_format: "wav" }, { voice: "ash" }, { speed: 2 }])
      expect((await read(speak("voice", "own", { more }))).state).toBe("miss");
    expect((await read(speak("voice", "others"))).state).toBe("miss");
    expect((await read(speak("voice", "own", { more: { speed: 2 } }))).state).toBe("hit");
  });

  test("is asked for once by requests at the same time", async () => {
    const before = calls();
    const first = speak("voice-slow", "twins");
    await until("the first is under way", async () => calls() === before + 1);
    const second = read(speak("voice-slow", "twins"));
    expect((await (await first).body?.getReader().read())?.value).toEqual(SPOKEN[0]);
    world.upstream.goOn();
    expect(await second).toEqual({ status: 200, state: "hit", type: "audio/mpeg", sound: SOUND });
    expect(calls()).toBe(before + 1);
  });
});

describe("nothing is kept", () => {
  const isKept = async (model: string, input: string) => {
    const response = await speak(model, input, { headers: { "cache-control": "only-if-cached" } });
    await response.arrayBuffer();
    return response.status === 200;
  };

  test("of speech that breaks off", async () => {
    const response = await speak("voice-breaking", "broken");
    const reader = response.body?.getReader();
    await reader?.read();
    world.upstream.goOn();
    await reader?.read().catch(() => {});
    await until("its row", async () => (await world.lastRow()).ended === "broken_off");
    expect(await isKept("voice-breaking", "broken")).toBe(false);
  });

  test("of events that end in an error", async () => {
    const more = { stream_format: "sse" };
    await (await speak("gpt-voice-erring", "erring", { more })).text();
    expect(await isKept("gpt-voice-erring", "erring")).toBe(false);
  });

  test("of speech whose client left", async () => {
    const leaving = new AbortController();
    const response = await speak("voice-slow", "left", { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await until("its row", async () => (await world.lastRow()).ended === "client_gone");
    expect(await isKept("voice-slow", "left")).toBe(false);
  });

  test("of speech that is larger than the bound, which passes whole", async () => {
    const { sound } = await read(speak("voice-long", "long"));
    expect(sound.length).toBe(25 * 1_050_000);
    expect(await isKept("voice-long", "long")).toBe(false);
  });

  test("of a request with an Idempotency-Key, which speech has no use for", async () => {
    const headers = { ...ON, "idempotency-key": "spoken-once" };
    for (let times = 0; times < 2; times++)
      expect((await read(speak("voice", "once", { headers }))).state).toBe("bypass");
    expect(await isKept("voice", "once")).toBe(false);
  });
});

describe("a transcript", () => {
  const hear = (model: string, more: Record<string, string>) =>
    world.post(
      "/audio/transcriptions",
      makeForm({ model: `Studio#${model}`, file: makeWav(3), ...more }),
      undefined,
      ON,
    );

  test.each(["json", "text", "srt", "verbose_json", "vtt"])("as %s is repeated", async (format) => {
    const first = await hear("whisper", { response_format: format });
    const again = await hear("whisper", { response_format: format });
    expect([state(first), state(again)]).toEqual(["stored", "hit"]);
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"));
    const cost = /,"cost":[^}]*/;
    expect((await again.text()).replace(cost, "")).toBe((await first.text()).replace(cost, ""));
  });

  test("keeps the segments of a stream, whose last event doesn't repeat them", async () => {
    const asked = { response_format: "diarized_json" };
    const stream = await (await hear("scribe-speakers", { ...asked, stream: "true" })).text();
    const whole = await hear("scribe-speakers", asked);
    expect(state(whole)).toBe("hit");
    expect(await whole.json()).toMatchObject({ text: "Hello. Bye.", segments: SPEAKERS });
    const again = await hear("scribe-speakers", { ...asked, stream: "true" });
    const segments = (text: string) => text.split("\n").filter((line) => line.includes(".segment"));
    expect(segments(await again.text())).toHaveLength(segments(stream).length);
  });
});
