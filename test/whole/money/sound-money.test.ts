// The charge for a sound file whose header lies about its length: the provider's report, or at least what its bytes say.
import { afterAll, describe, expect, test } from "bun:test";
import { TRANSCRIPT_FORMATS } from "../../../src/operations/transcription/form.ts";
import { makeForm, makeWav, startMediaWorld } from "../../operations/media/world.ts";
import { concat, makeMp4, text, u32 } from "../../operations/sound/files.ts";

const world = await startMediaWorld();
afterAll(() => world.stop());

const USD_PER_SECOND = 0.006 / 60;
const SOUND = new Uint8Array(600_000);

/** Ten minutes of AAC at its lowest rate. The header is honest, or names a second. */
function makeM4a(seconds: number): File {
  const bytes = concat(makeMp4({ seconds }), u32(SOUND.length + 8), text("mdat"), SOUND);
  return new File([bytes], "a.m4a", { type: "audio/mp4" });
}

async function transcribe(model: string, file: File, format: string) {
  const payer = await world.payer(5);
  const fields = { model: `Studio#${model}`, file, response_format: format };
  const response = await world.post("/audio/transcriptions", makeForm(fields), payer.secret);
  expect([response.status, format]).toEqual([200, format]);
  await response.text();
  return { charged: 5 - (await payer.balance()), row: await world.lastRow() };
}

for (const seconds of [600, 1]) {
  describe(`ten minutes whose header says ${seconds} s`, () => {
    for (const format of TRANSCRIPT_FORMATS) {
      test(`${format}: the provider's seconds are charged`, async () => {
        const { charged, row } = await transcribe("whisper", makeM4a(seconds), format);
        expect(charged).toBeCloseTo(4 * USD_PER_SECOND, 9);
        expect(row).toMatchObject({ usage_source: "provider" });
        expect(Number(row.hold_usd)).toBeGreaterThan(599.9 * USD_PER_SECOND);
      });

      test(`${format}: without a report, the estimate is`, async () => {
        const { charged, row } = await transcribe("silent", makeM4a(seconds), format);
        expect(charged).toBeGreaterThan(599.9 * USD_PER_SECOND);
        expect(charged).toBeLessThan(602 * USD_PER_SECOND);
        expect(row).toMatchObject({ usage_source: "estimate" });
      });
    }
  });
}

test("a stream is charged by its report", async () => {
  const payer = await world.payer(5);
  const form = makeForm({ model: "Studio#scribe", file: makeM4a(1), stream: "true" });
  await (await world.post("/audio/transcriptions", form, payer.secret)).text();
  expect(await payer.balance()).toBeCloseTo(5 - (7 * 2.5 + 30 * 6 + 144 * 10) / 1e6, 9);
  expect(await world.lastRow()).toMatchObject({ usage_source: "provider" });
});

test("an unknown model and a used-up allowance are refused as for any request", async () => {
  const { secret } = await world.newKey({ requests_per_day: 1 });
  const ask = (model: string) =>
    world.post("/audio/transcriptions", makeForm({ model, file: makeWav(3) }), secret);
  expect((await ask("Nope#nope")).status).toBe(404);
  expect((await ask("Studio#whisper")).status).toBe(200);
  const calls = world.upstream.calls.length;
  const refused = await ask("Studio#whisper");
  expect([refused.status, await refused.json()]).toEqual([
    429,
    expect.objectContaining({ error: expect.objectContaining({ code: "rate_limit_exceeded" }) }),
  ]);
  expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
  expect(world.upstream.calls.length).toBe(calls);
});
