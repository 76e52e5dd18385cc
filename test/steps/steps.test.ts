// Steps before and around answers, on every chat surface, translated and native, whole and streamed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import { readSums } from "../whole/world/money-world.ts";
import { until } from "../whole/world/until.ts";
import { type Got, makeRequest, nameWay, readWords, WAYS, type Way } from "./asked.ts";
import { ends, MADE_UP, told } from "./made-up.ts";

const CARD = "context: 8192, output: 1024, price: { input: 1, output: 2 }";
const FAILING = "sim~trouble=500";
/** A provider per way that always fails: the retries of one for all would soon be used up. */
const nameFailing = (way: Way) => `Bad${WAYS.indexOf(way)}`;

/** The failing providers, and one of another form that answers for them. */
const failing = (url: string) => `
  Good:
    dialect: anthropic
    keys: ["sim-key"]
    base_url: "${url}/anthropic/v1"
    models: [{ name: sim, ${CARD} }]
${WAYS.map(
  (way) => `  ${nameFailing(way)}:
    dialect: openai
    keys: ["sim-key"]
    base_url: "${url}/openai/v1"
    models: [{ name: ${FAILING}, ${CARD} }]`,
).join("\n")}
models:
${WAYS.map((way) => `  "${nameFailing(way)}#${FAILING}": { fallbacks: ["Good#sim"] }`).join("\n")}
responses: { keep: 1d }`;

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({ steps: MADE_UP, more: failing });
});
afterAll(() => world.stop());
beforeEach(() => {
  told.length = 0;
  ends.length = 0;
  world.simulator.reset();
});

async function ask(
  way: Way,
  prompt: string,
  headers: Record<string, string> = {},
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

/** Rows of the log, the latest first. */
async function readRows(count = 1): Promise<readonly JsonObject[]> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const response = await fetch(`${world.url}/admin/v1/requests?limit=${count}`, { headers });
  return asArray(asObject(await response.json()).data).map(asObject);
}

async function untilNothingIsOpen(): Promise<void> {
  await until("nothing is open or held", async () => {
    const metrics = await (await fetch(`${world.url}/metrics`)).text();
    const isOpen = /^poundkey_(requests_open|body_bytes\{.*\}) [^0]/m.test(metrics);
    return !isOpen && readSums(world.directory).holds === 0 && world.simulator.calls.open === 0;
  });
}

const calls = () => world.simulator.calls.total;
const sent = () => JSON.stringify(world.simulator.calls.last()?.body);

