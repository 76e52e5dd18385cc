// A client's connection while its answer is made: its loss is reported, and silence doesn't close it.
import { expect, test } from "bun:test";
import { Ending } from "../../src/core/world/ending.ts";
import { ClientWatch } from "../../src/http/door/client-watch.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { ManualClock } from "../harness/manual-clock.ts";

function watching() {
  const clock = new ManualClock();
  const connection = new AbortController();
  const request = new Request("http://gateway.example/", { signal: connection.signal });
  const seconds: number[] = [];
  const server = { timeout: (_request: Request, given: number) => void seconds.push(given) };
  const ending = new Ending();
  const client = new ClientWatch(
    { deadlines: new DeadlineSweep(clock), server: { idleSeconds: 60 } },
    { request, signal: request.signal, server },
    ending,
  );
  const seen: string[] = [];
  return { clock, client, ending, seconds, seen, lose: () => connection.abort() };
}

test("a lost connection ends the request, unless the request is over", () => {
  const { ending, lose } = watching();
  lose();
  expect(ending.reason?.code).toBe("client_gone");
  const over = watching();
  over.client.end();
  over.lose();
  expect(over.ending.reason).toBeNull();
});

test("a lost connection is reported to the current listener, and to none once the request is over", () => {
  const { client, seen, lose } = watching();
  client.whenGone(() => seen.push("first"));
  client.whenGone(() => seen.push("second"));
  lose();
  expect(seen).toEqual(["second"]);
  const over = watching();
  over.client.whenGone(() => over.seen.push("late"));
  over.client.end();
  over.lose();
  expect(over.seen).toEqual([]);
});

test("a connection lost before anyone listened is reported immediately", () => {
  const { client, seen, lose } = watching();
  lose();
  client.whenGone(() => seen.push("gone"));
  expect(seen).toEqual(["gone"]);
});

test("a silent connection is kept open from its tenth second until the request is over", async () => {
  const { clock, client, seconds } = watching();
  await clock.move(9_000);
  expect(seconds).toEqual([]);
  await clock.move(2_000);
  expect(seconds).toEqual([0]);
  client.end();
  client.end();
  expect(seconds).toEqual([0, 60]);
});
