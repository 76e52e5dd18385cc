// Two payers whose texts fail together, beside a third: it is served, and its texts are judged, as if it were alone.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { answerWell } from "../../sim/core-world.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

/** The time that judges and the model `Frail#slow` take. */
const TAKES_MS = 400;
/** The two have failed so often before the third asks. */
const FAILED_FIRST = 12;
const ASKED = 8;

const takeTime = () => Bun.sleep(TAKES_MS);

let upstream: TestServer;
let judge: TestServer;
let gateway: UnderTest;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readText(request);
  if (asObject(parseJson(text)).model === "slow") await takeTime();
  const isCrash = text.includes("crashing");
  response.writeHead(isCrash ? 500 : 200, { "content-type": "application/json" });
  response.end(isCrash ? "{}" : await answerWell(false).text());
}

async function decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const texts = asArray(asObject(parseJson(await readText(request))).texts).join(" ");
  await takeTime();
  response.writeHead(texts.includes("breaking") ? 500 : 200, { "content-type": "application/json" });
  const isForbidden = texts.includes("forbidden");
  response.end(
    JSON.stringify(isForbidden ? { action: "BLOCKED", blocked_reason: "No." } : { action: "NONE" }),
  );
}

beforeAll(async () => {
  [upstream, judge] = await Promise.all([serveHttp(answer), serveHttp(decide)]);
  const hooks = ["pass", "refuse"].map(
    (way) => `  - { name: ${way}, url: "${judge.url}", keys: [], timeout: 1s, on_failure: ${way} }`,
  );
  gateway = await startUnderTest({
    more: `  Frail: { dialect: openai, keys: [one], base_url: "${upstream.url}", unlisted_models: true }
hooks:
${hooks.join("\n")}`,
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([upstream.stop(), judge.stop()]);
});

type Key = Awaited<ReturnType<UnderTest["newKey"]>>;

const ask = async (key: Key, model: string, text: string) =>
  (await gateway.chat(asking(model, text), key)).status;

/** Has two keys send a text, two at once each, until the work has ended. */
async function beside<Result>(
  failing: readonly Key[],
  model: string,
  text: string,
  work: () => Promise<Result>,
) {
  let isOver = false;
  let failed = 0;
  const threads = [...failing, ...failing].map(async (key) => {
    while (!isOver) {
      await ask(key, model, text);
      failed++;
      await Bun.sleep(50);
    }
  });
  await until("the two have failed", () => failed >= FAILED_FIRST);
  try {
    return await work();
  } finally {
    isOver = true;
    await Promise.all(threads);
  }
}

test.each(["pass", "refuse"])("a judge with `on_failure: %s` judges the third's texts", async (hook) => {
  const keys = await Promise.all(
    ["one", "two", "three"].map(async (name) =>
      gateway.newKey({ hooks: [hook], account_id: await gateway.newAccount(`${hook} ${name}`) }),
    ),
  );
  const [one, two, third] = keys as [Key, Key, Key];
  expect(await ask(third, "Frail#any", "a forbidden text")).toBe(400);
  const statuses = await beside([one, two], "Frail#any", "breaking", async () => {
    const pairs = Array.from({ length: ASKED }, async () => [
      await ask(third, "Frail#any", "a forbidden text"),
      await ask(third, "Frail#any", "a good text"),
    ]);
    return Promise.all(pairs);
  });
  expect(statuses).toEqual(Array.from({ length: ASKED }, () => [400, 200]));
});

test.each(["Frail#instant", "Frail#slow"])(
  "%s serves a third account beside two whose texts crash it, and a service key beside two of its own account",
  async (model) => {
    const apart = await Promise.all(
      ["one", "two", "three"].map((name) => gateway.newAccount(`${model} ${name}`)),
    );
    const [own = ""] = apart;
    for (const accounts of [apart, [own, own, own]]) {
      const keys = await Promise.all(accounts.map((account_id) => gateway.newKey({ account_id })));
      const [one, two, third] = keys as [Key, Key, Key];
      const statuses = await beside([one, two], model, "crashing", async () => {
        const seen: number[] = [];
        for (let at = 0; at < ASKED; at++) seen.push(await ask(third, model, "a good text"));
        return seen;
      });
      expect(statuses).toEqual(Array.from({ length: ASKED }, () => 200));
    }
  },
);
