// The gateway looks at the list that the operator named, says what it has, and takes of it what the operator allows.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findNextLook } from "../../../src/app/models/list-times.ts";
import type { SharedLook } from "../../../src/app/workers/worker.ts";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { makeLiteLlm, makeLiteLlmRow } from "../../catalogue/feed-samples.ts";
import { ROW } from "../../cli/catalogue-run.ts";
import {
  CHANGED,
  causes,
  HOUR_MS,
  KEY,
  MINUTE_MS,
  makeList,
  makeNode,
  NOW_MS,
  OTHER,
  PUBLIC,
  serveList,
  sign,
} from "./watch-world.ts";

let store = await openSqliteStore({ path: ":memory:", decide });
const server = serveList();
const { from, offer, served } = server;
afterAll(async () => {
  await server.stop();
  await store.close();
});
beforeEach(async () => {
  await store.close();
  store = await openSqliteStore({ path: ":memory:", decide });
});

const keys = [PUBLIC];
const idsOf = (text: string) => asArray(asObject(parseJson(text)).models).map((row) => asObject(row).id);

async function readAudit() {
  while ((await store.auditLog.chain(100)) !== null);
  const rows = await store.auditLog.rows({ accountIds: null }, { limit: 100, before: null });
  return rows.map(({ action, actorName, after }) => ({ action, actorName, after: parseJson(after ?? "") }));
}

async function readEvents() {
  const taken = (await store.takeEvents(NOW_MS, 100)).map(({ type, data }) => ({ type, data }));
  return taken.filter(({ type }) => type === "catalogue.waiting");
}

test("says what a list has, once for people, and takes nothing by itself", async () => {
  offer(makeList(118, { source: "us" }));
  const node = makeNode({ store, watch: { from, keys } });
  expect([node.prices.waiting, node.prices.list]).toEqual([null, null]);
  await node.prices.refresh();
  expect(node.lines).toEqual([
    {
      event: "catalogue_compared",
      format: "poundkey",
      serial: 118,
      new: ["OpenAI#gpt-99"],
      prices: 1,
      ends: 0,
      waits: 0,
      left_out: 0,
    },
  ]);
  expect(node.prices.list).toEqual({
    serial: 118,
    asOf: "2026-11-29",
    source: "us",
    key: KEY,
    fetchedAtMs: NOW_MS,
    refused: null,
  });
  expect(node.prices.waiting).toBe(2);
  node.pass(25 * HOUR_MS);
  await node.prices.refresh();
  expect(await readEvents()).toEqual([
    { type: "catalogue.waiting", data: { serial: 118, new: 1, prices: 1, ends: 0 } },
  ]);
  expect([existsSync(join(node.folder, "catalogue.json")), await readAudit()]).toEqual([false, []]);
  node.remove();
});

test("take: safe takes what --apply takes, of enabled providers alone, and puts it on record as the gateway's", async () => {
  const { models } = JSON.parse(makeList(118));
  offer(makeList(118, { models: [...models, { ...ROW, id: "Groq#gpt-99" }] }));
  const node = makeNode({ store, watch: { from, keys, take: "safe" } });
  await node.settle();
  expect(idsOf(node.read()).toSorted()).toEqual([CHANGED, "OpenAI#gpt-99"].toSorted());
  const price = node.settings().newerModels?.find(({ id }) => id === CHANGED)?.price;
  expect([price?.input, price?.output]).toEqual([3, 18]);
  expect(node.settings().catalogueList).toMatchObject({ serial: 118, asOf: "2026-11-29" });
  const [entry, ...more] = await readAudit();
  expect([entry?.action, entry?.actorName, more]).toEqual(["catalogue.updated", "gateway", []]);
  expect(entry?.after).toMatchObject({ serial: 118, key: KEY, accepted: 2 });
  expect([node.prices.waiting, await readEvents()]).toEqual([0, []]);
  const before = node.read();
  node.pass(25 * HOUR_MS);
  await node.settle();
  expect(node.read()).toBe(before);
  node.remove();
});

