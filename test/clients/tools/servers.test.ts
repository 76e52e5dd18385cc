// The protocol's own SDKs as clients of the gateway's tool servers, over servers of either era that others wrote.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import {
  type ReferenceServer,
  startEverything,
  startSecondSdk,
  startStateless,
  type WatchedServer,
} from "../../harness/reference-servers.ts";
import { until } from "../../whole/world/until.ts";
import { CONNECTS, readText, type ToolClient } from "./clients.ts";

interface Row {
  readonly server: "everything" | "newer" | "stateless";
  /** The argument of `echo`, and the word before what it says. */
  readonly argument: string;
  readonly says: string;
  /** The call that fails in its result, and what it says. */
  readonly broken: readonly [tool: string, given: Readonly<Record<string, unknown>>, text: string];
  /** The call that never ends by itself, or not soon. */
  readonly slow: readonly [tool: string, given: Readonly<Record<string, unknown>>];
  /** True if the server reports progress before the call's end. */
  readonly reports: boolean;
}

const WATCHED = { argument: "text", says: "echo", broken: ["fail", {}, "the tool broke"] } as const;
const ROWS: readonly Row[] = [
  {
    server: "everything",
    argument: "message",
    says: "Echo",
    broken: ["get-sum", { a: "one" }, "Input validation error"],
    slow: ["trigger-long-running-operation", { duration: 60, steps: 600 }],
    reports: true,
  },
  { server: "newer", ...WATCHED, slow: ["slow", {}], reports: true },
  { server: "stateless", ...WATCHED, slow: ["slow", {}], reports: false },
];

let under: UnderTest;
let everything: ReferenceServer;
let newer: WatchedServer;
let stateless: WatchedServer;
const clients: ToolClient[] = [];

beforeAll(async () => {
  everything = await startEverything();
  newer = startSecondSdk(true);
  stateless = startStateless();
  const servers = Object.entries({ everything, newer, stateless });
  const rows = servers.map(([name, { url }]) => `${name}: { url: "${url}", price_per_call: 0.001 }`);
  under = await startUnderTest({ more: `mcp: { allowed_tools: ["*"], servers: { ${rows.join(", ")} } }` });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await under.stop();
  for (const server of [everything, newer, stateless]) await server.stop();
});

async function readRows() {
  const response = await fetch(`${under.url}/admin/v1/requests?operation=tool`, {
    headers: { authorization: `Bearer ${under.adminToken}` },
  });
  return asArray(asObject(await response.json()).data).map(asObject);
}

describe.each(CONNECTS)("%s", (_name, connect) => {
  const open = async (path: string) => {
    const client = await connect(`${under.url}${path}`, under.secret);
    clients.push(client);
    return client;
  };

  test("lists the tools of all servers under their servers' names", async () => {
    const names = await (await open("/mcp")).listNames();
    for (const name of ["everything_echo", "everything_get-sum", "newer_echo", "stateless_fail"])
      expect(names).toContain(name);
    expect(names).toEqual([...names].sort());
  });

  describe.each(ROWS)("over $server", ({ server, argument, says, broken, slow, reports }) => {
    let client: ToolClient;
    beforeAll(async () => {
      client = await open(`/mcp/${server}`);
    });

    test("lists, calls, and reads a failure as a result", async () => {
      expect(await client.listNames()).toContain("echo");
      expect(readText(await client.call("echo", { [argument]: "hi" }))).toBe(`${says}: hi`);
      const [tool, given, text] = broken;
      const result = await client.call(tool, given);
      expect([result.isError, readText(result)]).toEqual([true, expect.stringContaining(text)]);
      await expect(client.call("missing", {})).rejects.toThrow("Unknown tool: missing");
    });

    test("leaves a call that reports progress", async () => {
      const left = new AbortController();
      const before = newer.countCancelled();
      const started = stateless.countStarted();
      let reported = 0;
      const [tool, given] = slow;
      const call = client.call(tool, given, { signal: left.signal, onProgress: () => reported++ });
      const ended = call.then(
        () => "answered",
        () => "left",
      );
      if (reports) await until("progress comes", () => reported > 0);
      else await until("it is under way", () => stateless.countStarted() > started);
      left.abort();
      expect(await ended).toBe("left");
      await until("it has a row", async () => (await readRows())[0]?.outcome === "left");
      expect((await readRows())[0]).toMatchObject({ server, tool, cost_usd: 0.001 });
      if (server === "newer") await until("it is cancelled there", () => newer.countCancelled() > before);
    });
  });
});

test("all of them hear of a server's change, and see it in the next list", async () => {
  const listening = await Promise.all(
    CONNECTS.map(async ([, connect]) => {
      const client = await connect(`${under.url}/mcp/newer`, under.secret);
      clients.push(client);
      let heard = 0;
      await client.listen(() => heard++);
      expect(await client.listNames()).not.toContain("late");
      return { client, countHeard: () => heard };
    }),
  );
  newer.change();
  await until("all hear", () => listening.every(({ countHeard }) => countHeard() > 0));
  for (const { client } of listening) expect(await client.listNames()).toContain("late");
});
