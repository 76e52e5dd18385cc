// Connections: clients that leave or wait long, and thousands of concurrent streams in one process.
import { afterAll, describe, expect, test } from "bun:test";
import { Agent, request } from "node:http";
import { postMany, uncappedFetch } from "../whole/world/many.ts";
import { formatLine, readText, seen } from "../whole/world/observe.ts";
import { parseTranscript } from "../whole/world/transcript.ts";
import { until } from "../whole/world/until.ts";
import { startOwnUpstream } from "../whole/world/upstream.ts";
import { asking, PROVIDER_NAMES, startHttpWorld } from "../whole/world/world.ts";

/** Longer than the default timeout of Bun's server. */
const SILENCE_MS = 13_000;
const LONG_MS = 180_000;
const STREAMS = 2000;
const FLOOD_PIECES = 6000;

const own = await startOwnUpstream(FLOOD_PIECES);
const server = `dialect: openai, keys: [k], base_url: "${own.url}", unlisted_models: true`;
const providers = `  Own: { ${server} }\n  Brisk: { ${server}, timeouts: { first_byte: 500ms } }`;
const world = await startHttpWorld({ providers });
/** With room for thousands of upstream calls. */
const wide = await startHttpWorld({ providers, fetch: uncappedFetch });
/** Without keep-alives. */
const quiet = await startHttpWorld({ server: "keep_alive: 5m" });
/** Requested at the start and checked at the end, so that the silences pass while other tests run. */
const silences = [
  quiet.chat(asking(`Local#sim~latency=${SILENCE_MS}`)),
  quiet.chat(asking(`Local#sim~pause=${SILENCE_MS}`, undefined, { stream: true })),
  quiet.chat(asking(`Local#sim~chunks=1~pace=${SILENCE_MS / 2}`, undefined, { stream: true })),
];
for (const silence of silences) silence.catch(() => {});
afterAll(async () => {
  await own.stop();
  for (const one of [world, quiet, wide]) await one.stop();
});

describe("a client that leaves ends its upstream call", () => {
  const WAYS: readonly (readonly [string, string, boolean])[] = [
    ["whole, before the first byte", "silent", false],
    ["whole, in mid-answer", "stall", false],
    ["streamed, before the first byte", "silent", true],
    ["streamed, in mid-answer", "stall", true],
  ];

  test.each(WAYS)("%s, for every provider", async (_name, trouble, stream) => {
    world.simulator.reset();
    const gone = new AbortController();
    const answers = PROVIDER_NAMES.map((provider) =>
      world.chat(asking(`${provider}#sim~trouble=${trouble}`, "say: a b c d", { stream }), {
        signal: gone.signal,
      }),
    );
    await until("all are called", () => world.simulator.calls.open === PROVIDER_NAMES.length);
    if (stream && trouble === "stall") {
      for (const answer of answers) expect(await firstText(await answer)).toContain('"content":"a"');
    }
    gone.abort();
    await Promise.allSettled(answers);
    await until("no call is open", () => world.simulator.calls.open === 0);
    const ended = world.simulator.calls.all().map((call) => call.ended);
    expect(ended).toEqual(PROVIDER_NAMES.map(() => "aborted"));
  });

  test("after an early head, between keep-alives", async () => {
    world.simulator.reset();
    const gone = new AbortController();
    const body = asking(`Local#sim~latency=${LONG_MS}`, undefined, { stream: true });
    const response = await world.chat(body, { signal: gone.signal });
    expect(await firstText(response)).toBe(": keep-alive\n\n");
    gone.abort();
    await until("no call is open", () => world.simulator.calls.open === 0);
  });

  test("between two attempts", async () => {
    const before = world.odd.calls.total;
    const gone = new AbortController();
    const answer = world.chat(asking("Acme#late~latency=2700~trouble=503"), { signal: gone.signal });
    await until("the first is called", () => world.odd.calls.total === before + 1);
    gone.abort();
    await answer.catch(() => {});
    await until("no call is open", () => world.odd.calls.open === 0);
    expect(world.odd.calls.total).toBe(before + 1);
  });

  test("with all calls of its choices", async () => {
    world.simulator.reset();
    const gone = new AbortController();
    const body = asking("Anthropic#sim~trouble=stall", "say: a b c d", { n: 4, stream: true });
    const response = await world.chat(body, { signal: gone.signal });
    await firstText(response);
    await until("four calls", () => world.simulator.calls.open === 4);
    gone.abort();
    await until("no call is open", () => world.simulator.calls.open === 0);
  });

  test("as logged, and nothing stays open in the gateway", async () => {
    const { secret, id } = await world.newKey();
    const gone = new AbortController();
    const response = await world.chat(asking("Local#sim~trouble=stall", "say: a b c d", { stream: true }), {
      secret,
      signal: gone.signal,
    });
    await firstText(response);
    gone.abort();
    const headers = { authorization: `Bearer ${world.adminToken}` };
    const row = await until("the row is written", async () => {
      const list = await fetch(`${world.url}/admin/v1/requests?key_id=${id}`, { headers });
      return ((await list.json()) as { data: unknown[] }).data[0];
    });
    expect(row).toMatchObject({ ended: "client_gone", status: 499, stream: true });
    await until("none is open", async () => {
      const metrics = await (await fetch(`${world.url}/metrics`)).text();
      return metrics.includes("poundkey_requests_open 0\n");
    });
  });

  async function firstText(response: Response): Promise<string> {
    const { value } = (await response.body?.getReader().read()) ?? {};
    return new TextDecoder().decode(value);
  }
});