test("take: new takes new models alone, and tells people of the rest", async () => {
  offer(makeList(118));
  const node = makeNode({ store, watch: { from, keys, take: "new", ignore: ["*#gpt-98"] } });
  await node.settle();
  expect(idsOf(node.read())).toEqual(["OpenAI#gpt-99"]);
  expect(await readEvents()).toEqual([
    { type: "catalogue.waiting", data: { serial: 118, new: 0, prices: 1, ends: 0 } },
  ]);
  node.remove();
});

test("what moves too far waits for a person, and what is ignored isn't taken", async () => {
  offer(makeList(118, {}, 3));
  const node = makeNode({ store, watch: { from, keys, take: "safe", ignore: ["openai#GPT-9*"] } });
  await node.settle();
  expect([idsOf(node.read()), node.prices.waiting]).toEqual([[], 1]);
  expect(node.settings().catalogueList?.serial).toBe(118);
  node.remove();
});

test("without a file, what is taken stands beside the store, and a list from before the program is older", async () => {
  offer(makeList(118));
  const node = makeNode({ store, watch: { from, keys, take: "safe" }, file: null });
  await node.settle();
  expect(node.settings().newerModels?.map(({ id }) => id)).toContain("OpenAI#gpt-99");
  expect(idsOf(node.read())).toContain("OpenAI#gpt-99");
  offer(makeList(200, { as_of: "2026-01-01" }));
  node.pass(25 * HOUR_MS);
  await node.prices.refresh();
  expect(causes(node.lines)).toEqual(["older"]);
  node.remove();
});

test("without a file and without take, the last list since the start is remembered", async () => {
  const node = makeNode({ store, watch: { from }, file: null });
  for (const serial of [118, 117, 118, 119]) {
    offer(makeList(serial, {}, serial === 117 ? 1.1 : 1.2), null);
    node.pass(25 * HOUR_MS);
    node.reload();
    await node.prices.refresh();
  }
  offer(makeList(119, {}, 1.1), null);
  node.pass(25 * HOUR_MS);
  await node.prices.refresh();
  expect(causes(node.lines)).toEqual(["older", "reused"]);
  node.remove();
});

test("a list and a signature that don't belong together are asked for once more after a minute", async () => {
  const list = makeList(118);
  offer(list, sign(makeList(117)));
  const node = makeNode({ store, watch: { from, keys, take: "safe" } });
  await node.prices.refresh();
  node.pass(MINUTE_MS - 1);
  await node.prices.refresh();
  expect([served.asked, causes(node.lines)]).toEqual([1, ["signature"]]);
  served.signature = sign(list);
  node.pass(1);
  await node.settle();
  expect([node.prices.list?.refused, idsOf(node.read()).length]).toEqual([null, 2]);
  const other = makeList(119);
  offer(other, sign(other, OTHER));
  node.pass(25 * HOUR_MS);
  for (let minutes = 0; minutes < 5; minutes += 1) {
    await node.prices.refresh();
    node.pass(MINUTE_MS);
  }
  expect([served.asked, node.prices.list?.refused, node.prices.list?.serial]).toEqual([2, "signature", 118]);
  node.remove();
});

test("a file is looked at when it or its signature changes", async () => {
  const node = makeNode({ store });
  const path = join(node.folder, "list.json");
  const file = join(node.folder, "catalogue.json");
  const list = makeList(118);
  writeFileSync(path, list);
  writeFileSync(`${path}.sig`, sign(list));
  node.configure({ catalogue: { file, watch: { from: "list.json", keys, take: "safe" } } });
  node.reload();
  await node.settle();
  const looks = node.lines.length;
  await node.prices.refresh();
  expect(node.lines).toHaveLength(looks);
  const next = makeList(119, {}, 1.3);
  writeFileSync(path, next);
  await node.prices.refresh();
  expect(causes(node.lines)).toEqual(["signature"]);
  writeFileSync(`${path}.sig`, sign(next));
  await node.settle();
  expect(node.settings().catalogueList?.serial).toBe(119);
  node.remove();
});

test("asks nobody unless an address is named, and an unreachable one changes nothing", async () => {
  offer(makeList(118));
  const off = makeNode({ store, file: null });
  await off.prices.refresh();
  expect([off.prices.waiting, off.lines, served.asked]).toEqual([null, [], 0]);
  served.instead = () => new Response("", { status: 503 });
  const node = makeNode({ store, watch: { from, keys, take: "safe" } });
  await node.prices.refresh();
  expect([node.prices.list?.refused, node.prices.last]).toEqual(["unreachable", null]);
  for (const one of [off, node]) one.remove();
});

