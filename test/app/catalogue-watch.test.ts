// The gateway compares its prices with a list regularly, logs the result, and applies nothing.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { PriceWatch } from "../../src/app/models/catalogue-watch.ts";
import { FEED_FORMATS } from "../../src/core/models/feed-format.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { makeLiteLlm, makeLiteLlmRow } from "../catalogue/feed-samples.ts";

const HOUR_MS = 3_600_000;
const [, LITELLM] = FEED_FORMATS;
const CHANGED = makeLiteLlm({
  "gpt-5.4": makeLiteLlmRow({ input_cost_per_token: 3e-6 }),
  "gpt-7-new": makeLiteLlmRow(),
});

let list = "";
let asked = 0;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    asked += 1;
    return new Response(list);
  },
});
afterAll(() => server.stop(true));
const from = `http://127.0.0.1:${server.port}/list`;

beforeEach(() => {
  list = JSON.stringify(CHANGED);
  asked = 0;
});

function makeWatch(given: { from: string } | null = { from }) {
  const lines: LogEvent[] = [];
  let nowMs = Date.parse("2026-11-26T12:00:00Z");
  const catalogueWatch = given && { ...given, format: LITELLM, everyMs: 24 * HOUR_MS };
  let settings = { overlay: [], newerModels: [], ...(catalogueWatch ? { catalogueWatch } : {}) };
  const watch = new PriceWatch({
    settings: () => settings,
    fetch,
    log: (line) => lines.push(line),
    clock: { nowMs: () => nowMs },
    random: { bytes: (count) => new Uint8Array(count) },
  });
  return {
    watch,
    lines,
    pass: (hours: number) => {
      nowMs += hours * HOUR_MS;
    },
    reload: () => {
      settings = { ...settings, newerModels: [] };
    },
  };
}

test("looks at once, then once per period, and tells what waits", async () => {
  const { watch, lines, pass } = makeWatch();
  expect(watch.waiting).toBeNull();
  await watch.refresh();
  expect([watch.waiting, asked]).toEqual([1, 1]);
  expect(lines).toEqual([
    {
      event: "catalogue_compared",
      format: "litellm",
      compared: 1,
      taken: 0,
      waiting: 1,
      refused: 0,
      added: 1,
    },
  ]);
  pass(21);
  await watch.refresh();
  expect(asked).toBe(1);
  pass(6);
  await watch.refresh();
  expect(asked).toBe(2);
});

test("looks again after a reload, which may have taken the changes", async () => {
  const { watch, reload } = makeWatch();
  await watch.refresh();
  list = JSON.stringify(makeLiteLlm({ "gpt-5.4": makeLiteLlmRow() }));
  reload();
  await watch.refresh();
  expect([watch.waiting, asked]).toEqual([0, 2]);
});

test("asks nobody unless an address is named", async () => {
  const { watch, lines } = makeWatch(null);
  await watch.refresh();
  expect([watch.waiting, asked, lines]).toEqual([null, 0, []]);
});

test("keeps the last result if the list can't be used, and says why", async () => {
  const { watch, lines, pass } = makeWatch();
  await watch.refresh();
  list = "<html>";
  pass(30);
  await watch.refresh();
  expect(watch.waiting).toBe(1);
  expect(lines.at(-1)).toEqual({
    event: "catalogue_refused",
    level: "warn",
    format: "litellm",
    cause: "it is not valid JSON",
  });
});