describe("many at once", () => {
  test(
    `${STREAMS} streams run together, each with its own words`,
    async () => {
      const { url, secret } = wide;
      const words = (at: number) => `stream ${at} of many`;
      const bodies = Array.from({ length: STREAMS }, (_, at) =>
        asking("Own#held", words(at), { stream: true }),
      );
      const answers = postMany(url, secret, bodies);
      // No stream ends before all have begun, so any limit would block the rest forever.
      await until("all streams have begun", () => own.held === STREAMS, LONG_MS);
      await until("all are open", async () => {
        const metrics = await (await fetch(`${url}/metrics`)).text();
        return metrics.includes(`poundkey_requests_open ${STREAMS}\n`);
      });
      own.release();
      for (const [at, { status, text }] of (await answers).entries()) {
        expect(status).toBe(200);
        const { texts, error, chunks } = parseTranscript(text);
        expect([texts, error]).toEqual([[words(at)], null]);
        expect(chunks.length).toBe(words(at).split(" ").length + 1);
      }
      await until("none is open", () => own.open === 0);
    },
    LONG_MS,
  );

  test("each piece leaves as it arrives", async () => {
    const response = await world.chat(asking("Own#held", "one two", { stream: true }));
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toContain('"content":"one "');
    expect(own.held).toBe(1);
    own.release();
    await reader?.cancel();
  });

  test("one connection serves several requests in turn, whole and streamed", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const used = new Set<unknown>();
    for (const stream of [false, true, false, true]) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const headers = { "content-type": "application/json", authorization: `Bearer ${world.secret}` };
      const sent = request(
        `${world.url}/v1/chat/completions`,
        { method: "POST", agent, headers },
        (response) => {
          used.add(response.socket.localPort);
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          response.on("end", () => resolve(text));
        },
      );
      sent.on("error", reject);
      sent.end(JSON.stringify(asking("Local#sim", undefined, { stream })));
      expect(await promise).toContain("day");
    }
    agent.destroy();
    expect(used.size).toBe(1);
  });
});

test(
  "silences longer than a server's default timeout still end in the answer",
  async () => {
    const lines: string[] = [];
    for (const silence of silences) {
      const answer = await seen(await silence);
      expect(readText(answer)).toStartWith("good day");
      lines.push(formatLine(answer));
    }
    expect(lines).toEqual(["200 whole", "200 done", "200 done"]);
  },
  LONG_MS,
);

test("a provider that only sends keep-alives has not answered", async () => {
  const answer = await seen(await world.chat(asking("Brisk#pings", "x", { stream: true })));
  expect(formatLine(answer)).toBe("504 api_error upstream_timeout");
  await until("the call is over", () => own.open === 0);
});

test("the connection to a provider with an unreadable answer is closed", async () => {
  const body = asking("Local#sim~trouble=garbage~pace=300", "long 200", { stream: true });
  expect(formatLine(await seen(await world.chat(body)))).toBe("200 then api_error upstream_error");
  await until("the call is over", () => world.simulator.calls.open === 0);
});

test("streams can finish while the gateway stops", async () => {
  const upstream = await startOwnUpstream(0);
  const providers = `  Own: { dialect: openai, keys: [k], base_url: "${upstream.url}", unlisted_models: true }`;
  const leaving = await startHttpWorld({ providers });
  const response = await leaving.chat(asking("Own#held", "one two three", { stream: true }));
  const stopped = leaving.stop();
  await until("no new one is let in", async () => {
    const late = await fetch(`${leaving.url}/readyz`).catch(() => null);
    return late === null || late.status === 503;
  });
  upstream.release();
  expect((await seen(response)).stream).toMatchObject({ texts: ["one two three"], error: null });
  await stopped;
  await upstream.stop();
});
