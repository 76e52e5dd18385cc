// Each list of an operator's is asked with each of its filters, and each report, over a store with many keys, accounts, people
// and requests: none of them may keep the event loop, in which all requests of the process stand still meanwhile.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { asArray, asObject, asString, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { IS_LONG } from "../../harness/long.ts";
import { fillCrowd, LARGE, OLDEST, SMALL } from "./crowd.ts";

const ROWS = IS_LONG ? 200_000 : 60_000;
/** The CPU time of the thread between two turns of its loop. The machine's other work doesn't count. */
const BLOCK_MS_MAX = 20;
/** A list is asked again if something else of this process, such as the collection of garbage, fell into its time. */
const TAKES = 5;
/** A loop that isn't kept turns several times within it. */
const TICK_MS = 1;
const TIMEOUT_MS = 600_000;
/** Rows that match come last, or there are none, so that all rows are looked at. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  q: ["no such thing", OLDEST.name],
  account: [LARGE, SMALL],
  account_id: [LARGE, SMALL],
  member: [OLDEST.member],
  key: [OLDEST.key, "no such key"],
  key_id: [OLDEST.key],
  limit: ["200"],
};
/** Fields that don't narrow a list, or need a value that an earlier answer gave. */
const NO_FILTERS: ReadonlySet<string> = new Set(["after", "from", "to", "detail"]);
const IDS: Readonly<Record<string, string>> = { accounts: LARGE, members: OLDEST.member };
const SEARCH = "/admin/v1/search";
/** Reports over all keys, people or requests, which aren't lists by pages. */
const REPORTS = ["/admin/v1/savings?weeks=2", "/admin/v1/spending", "/admin/v1/models/retiring"];
/** The short form asks only those whose tables are filled. */
const SHORT: ReadonlySet<string> = new Set([
  "/admin/v1/keys",
  "/admin/v1/accounts",
  "/admin/v1/members",
  SEARCH,
]);

let gateway: UnderTest;
/** The tokens of those who see everything, an account with half of the keys, and one with one. */
let tokens: readonly string[];
let lists: readonly string[];

beforeAll(async () => {
  gateway = await startUnderTest();
  fillCrowd(join(gateway.directory, "poundkey.db"), ROWS);
  const viewers = await Promise.all([LARGE, SMALL].map(makeViewer));
  tokens = [gateway.adminToken, ...viewers];
  const document = asObject(await (await fetch(`${gateway.url}/openapi.json`)).json());
  lists = [...listAsks(document), ...REPORTS];
}, TIMEOUT_MS);
afterAll(() => gateway.stop());

async function makeViewer(account: string): Promise<string> {
  const made = await fetch(`${gateway.url}/admin/v1/tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name: `Viewer of ${account}`, role: "viewer", accounts: [account] }),
  });
  return String(asObject(await made.json()).secret);
}

/** Returns every list route as it is, and with each value of each of its filters. */
function listAsks(document: JsonObject): readonly string[] {
  return Object.entries(asObject(document.paths)).flatMap(([path, methods]) => {
    const fields = asArray(asObject(asObject(methods).get).parameters)
      .map(asObject)
      .filter((field) => field.in === "query");
    const names = fields.map(({ name }) => String(name));
    if (!path.startsWith("/admin/v1/") || !(names.includes("after") || path === SEARCH)) return [];
    if (!IS_LONG && !SHORT.has(path)) return [];
    const route = path.replace(/(\w+)\/\{id\}/, (_, thing: string) => `${thing}/${IDS[thing]}`);
    const filtered = fields.flatMap((field) =>
      listValues(field).map((value) => `${route}?${new URLSearchParams({ [String(field.name)]: value })}`),
    );
    return path === SEARCH ? filtered : [route, ...filtered];
  });
}

function listValues(field: JsonObject): readonly string[] {
  const name = String(field.name);
  if (NO_FILTERS.has(name)) return [];
  const { enum: words, pattern } = asObject(field.schema);
  const named = asArray(words).flatMap((word) => asString(word) ?? []);
  // One word of a long list stands for all.
  if (named.length > 0) return named.length > 8 ? named.slice(0, 1) : named;
  return VALUES[name] ?? (pattern === undefined ? ["none"] : []);
}

async function readReport(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${gateway.adminToken}` };
  return (await fetch(`${gateway.url}${path}`, { headers })).text();
}

function measureThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the longest time of CPU between two turns of the loop while a list is answered. */
async function measureBlock(path: string, token: string): Promise<number> {
  let isOver = false;
  const headers = { authorization: `Bearer ${token}` };
  const answering = fetch(`${gateway.url}${path}`, { headers })
    .then((answer) => answer.text())
    .finally(() => {
      isOver = true;
    });
  let longest = 0;
  let before = measureThread();
  while (!isOver) {
    await Bun.sleep(TICK_MS);
    const now = measureThread();
    longest = Math.max(longest, now - before);
    before = now;
  }
  await answering;
  return longest;
}

async function findLeastBlock(path: string, token: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let take = 0; take < TAKES && least > BLOCK_MS_MAX; take++)
    least = Math.min(least, await measureBlock(path, token));
  return least;
}

test(
  `no list with any filter, and no report, keeps the loop for more than ${BLOCK_MS_MAX} ms of CPU`,
  async () => {
    expect(lists).toContain("/admin/v1/keys?q=no+such+thing");
    expect(lists).toContain("/admin/v1/search?q=no+such+thing");
    const reports = await Promise.all(REPORTS.map(readReport));
    const sums = [`"requests":${ROWS / 10},`, `"requests":${ROWS - 1},"keys":1,`, `"keys_total":${ROWS},`];
    expect(sums.filter((sum, at) => !reports[at]?.includes(sum))).toEqual([]);
    const long: string[] = [];
    for (const path of lists)
      for (const [at, token] of tokens.entries()) {
        const ms = await findLeastBlock(path, token);
        if (ms > BLOCK_MS_MAX) long.push(`${path} by token ${at}: ${ms.toFixed(0)} ms`);
      }
    expect(long).toEqual([]);
  },
  TIMEOUT_MS,
);
