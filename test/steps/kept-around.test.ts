// A step around kept answers too: the cache keeps what it gets, clients see what it shows, and the log has what it says.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { asArray, asObject } from "../../src/core/json/json.ts";
import type { AnswerEnd, Step } from "../../src/gateway/step.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { type Collector, startCollector } from "../telemetry/collector.ts";
import { createOperator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { type Got, makeRequest, nameWay, readWords, WAYS, type Way } from "./asked.ts";

/** The word that clients see for `alpha`. Another one shows that the cache has kept `alpha`. */
let shownWord = "beta";
const ends: AnswerEnd[] = [];

const swap: Step = {
  isAroundKept: true,
  before: () => null,
  around({ family, call: { operation, raw } }) {
    const show = (text: string) => {
      if (text.includes("poison") && shownWord !== "beta")
        throw new Fault("content_blocked", "A step refuses this.", { hookReason: "poison" });
      return text.replaceAll("alpha", shownWord);
    };
    const native = family === null ? null : (raw?.texts ?? null);
    return {
      whole: (reply) => operation.mapReply(reply, show, native),
      pass: (pieces) => operation.mapPieces(pieces, show, native),
      end: () => [],
      over: (end) => void ends.push(end),
    };
  },
  hideLogged({ operation }, reply) {
    const hide = (text: string) => {
      if (text.includes("crash")) throw new TypeError("A step's bug.");
      return text.replaceAll(/alpha|beta|delta/g, "gamma");
    };
    return operation.mapReply(reply, hide, null);
  },
};

let world: UnderTest;
let collector: Collector;
beforeAll(async () => {
  collector = startCollector();
  const more = [
    "log: { content: true }",
    "responses: { keep: 1d }",
    `telemetry: { otlp: { endpoint: "${collector.url}", content: true } }`,
  ].join("\n");
  world = await startUnderTest({ steps: [swap], more });
});
afterAll(async () => {
  await world.stop();
  await collector.stop();
});
beforeEach(() => {
  shownWord = "beta";
  ends.length = 0;
  world.simulator.reset();
});

const ON = { "x-poundkey-cache": "on" };

async function ask(
  way: Way,
  prompt: string,
  headers: Record<string, string> = ON,
  model?: string,
): Promise<Got> {
  const [path, body] = makeRequest(way, prompt, model);
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}`, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const nameRequest = ({ headers }: Got) => headers.get("x-request-id") ?? "";

async function findRow(got: Got) {
  const { body } = await createOperator(world).get("/requests?limit=10");
  return asArray(body.data)
    .map(asObject)
    .find((row) => row.request_id === nameRequest(got));
}

/** Returns the reply in the log. */
function readReply(got: Got): Promise<string> {
  return until("its content is written", async () => {
    const row = await findRow(got);
    if (row === undefined) return null;
    const { content } = (await createOperator(world).get(`/requests/${row.id}`)).body;
    return content ? JSON.stringify(asObject(content).reply) : null;
  });
}

/** Returns the answers in the spans of a request. */
async function readExported(requestId: string): Promise<string> {
  const spans = await until("its spans are exported", () => {
    const found = collector.of(requestId);
    return found.length > 0 ? found : null;
  });
  return spans.map(({ attributes }) => String(attributes["gen_ai.output.messages"] ?? "")).join();
}

const calls = () => world.simulator.calls.total;
const state = ({ headers }: Got) => headers.get("x-poundkey-cache");

/** The requests that providers answered. */
const asked: string[] = [];

describe.each(WAYS.map((way) => [nameWay(way), way] as const))("%s", (name, way) => {
  test("a provider's answer and the kept one are shown by the step, whole and streamed", async () => {
    const prompt = `say: ${name} alpha cake`;
    const first = await ask(way, prompt);
    expect([state(first), readWords(first)]).toEqual([way.stream ? "miss" : "stored", `${name} beta cake`]);
    expect(first.text).not.toContain("alpha");
    asked.push(nameRequest(first));
    const logged = await readReply(first);
    expect(logged).toContain("gamma");
    expect(logged).not.toMatch(/alpha|beta/);
    for (const stream of [way.stream, !way.stream]) {
      ends.length = 0;
      shownWord = "delta";
      const again = await ask({ ...way, stream }, prompt);
      expect([state(again), calls(), readWords(again)]).toEqual(["hit", 1, `${name} delta cake`]);
      expect(again.text).not.toMatch(/alpha|beta/);
      const kept = await readReply(again);
      expect(kept).toContain("gamma");
      expect(kept).not.toMatch(/alpha|beta|delta/);
      expect(ends).toMatchObject([{ fault: null, record: { ended: "done" } }]);
    }
  });

  test("a kept answer that the step refuses is refused as a provider's is", async () => {
    const prompt = `say: ${name} poison cake`;
    expect((await ask(way, prompt)).status).toBe(200);
    shownWord = "delta";
    const refused = await ask(way, prompt);
    expect([refused.status, calls()]).toEqual([400, 1]);
    expect(refused.text).toContain("A step refuses this.");
    expect(refused.text).not.toContain("cake");
    await until("the step is told", () => ends.some(({ fault }) => fault?.code === "content_blocked"));
    const row = { status: 400, error_code: "content_blocked", attempts: 0 };
    expect(await findRow(refused)).toMatchObject(row);
  });

  test("a repeat by its Idempotency-Key has what was shown", async () => {
    const headers = { "idempotency-key": name.replaceAll(" ", "-") };
    const first = await ask(way, "say: my alpha cake", headers);
    shownWord = "delta";
    const again = await ask(way, "say: my alpha cake", headers);
    expect(again.headers.get("x-poundkey-replayed")).toBe("true");
    expect([readWords(first), readWords(again)]).toEqual(["my beta cake", "my beta cake"]);
  });
});

test.each([false, true])(
  "a kept response has what was shown, of a hit too (streamed: %p)",
  async (stream) => {
    const [way] = WAYS.filter(({ native }) => native === "responses");
    if (way === undefined) throw new Error("There is no way to ask.");
    for (const word of ["beta", "delta"]) {
      shownWord = word;
      const got = await ask({ ...way, stream }, `say: kept ${stream} alpha`);
      const id = /"id":"(resp_[^"]+)"/.exec(got.text)?.[1];
      const headers = { authorization: `Bearer ${world.secret}` };
      const kept = await (await fetch(`${world.url}/v1/responses/${id}`, { headers })).text();
      expect(JSON.stringify(asObject(JSON.parse(kept)).output)).toContain(`kept ${stream} ${word}`);
    }
    expect(calls()).toBe(1);
  },
);

test("an answer that breaks off is logged as the step says", async () => {
  const way: Way = { surface: "chat", provider: "Local", stream: true, native: null };
  const words = "alpha ".repeat(40);
  const got = await ask(way, `say: ${words}`, {}, "sim~trouble=cut");
  expect(got.text).toContain("beta");
  const logged = await readReply(got);
  expect(logged).toContain("gamma");
  expect(logged).not.toMatch(/alpha|beta/);
  asked.push(nameRequest(got));
});

test("spans have the answers as the step says", async () => {
  for (const requestId of asked) {
    const exported = await readExported(requestId);
    expect(exported).toContain("gamma");
    expect(exported).not.toMatch(/alpha|beta/);
  }
  expect(asked).toHaveLength(WAYS.length + 1);
});

test("an answer that the step can't hide is neither logged nor exported, and a bug is logged", async () => {
  const way: Way = { surface: "chat", provider: "Local", stream: false, native: null };
  const before = world.events.length;
  const got = await ask(way, "say: crash alpha", {});
  expect([got.status, readWords(got)]).toEqual([200, "crash beta"]);
  expect(await readExported(nameRequest(got))).not.toMatch(/alpha|beta/);
  const events = world.events.slice(before);
  expect(events.filter(({ event }) => event === "content_lost")).toHaveLength(1);
  expect(events.filter(({ event }) => event === "internal_error")).toHaveLength(2);
});