describe.each(WAYS.map((way) => [nameWay(way), way] as const))("%s", (_name, way) => {
  test("a step refuses a request: it has its row, and no provider is asked", async () => {
    const got = await ask(way, "say: forbidden things");
    expect([got.status, calls(), told]).toEqual([400, 0, ["guard before"]]);
    expect(got.text).toContain("A step refuses this.");
    const [row] = await readRows();
    expect(row).toMatchObject({ status: 400, error_code: "content_filter", ended: "refused", attempts: 0 });
    await untilNothingIsOpen();
  });

  test("a step changes what is asked and what is shown, in the order of the list and back", async () => {
    const got = await ask(way, "say: my secret banana cake");
    expect(sent()).toContain("my hidden banana");
    expect(sent()).not.toContain("secret");
    expect([got.status, readWords(got)]).toEqual([200, "my hidden fruit cake"]);
    expect(got.text).not.toContain("banana");
    expect(told.slice(0, 3)).toEqual(["guard before", "mask before", `mask around ${way.native}`]);
    const around = told.slice(3).filter((one, at, all) => one !== all[at - 1]);
    expect(around.slice(0, 2)).toEqual(
      way.stream ? ["mask pass", "guard pass"] : ["mask whole", "guard whole"],
    );
    await until("the step is told", () => ends.length > 0);
    expect(ends).toMatchObject([{ fault: null, isStored: true, finishes: ["stop"] }]);
    const [row] = await readRows();
    expect(row).toMatchObject({ status: 200, ended: "done", attempts: 1, usage_source: "provider" });
    await untilNothingIsOpen();
  });

  test("a step answers itself: nobody is asked, and it costs nothing", async () => {
    const got = await ask(way, "canned please");
    expect([got.status, readWords(got), calls()]).toEqual([200, "from the tin", 0]);
    expect(got.text).toContain("Tin#can");
    expect(got.text).not.toMatch(/"(cost|charged)": ?9/);
    const [row] = await readRows();
    expect(row).toMatchObject({ status: 200, ended: "done", attempts: 0, cost_usd: 0, charged_usd: 0 });
    await untilNothingIsOpen();
  });

  test("a step holds an answer back until its end", async () => {
    const got = await ask(way, "say: wait for it");
    expect([got.status, readWords(got)]).toEqual([200, "wait for it"]);
    await untilNothingIsOpen();
  });

  test("a bug within an answer is logged with its place, and shown without", async () => {
    const before = world.events.length;
    const got = await ask(way, "say: one two crash three", {}, "sim~pace=50");
    expect(got.status).toBe(way.stream ? 200 : 500);
    expect(got.text).toContain("The gateway failed to handle this request.");
    expect(got.text).not.toContain("A step's bug.");
    const bugs = world.events.slice(before).filter(({ event }) => event === "internal_error");
    expect(bugs.map(({ cause }) => String(cause))).toEqual([
      expect.stringMatching(/A step's bug\..*made-up\.ts/s),
    ]);
    await untilNothingIsOpen();
  });

  test.each([
    ["at its beginning", "say: poison three", 400],
    ["in its middle", "say: one two poison three", way.stream ? 200 : 400],
  ] as const)("a step refuses an answer %s: it was produced", async (_at, prompt, status) => {
    const got = await ask(way, prompt, {}, "sim~pace=50");
    expect(got.status).toBe(status);
    if (status === 200) expect(readWords(got)).toStartWith("one");
    expect(got.text).toContain("A step refuses this.");
    expect(got.text).not.toContain("poison");
    expect(got.text).not.toContain("three");
    const [row] = await readRows();
    expect(row).toMatchObject({
      status: 400,
      error_code: "content_filter",
      ended: "broken_off",
      attempts: 1,
    });
    await until("the step is told", () => ends.length > 0);
    expect(ends.map(({ fault }) => fault?.code)).toEqual(["content_filter"]);
    await untilNothingIsOpen();
  });

  test.each(["before", "around"])(
    "a client that leaves a step stuck %s leaves nothing behind",
    async (at) => {
      const [path, body] = makeRequest(way, `say: stuck ${at} this`);
      const leaving = new AbortController();
      const headers = { "content-type": "application/json", authorization: `Bearer ${world.secret}` };
      const asked = { method: "POST", headers, body: JSON.stringify(body), signal: leaving.signal };
      const left = fetch(world.url + path, asked).then((response) => response.text());
      await until("a step is stuck", () => told.includes("stuck"));
      leaving.abort();
      await left.catch(() => {});
      await untilNothingIsOpen();
      const [row] = await readRows();
      expect(row).toMatchObject({ status: 499, ended: "client_gone", attempts: at === "before" ? 0 : 1 });
    },
  );

  test("an answer is repeated as it was shown, without asking the steps again", async () => {
    const headers = { "idempotency-key": `${nameWay(way)}`.replaceAll(" ", "-") };
    const prompt = "say: my secret banana";
    const first = await ask(way, prompt, headers);
    const asked = told.splice(0).length;
    const again = await ask(way, prompt, headers);
    expect([again.headers.get("x-poundkey-replayed"), told, asked > 2]).toEqual(["true", [], true]);
    expect([readWords(first), readWords(again)]).toEqual(["my hidden fruit", "my hidden fruit"]);
    expect((await ask(way, "say: another", headers)).status).toBe(409);
    expect(calls()).toBe(1);
    await untilNothingIsOpen();
  });

  test("failover asks the steps once", async () => {
    const elsewhere = { ...way, provider: nameFailing(way) };
    const got = await ask(elsewhere, "say: my secret banana", {}, FAILING);
    expect([got.status, readWords(got)]).toEqual([200, "my hidden fruit"]);
    expect(got.headers.get("x-poundkey-attempts")).toBe("2");
    expect(told.filter((one) => / before| around /.test(one))).toEqual([
      "guard before",
      "mask before",
      `mask around ${way.surface === "messages" ? "anthropic" : null}`,
    ]);
    expect(world.simulator.calls.all().map(({ body }) => JSON.stringify(body).includes("secret"))).toEqual([
      false,
      false,
    ]);
    await untilNothingIsOpen();
  });
});

test.each(["say: forbidden things", "canned please"])("'%s' is one of its minute", async (prompt) => {
  const [way] = WAYS;
  if (way === undefined) throw new Error("There is no way to ask.");
  const { secret } = await world.newKey({ requests_per_minute: 2, requests_per_day: 1 });
  const headers = { authorization: `Bearer ${secret}` };
  const first = await ask(way, prompt, headers);
  const second = await ask(way, prompt, headers);
  const third = await ask(way, "say: hello", headers);
  expect([first.status, second.status]).not.toContain(429);
  expect([third.status, third.text]).toEqual([429, expect.stringContaining("requests_per_minute_exceeded")]);
  expect(calls()).toBe(0);
  await untilNothingIsOpen();
});

test("a bug within an answer whose client has left is logged with its place, once", async () => {
  const before = world.events.length;
  const [path, body] = makeRequest(
    { surface: "chat", provider: "Local", stream: true, native: null },
    "say: one two three four crash",
    "sim~pace=50",
  );
  const leaving = new AbortController();
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${world.secret}`,
      "idempotency-key": "left",
    },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  expect(response.status).toBe(200);
  leaving.abort();
  await untilNothingIsOpen();
  const bugs = world.events.slice(before).filter(({ event }) => event === "internal_error");
  expect(bugs.map(({ cause }) => String(cause))).toEqual([
    expect.stringMatching(/A step's bug\..*made-up\.ts/s),
  ]);
});
