// Two gateways on one PostgreSQL that take a signed list, each into a file of its own and both into one: they end equal, and the
// one whose mirror is behind never writes the older list over the newer one.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { CHANGED, makeList, PUBLIC, sign } from "../../app/models/watch-world.ts";
import { IS_LONG } from "../../harness/long.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { until } from "../../whole/world/until.ts";
import { type GatewayProcess, operate, post, startGatewayProcess } from "../nodes/gateway.ts";
import { useDatabases } from "./databases.ts";

const LONG_MS = 60_000;
const NODES = ["one", "other"] as const;
type Node = (typeof NODES)[number];

const folder = mkdtempSync(join(tmpdir(), "poundkey-catalogue-nodes-"));
const server = await useDatabases();
let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
}, LONG_MS);
afterAll(async () => {
  await simulator.stop();
  await server.remove();
  rmSync(folder, { recursive: true });
}, LONG_MS);

const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name), "utf8");
const serialOf = (file: string) => asObject(asObject(parseJson(read(file))).list).serial;

/** Puts a list and its signature at a node's mirror. */
function offer(node: Node, list: string): void {
  for (const [name, bytes] of [
    [`${node}.json.sig`, sign(list)],
    [`${node}.json`, list],
  ] as const) {
    writeFileSync(at("beside"), bytes);
    renameSync(at("beside"), at(name));
  }
}

function offerAll(list: string): void {
  for (const node of NODES) offer(node, list);
}

/** Starts two gateways, each with its own mirror, and with the file that `fileOf` names. */
async function startNodes(fileOf: (node: Node) => string) {
  const processes = NODES.map((node): GatewayProcess => {
    const watch = { from: at(`${node}.json`), keys: [PUBLIC], take: "safe" };
    const more = `catalogue: ${JSON.stringify({ file: at(fileOf(node)), watch })}`;
    return startGatewayProcess({ store: server.url, simulatorUrl: simulator.url, more });
  });
  const [one = "", other = ""] = await Promise.all(processes.map(({ url }) => url));
  return { urls: { one, other }, stop: () => Promise.all(processes.map((each) => each.stop())) };
}

const readList = async (url: string) => asObject((await operate(url, "/catalogue")).list);

/** Returns the USD per million tokens of output that a node charges. */
async function measurePrice(url: string, secret: string): Promise<number> {
  const ask = { model: CHANGED, max_tokens: 50, messages: [{ role: "user", content: "say: hello" }] };
  const answer = await post(`${url}/v1/chat/completions`, secret, ask);
  const { usage } = asObject(await answer.json());
  const { prompt_tokens: input, completion_tokens: output } = asObject(usage);
  // Input is a sixth of output's price.
  return (Number(answer.headers.get("x-poundkey-cost")) * 1e6) / (Number(output) + Number(input) / 6);
}

const NEWER = makeList(119, {}, 1.3);

test(
  "with a file each",
  async () => {
    offerAll(makeList(118));
    const { urls, stop } = await startNodes((node) => `file-${node}.json`);
    const reads = async (serial: number) => {
      const seen = await Promise.all(NODES.map(async (node) => (await readList(urls[node])).serial));
      return (
        seen.every((one) => one === serial) && NODES.every((node) => serialOf(`file-${node}.json`) === serial)
      );
    };
    await until("both have taken it", () => reads(118).catch(() => false), LONG_MS);
    const { secret } = await operate(urls.one, "/keys", { name: "test", requests_per_day: null });
    const prices = async () => {
      const found = await Promise.all(NODES.map((node) => measurePrice(urls[node], String(secret))));
      return found.map((usd) => Math.round(usd * 100) / 100).join();
    };
    await until("both charge its price", async () => (await prices()) === "18,18", LONG_MS);
    // The other one's mirror is behind.
    offer("one", NEWER);
    await until("the first has taken the next", () => serialOf("file-one.json") === 119, LONG_MS);
    expect(serialOf("file-other.json")).toBe(118);
    offer("other", NEWER);
    await until("both have taken the next", () => reads(119), LONG_MS);
    expect(read("file-other.json")).toBe(read("file-one.json"));
    await until("both charge the next one's price", async () => (await prices()) === "19.5,19.5", LONG_MS);
    await stop();
  },
  LONG_MS * 2,
);

test.if(IS_LONG)(
  "with one file, which no older list replaces",
  async () => {
    offerAll(NEWER);
    const { urls, stop } = await startNodes(() => "shared.json");
    const looked = (node: Node) => readList(urls[node]);
    await until(
      "both have looked",
      async () => {
        const serials = await Promise.all(NODES.map(async (node) => (await looked(node)).serial));
        return serials.every((serial) => serial === 119);
      },
      LONG_MS,
    );
    const taken = read("shared.json");
    expect(serialOf("shared.json")).toBe(119);
    offer("other", makeList(118));
    await until(
      "the older list is refused",
      async () => (await looked("other")).refused === "older",
      LONG_MS,
    );
    expect([read("shared.json"), (await looked("one")).refused]).toEqual([taken, null]);
    await stop();
  },
  LONG_MS * 2,
);
