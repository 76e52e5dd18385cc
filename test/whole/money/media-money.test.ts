// Prices of images, speech and transcripts, and requests that are refused before any call.
import { afterAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { makeForm, makeWav, startMediaWorld } from "../../operations/media/world.ts";

const world = await startMediaWorld();
afterAll(() => world.stop());

async function read(response: Response): Promise<JsonObject> {
  return asObject(await response.json());
}

describe("money", () => {
  const COSTS: readonly (readonly [
    name: string,
    path: string,
    body: () => object | FormData,
    usd: number,
  ])[] = [
    [
      "tokens of text and of pictures by their own rates",
      "/images/generations",
      () => ({ model: "Studio#painter", prompt: "x", quality: "low" }),
      (10 * 5 + 4 * 10 + 272 * 40) / 1e6,
    ],
    [
      "pictures by their number where no tokens are reported",
      "/images/generations",
      () => ({ model: "Studio#silent", prompt: "x", n: 3 }),
      0.12,
    ],
    [
      "characters of the text that is spoken",
      "/audio/speech",
      () => ({ model: "Studio#voice", input: "grüße 👋", voice: "nova" }),
      (7 * 15) / 1e6,
    ],
    [
      "seconds that the provider reports",
      "/audio/transcriptions",
      () => makeForm({ model: "Studio#whisper", file: makeWav(3) }),
      (4 * 0.006) / 60,
    ],
    [
      "seconds that the file says where the provider says nothing, also of a text",
      "/audio/transcriptions",
      () => makeForm({ model: "Studio#silent", file: makeWav(30), response_format: "vtt" }),
      (30 * 0.006) / 60,
    ],
    [
      "tokens of sound by their own rate",
      "/audio/transcriptions",
      () => makeForm({ model: "Studio#scribe", file: makeWav(3) }),
      (7 * 2.5 + 30 * 6 + 144 * 10) / 1e6,
    ],
  ];
  for (const [name, path, makeBody, usd] of COSTS) {
    test(`charges ${name}`, async () => {
      const payer = await world.payer(5);
      const response = await world.post(path, makeBody(), payer.secret);
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      expect(await payer.balance()).toBeCloseTo(5 - usd, 9);
    });
  }

  test("holds for pictures by their area, and as much for a size or quality that says nothing", async () => {
    const { secret } = await world.payer(20);
    const hold = async (more: object) => {
      const body = { model: "Studio#painter", prompt: "x", quality: "low", ...more };
      const response = await world.post("/images/generations", body, secret);
      await response.arrayBuffer();
      return [response.status, Number((await world.lastRow()).hold_usd)] as const;
    };
    const [, square] = await hold({ size: "1024x1024" });
    const [, large] = await hold({ size: "3840x2160" });
    const rate = 40 / 1e6;
    expect(large - square).toBeCloseTo(272 * rate * ((3840 * 2160) / 1024 ** 2 - 1), 3);
    for (const size of ["auto", "0x0", "-1x5", "1e9x1e9", "nonsense", "__proto__"])
      expect([size, ...(await hold({ size }))]).toEqual([size, 200, large]);
    const [, immense] = await hold({ size: `${"9".repeat(30)}x${"9".repeat(30)}` });
    expect(immense).toBeWithin(large, 5 * large);
    const [, unknown] = await hold({ quality: "sublime" });
    for (const quality of ["auto", "__proto__", "constructor", "toString"])
      expect([quality, ...(await hold({ quality }))]).toEqual([quality, 200, unknown]);
  });

  test("a balance below the worst case pays nothing, and the provider is not called", async () => {
    const payer = await world.payer(0.05);
    const two = { model: "Studio#silent", prompt: "x", n: 2 };
    // The throttle's slot, free.
    expect((await world.post("/images/generations", two, payer.secret)).status).toBe(200);
    const before = world.upstream.calls.length;
    expect((await world.post("/images/generations", two, payer.secret)).status).toBe(429);
    const long = makeForm({ model: "Studio#whisper", file: makeWav(600) });
    expect((await world.post("/audio/transcriptions", long, payer.secret)).status).toBe(429);
    expect(world.upstream.calls.length).toBe(before);
    expect(await payer.balance()).toBe(0.05);
  });

  test("a request is made once per Idempotency-Key, and another file is another request", async () => {
    const payer = await world.payer(5);
    const ask = (seconds: number) =>
      world.post(
        "/audio/transcriptions",
        makeForm({ model: "Studio#whisper", file: makeWav(seconds) }),
        payer.secret,
        {
          "idempotency-key": "once",
        },
      );
    const before = world.upstream.calls.length;
    const first = await read(await ask(3));
    const second = await read(await ask(3));
    expect(second).toEqual(first);
    expect(world.upstream.calls.length).toBe(before + 1);
    expect(await read(await ask(4))).toMatchObject({ error: { code: "idempotency_mismatch" } });
  });
});

describe("refused with the field's name before any call", () => {
  const wav = () => makeWav(1);
  const twice = () => {
    const form = makeForm({ model: "Studio#whisper", file: wav() });
    form.append("model", "Studio#scribe");
    return form;
  };
  const many = () => {
    const form = makeForm({ model: "Studio#whisper", file: wav() });
    for (let at = 0; at < 31; at++) form.append("include[]", "logprobs");
    return form;
  };
  const REFUSED: readonly (readonly [string, string, () => object | FormData, number, object])[] = [
    ["a field that is there twice", "/audio/transcriptions", twice, 400, { param: "model" }],
    [
      "33 parts",
      "/audio/transcriptions",
      many,
      400,
      { message: expect.stringContaining("more than 32 parts") },
    ],
    [
      "a file whose name is a path",
      "/audio/transcriptions",
      () => makeForm({ model: "Studio#whisper", file: makeWav(1, "../../etc/passwd") }),
      400,
      { param: "file" },
    ],
    [
      "no file",
      "/audio/transcriptions",
      () => makeForm({ model: "Studio#whisper" }),
      400,
      { code: "missing_required_parameter", param: "file" },
    ],
    [
      "a text in the file's place",
      "/audio/transcriptions",
      () => makeForm({ model: "Studio#whisper", file: "a.wav" }),
      400,
      { param: "file" },
    ],
    [
      "JSON in a form's place",
      "/audio/transcriptions",
      () => ({ model: "x" }),
      415,
      { code: "unsupported_content_type" },
    ],
    [
      "a format that nobody has",
      "/audio/transcriptions",
      () => makeForm({ model: "Studio#whisper", file: wav(), response_format: "xml" }),
      400,
      { param: "response_format" },
    ],
    [
      "a format that nobody speaks",
      "/audio/speech",
      () => ({ model: "Studio#voice", input: "x", voice: "nova", response_format: "midi" }),
      400,
      { param: "response_format" },
    ],
    [
      "no words to speak",
      "/audio/speech",
      () => ({ model: "Studio#voice", voice: "nova" }),
      400,
      { param: "input" },
    ],
    ["no prompt", "/images/generations", () => ({ model: "Studio#painter" }), 400, { param: "prompt" }],
    [
      "more pictures than `limits.n`",
      "/images/generations",
      () => ({ model: "Studio#painter", prompt: "x", n: 17 }),
      400,
      { param: "n" },
    ],
    [
      "no picture to change",
      "/images/edits",
      () => makeForm({ model: "Studio#painter", prompt: "x" }),
      400,
      { param: "image" },
    ],
    [
      "a picture in the provider's account",
      "/images/edits",
      () => ({ model: "Studio#painter", prompt: "x", images: [{ file_id: "file-1" }] }),
      400,
      { param: "images[0]" },
    ],
    [
      "an address that isn't of the web",
      "/images/edits",
      () => ({ model: "Studio#painter", prompt: "x", images: [{ image_url: "file:///etc/passwd" }] }),
      400,
      { param: "images[0]" },
    ],
    [
      "a model of another kind",
      "/images/generations",
      () => ({ model: "Studio#voice", prompt: "x" }),
      400,
      { param: "model" },
    ],
    [
      "a chat model",
      "/audio/speech",
      () => ({ model: "OpenAI#gpt-4.1-mini", input: "x", voice: "a" }),
      400,
      { param: "model" },
    ],
  ];
  for (const [name, path, makeBody, status, error] of REFUSED) {
    test(name, async () => {
      const before = world.upstream.calls.length;
      const response = await world.post(path, makeBody());
      expect(await read(response)).toMatchObject({ error });
      expect(response.status).toBe(status);
      expect(world.upstream.calls.length).toBe(before);
    });
  }

  test("a form without its boundary, or cut off", async () => {
    const send = (type: string, body: string) =>
      fetch(`${world.url}/v1/audio/transcriptions`, {
        method: "POST",
        headers: { authorization: `Bearer ${world.secret}`, "content-type": type },
        body,
      });
    expect((await send("multipart/form-data", "x")).status).toBe(415);
    const cut = '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nStudio#whi';
    expect(await read(await send("multipart/form-data; boundary=b", cut))).toMatchObject({
      error: { message: expect.stringContaining("ends within a part") },
    });
  });
});
