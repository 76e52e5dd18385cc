// The log lines of requests with wrong keys are bounded, and no other line is.
import { expect, test } from "bun:test";
import { startUnderTest } from "../harness/harness.ts";

const SENT = 150;
const BODY = { model: "OpenAI#any", messages: [{ role: "user", content: "hi" }] };

test("of many wrong keys in a minute, 60 have a line each and the rest share one, and all are counted", async () => {
  const gateway = await startUnderTest();
  const ask = async (secret: string) => {
    const response = await gateway.chat(BODY, { secret });
    await response.text();
    return response.status;
  };
  for (let at = 0; at < SENT; at++) expect(await ask(`sk-wrong-${at}`)).toBe(401);
  expect(await ask(gateway.secret)).toBe(200);
  const lines = gateway.events.filter(({ event, code }) => event === "refused" && code === "invalid_api_key");
  const notes = gateway.events.filter(({ event }) => event === "wrong_keys_unlogged");
  // The minute may end meanwhile, which lets another 60 through.
  expect(lines.length).toBeGreaterThanOrEqual(60);
  expect(lines.length).toBeLessThanOrEqual(2 * 60);
  expect(notes.length).toBeGreaterThan(0);
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toContain(`poundkey_refused_total{fault="invalid_api_key"} ${SENT}`);
  await gateway.stop();
});