test("other lists are compared as before", async () => {
  offer(JSON.stringify(makeLiteLlm({ "gpt-5.4": makeLiteLlmRow({ input_cost_per_token: 3e-6 }) })), null);
  const node = makeNode({ store, watch: { from, format: "litellm" } });
  await node.prices.refresh();
  expect(node.lines).toMatchObject([
    { event: "catalogue_compared", format: "litellm", serial: null, prices: 1 },
  ]);
  served.list = "<html>";
  node.pass(25 * HOUR_MS);
  await node.prices.refresh();
  expect([node.prices.waiting, causes(node.lines)]).toEqual([1, ["form"]]);
  node.remove();
});

test("one process of a node looks, and the others compare what it found", async () => {
  offer(makeList(118));
  const looks: SharedLook[] = [];
  const watch = { from, keys, take: "safe" };
  const first = makeNode({ store, watch, team: { isFirst: true, share: (look) => looks.push(look) } });
  const team = { isFirst: false, share: () => expect.unreachable() };
  const second = makeNode({ store, watch, team, folder: first.folder });
  await second.prices.refresh();
  await first.settle();
  expect([served.asked, looks.length, second.prices.waiting]).toEqual([2, 2, null]);
  second.reload();
  for (const look of looks) await second.prices.follow(look);
  expect([second.prices.waiting, second.prices.list]).toEqual([0, first.prices.list]);
  expect([second.lines, second.settings().newerModels?.length]).toEqual([[], 2]);
  first.remove();
});

test("a node looks once more when another one tells a higher serial, and never takes an older list", async () => {
  const watch = { from, keys, take: "safe" };
  const nodes = [makeNode({ store, watch }), makeNode({ store, watch })];
  const [one, other] = nodes;
  if (!one || !other) throw new Error("there are two nodes");
  offer(makeList(118));
  for (const node of nodes) await node.settle();
  const newest = makeList(119, {}, 1.3);
  offer(newest);
  one.pass(25 * HOUR_MS);
  await one.settle();
  // A mirror that is behind: the other node asks once.
  offer(makeList(118));
  for (let times = 0; times < 3; times += 1) await other.prices.refresh();
  expect([served.asked, other.settings().catalogueList?.serial]).toEqual([1, 118]);
  offer(newest);
  other.pass(25 * HOUR_MS);
  await other.settle();
  expect(other.read()).toBe(one.read());
  offer(makeList(118));
  for (const node of nodes) {
    node.pass(25 * HOUR_MS);
    await node.settle();
    expect([causes(node.lines).at(-1), node.settings().catalogueList?.serial]).toEqual(["older", 119]);
    node.remove();
  }
});

test("a node whose file another one has changed takes nothing until it has read it", async () => {
  offer(makeList(118));
  const watch = { from, keys, take: "safe" };
  const one = makeNode({ store, watch });
  const other = makeNode({ store, watch, folder: one.folder });
  await one.settle();
  const taken = one.read();
  offer(makeList(117, {}, 1.1));
  await other.prices.refresh();
  expect(other.read()).toBe(taken);
  other.reload();
  await other.prices.refresh();
  expect([causes(other.lines), other.read()]).toEqual([["older"], taken]);
  one.remove();
});

test("all nodes look within the same minute, whenever they have started", () => {
  const day = 24 * HOUR_MS;
  const looks = [0, 1, 5, 23].map((hours) => findNextLook(from, day, NOW_MS + hours * HOUR_MS, hours / 23));
  const minutes = new Set(looks.map((atMs) => Math.floor((atMs % day) / MINUTE_MS)));
  expect(minutes.size).toBe(1);
  for (const atMs of looks) expect(atMs).toBeGreaterThan(NOW_MS);
  const next = findNextLook(from, day, looks[0] ?? 0, 0);
  expect(next - (looks[0] ?? 0)).toBe(day);
  expect(findNextLook("other", day, NOW_MS, 0)).not.toBe(looks[0]);
  const hourly = findNextLook(from, HOUR_MS, NOW_MS, 1);
  expect(hourly - NOW_MS).toBeLessThan(HOUR_MS + MINUTE_MS);
});
