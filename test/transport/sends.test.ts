// The number of sends per answer: each is a system call here, and a packet to the client.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";
import { canTrace, trace } from "../store/faults/tracer.ts";
import { until } from "../whole/world/until.ts";

const CAN_TRACE = await canTrace();
/** Longer than what Bun sends at once. */
const LONG_TEXT = "word ".repeat(8000);

describe.skipIf(!CAN_TRACE)("an answer's head is sent together with the start of its body", () => {
  const place = newPlace("server: { port: 0 }");
  const serving = startServe(place, "--quickstart");
  afterAll(() => {
    serving.end();
    place.remove();
  });

  test.each([
    ["a short whole answer", { model: "Sim#sim-mini", stream: false }, "hello"],
    ["a long whole answer", { model: "Sim#sim-mini", stream: false }, LONG_TEXT],
    ["a stream", { model: "Sim#sim-mini~chunks=3~pace=50", stream: true }, "hello"],
    ["a stream whose first read is long", { model: "Sim#sim-mini~chunks=1", stream: true }, LONG_TEXT],
  ] as const)(
    "%s",
    async (_name, fields, text) => {
      const url = await serving.listens();
      const secret = await until("a key is printed", () => /sk-[\w-]+/.exec(serving.err)?.[0], LONG_MS);
      const ask = async () => {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
          body: JSON.stringify({ ...fields, messages: [{ role: "user", content: `say: ${text}` }] }),
        });
        return { status: response.status, text: await response.text() };
      };
      const log = join(place.directory, "sends.txt");
      const stop = await trace(serving.pid, "-e", "trace=sendto,sendmsg,writev", "-s", "65536", "-o", log);
      const answer = await ask();
      await stop();
      expect(answer.status).toBe(200);
      const sends = readFileSync(log, "utf8").split("\n");
      const heads = sends.filter((send) => send.includes("HTTP/1.1 200 OK") && send.includes("x-request-id"));
      // The body follows the empty line after the head.
      expect(heads).toHaveLength(1);
      expect(heads[0]).toMatch(fields.stream ? /data: \{/ : /\{\\"id\\":/);
    },
    LONG_MS,
  );
});
