// The load generator detects wrong answers and counts the wait that a slow answer causes for later ones.
import { expect, test } from "bun:test";
import { makeDice } from "../../selectors/dice.ts";
import { computePercentile, computeRatio, spread, zipf } from "../figures.ts";
import { aimsText, plot } from "../report.ts";
import { AnswerReader, type Expected, nothingSeen, type Seen } from "./answer.ts";
import { arrivals, prepareAsk } from "./client.ts";

const STREAM: Expected = { surface: "openai", chunks: 3 };
const HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

function chunked(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

function piece(number: number): string {
  return chunked(`data: {"choices":[{"delta":{"content":"${number} token"},"finish_reason":null}]}\n\n`);
}

const FINISH = chunked('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n');
const END = `${chunked("data: [DONE]\n\n")}0\r\n\r\n`;

/** Feeds the answer in parts of `size` characters. Returns what was recorded. */
function seenOf(text: string, size = text.length, expected = STREAM): Seen {
  const seen = nothingSeen();
  const reader = new AnswerReader(expected, seen, 0);
  for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size), at + 1);
  if (seen.latencies.length === 0) reader.end(text.length);
  return seen;
}

test("a complete stream is counted piece by piece, however it is cut", () => {
  const text = HEAD + piece(0) + piece(1) + piece(2) + FINISH + END;
  for (const size of [1, 7, 100, text.length]) {
    const seen = seenOf(text, size);
    expect([seen.chunks, seen.firsts.length, seen.gaps.length, seen.latencies.length]).toEqual([3, 1, 2, 1]);
  }
});

const WRONG: Readonly<Record<string, string>> = {
  "a piece that is missing": HEAD + piece(0) + piece(2) + FINISH + END,
  "a piece that comes twice": HEAD + piece(0) + piece(0) + piece(1) + FINISH + END,
  "the last piece missing": HEAD + piece(0) + piece(1) + FINISH + END,
  "no finish": HEAD + piece(0) + piece(1) + piece(2) + END,
  "no end of the stream": `${HEAD}${piece(0)}${piece(1)}${piece(2)}${FINISH}0\r\n\r\n`,
  "a connection that ends": HEAD + piece(0) + piece(1),
  "another status": "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n",
};

for (const [name, text] of Object.entries(WRONG)) {
  test(`${name} is an error`, () => {
    expect(() => seenOf(text)).toThrow(/Wrong answer/);
  });
}

test("a complete answer shows that all of the request arrived", () => {
  const body = '{"choices":[{"message":{"content":"received 100 bytes."},"finish_reason":"stop"}]}';
  const text = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const expected = (receivedBytes: number): Expected => ({ surface: "openai", chunks: null, receivedBytes });
  expect(seenOf(text, 9, expected(100)).latencies).toHaveLength(1);
  expect(() => seenOf(text, 9, expected(101))).toThrow(/Wrong answer/);
});

test("latency counts from the intended send time, not from when a connection was free", async () => {
  const takesMs = 40;
  const periodMs = 10;
  const requests = 5;
  const body = '{"choices":[{"message":{"content":"received 1 bytes."},"finish_reason":"stop"}]}';
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async () => {
      await Bun.sleep(takesMs);
      return new Response(body);
    },
  });
  const seen = nothingSeen();
  const ask = prepareAsk(server.port ?? 0, "/", {}, "{}", { surface: "openai", chunks: null });
  await arrivals({ asks: [{ ask, seen }], periodMs, requests, connectionsMax: 1 });
  await server.stop(true);
  expect(seen.latencies).toHaveLength(requests);
  // Each waits for all earlier ones. A timer may fire less than a millisecond early.
  const least = requests * (takesMs - 1) - (requests - 1) * periodMs;
  expect(Math.max(...seen.latencies)).toBeGreaterThan(least);
});

test("figures", () => {
  expect(computePercentile([3, 1, 2], 0.5)).toBe(2);
  expect(computePercentile([], 0.99)).toBe(0);
  expect(spread([1, 10, 100])).toBe("10.0 (1.00–100)");
  const drawn = zipf(1000);
  const ranks = Array.from({ length: 2000 }, drawn);
  expect(Math.min(...ranks)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...ranks)).toBeLessThan(1000);
  const aim = { what: "x", measured: 2, unit: "×", atMost: 1.5 };
  expect(aimsText([aim])).toContain("**no**");
  expect(aimsText([{ ...aim, atMost: 2 }])).toContain("yes");
  expect(aimsText([{ ...aim, measured: Number.NaN }])).toContain("not told");
  expect(plot([{ title: "a < b", unit: "µs", bars: [{ name: "x", value: 1 }] }])).toContain("a &lt; b");
});

test("a ratio's interval contains the true ratio of noisy rounds in about 95 of 100 runs, and narrows with more rounds", () => {
  const dice = makeDice(7);
  const noisy = (mean: number) => mean * (0.9 + 0.2 * dice());
  const draw = (rounds: number) => {
    // Both programs share the machine's noise of a round, which pairing takes out.
    const pairs = Array.from({ length: rounds }, () => {
      const machine = 0.5 + dice();
      return [noisy(110) * machine, noisy(100) * machine] as const;
    });
    const ours = pairs.map(([one]) => one);
    const others = pairs.map(([, other]) => other);
    return computeRatio(ours, others, dice);
  };
  const runs = Array.from({ length: 200 }, () => draw(10));
  const hits = runs.filter(({ low, high }) => low <= 1.1 && high >= 1.1).length;
  expect(hits).toBeWithin(165, 200);
  const few = draw(10);
  const many = draw(200);
  expect(many.high - many.low).toBeLessThan((few.high - few.low) / 2);
  expect(many.value).toBeWithin(many.low, many.high);
});
