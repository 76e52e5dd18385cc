// The live tail over HTTP: requests of every node as they end, bounded listeners, and its end with the session.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { LiveFeed } from "../../../src/admin/log/live.ts";
import { signOut } from "../../../src/admin/people/session.ts";
import { WrongTokens } from "../../../src/admin/people/wrong-tokens.ts";
import { openStore } from "../../../src/app/start/open-store.ts";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { RequestRecord } from "../../../src/core/log/record.ts";
import { EVERYTHING } from "../../../src/core/people/people.ts";
import { liveRoutes } from "../../../src/http/log/live.ts";
import { Cookies } from "../../../src/http/people/cookies.ts";
import { makeAddressReader, makeOriginReader } from "../../../src/http/serve/client-address.ts";
import { type Started, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { makeRecord, NOON } from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { createOperator } from "../world/operator.ts";
import { signIn } from "../world/sign-in.ts";
import { until } from "../world/until.ts";
import { asking } from "../world/world.ts";

const SOON_MS = 10_000;
const MASTER_KEY = Buffer.alloc(32, 3).toString("base64");

let world: UnderTest;
let other: Started;
beforeAll(async () => {
  world = await startUnderTest();
  other = await world.another();
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});

interface Tail {
  readonly status: number;
  readonly rows: JsonObject[];
  readonly over: Promise<void>;
  leave(): void;
}

async function listen(url = world.url): Promise<Tail> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const response = await fetch(`${url}/admin/v1/requests/live`, { headers, signal: leaving.signal });
  const rows: JsonObject[] = [];
  const reading = async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        if (event.startsWith("data: ")) rows.push(asObject(parseJson(event.slice(6))));
      }
    }
  };
  const over = reading().catch(() => {});
  return { status: response.status, rows, over, leave: () => leaving.abort() };
}

async function chat(url: string, text: string): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${world.secret}` },
    body: JSON.stringify(asking("OpenAI#sim", text)),
  });
  return String(asObject(await response.json()).id);
}

describe("the live tail", () => {
  test("streams each new request of every node exactly once", async () => {
    const before = await chat(world.url, "say: before");
    await until(
      "it is logged",
      async () => (await createOperator(world).get(`/requests/${before}`)).status === 200,
    );
    const tails = [await listen(), await listen(other.url)];
    const ids = [await chat(world.url, "say: here"), await chat(other.url, "say: there")];
    for (const tail of tails) {
      await until("both are told", () => tail.rows.length >= 2, SOON_MS);
      expect(tail.rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    }
    const { body } = await createOperator(world).get(`/requests?limit=1`);
    expect(tails[0]?.rows.at(-1)).toEqual(asObject((body.data as JsonObject[])[0]));
    for (const tail of tails) tail.leave();
  });

  test("limits one sender's listeners, and those that leave make room", async () => {
    const tails = await Promise.all(Array.from({ length: 5 }, () => listen(other.url)));
    expect(tails.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429, 429]);
    for (const tail of tails) tail.leave();
    await until("there is room again", async () => {
      const tail = await listen(other.url);
      tail.leave();
      return tail.status === 200;
    });
  });

  test("is only for the operator", async () => {
    expect((await fetch(`${world.url}/admin/v1/requests/live`)).status).toBe(401);
    const headers = { authorization: `Bearer ${world.secret}` };
    expect((await fetch(`${world.url}/admin/v1/requests/live`, { headers })).status).toBe(401);
  });

  test("ends when the gateway stops, without delaying it", async () => {
    const late = await world.another();
    const tail = await listen(late.url);
    expect(tail.status).toBe(200);
    await late.stop();
    await tail.over;
  });
});

test("ends at the first keep-alive after the session has", async () => {
  const opened = await openStore(`sqlite:${join(world.directory, "live.db")}`, MASTER_KEY);
  const ticks: (() => void)[] = [];
  const every = (_: number, task: () => void) => {
    ticks.push(task);
    return () => void ticks.splice(ticks.indexOf(task), 1);
  };
  const clock = { nowMs: () => NOON, every };
  const origin = { readAddress: makeAddressReader([]), readOrigin: makeOriginReader([]) };
  const wrongTokens = new WrongTokens({
    store: opened.store,
    clock,
    log: () => {},
    refused: { note: () => {} },
  });
  const findPerson = async () => null;
  const cookies = new Cookies({ publicUrl: null, basePath: "", clock });
  const site = { cookies, publicUrl: null };
  const entry = { ...site, adminToken: "token", adminTokenFrom: [], ...origin, wrongTokens, findPerson };
  const operator = { world: opened.world, ...entry };
  const feed = new LiveFeed({ store: opened.store, clock });
  const routes = liveRoutes({ ...operator, feed, clock, draining: () => false, idleSeconds: 60 });
  const secret = (await signIn(opened.world, "token", "token")) ?? "";
  const headers = { cookie: `poundkey_session=${secret}` };
  const response = await routes.handle(
    new Request("http://gateway.example/admin/v1/requests/live", { headers }),
  );
  let text = "";
  const over = (async () => {
    for await (const bytes of response.body ?? []) text += new TextDecoder().decode(bytes);
  })();
  const tick = () => {
    for (const task of [...ticks]) task();
  };
  await until("it listens", () => text.includes(": listening"));
  tick();
  await until("it is kept alive", () => text.includes(": keep-alive"));
  await signOut(opened.world, secret);
  tick();
  await over;
  expect(ticks).toEqual([]);
  await opened.store.close();
});

describe("the feed", () => {
  /** A store whose rows are set manually, and a manual clock. */
  function bench() {
    const ended: RequestRecord[] = [];
    const beforeLook = (): Promise<void> | undefined => undefined;
    const state = { ended, beforeLook, nowMs: NOON, isDown: false, ticks: [] as (() => void)[] };
    const endedSince = async (sinceMs: number) => {
      await state.beforeLook();
      if (state.isDown) throw new Error("down");
      return ended.filter(({ atMs, totalMs }) => atMs + totalMs >= sinceMs).toReversed();
    };
    const every = (_: number, task: () => void) => {
      state.ticks.push(task);
      return () => void state.ticks.splice(state.ticks.indexOf(task), 1);
    };
    const feed = new LiveFeed({ store: { endedSince }, clock: { nowMs: () => state.nowMs, every } });
    const told: string[] = [];
    const listen = (records: readonly RequestRecord[], skipped: number) =>
      void told.push(`${records.map(({ id }) => id).join(" ")}${skipped ? ` and ${skipped} more` : ""}`);
    const tick = async (ms = 1000) => {
      state.nowMs += ms;
      for (const task of state.ticks) task();
      await Bun.sleep(0);
    };
    const end = (id: string, atMs = state.nowMs) => void ended.push(makeRecord(id, { atMs, totalMs: 0 }));
    return { state, feed, told, listen, tick, end };
  }

  test("reports requests of a node whose clock is behind, once, and continues after a failure", async () => {
    const { state, feed, told, listen, tick, end } = bench();
    end("old");
    const leave = await feed.listen(listen, () => {});
    await tick();
    end("one");
    end("behind", state.nowMs - 5000);
    await tick();
    await tick();
    state.isDown = true;
    await tick();
    end("two");
    await tick();
    state.isDown = false;
    await tick();
    expect(told).toEqual(["one behind", "two"]);
    leave();
    expect(state.ticks).toEqual([]);
  });

  test("a listener misses nothing that another finds who comes at the same time", async () => {
    const { state, feed, told, listen, tick, end } = bench();
    const looks: PromiseWithResolvers<void>[] = [];
    state.beforeLook = () => {
      looks.push(Promise.withResolvers<void>());
      return looks.at(-1)?.promise;
    };
    const opening = [
      feed.listen(listen, () => {}),
      feed.listen(
        () => {},
        () => {},
      ),
    ];
    looks[0]?.resolve();
    await opening[0];
    end("one");
    looks[1]?.resolve();
    await Promise.all(opening);
    state.beforeLook = () => undefined;
    await tick();
    expect(told).toEqual(["one"]);
  });

  test("shows the latest of many, and their number", async () => {
    const { feed, told, listen, tick, end } = bench();
    await feed.listen(listen, () => {});
    for (let at = 0; at < 130; at++) end(`r${at}`);
    await tick();
    expect(told[0]).toStartWith("r30 r31 ");
    expect(told[0]).toEndWith(" r129 and 30 more");
  });

  test("doesn't poll without listeners, and ends all streams when it stops", async () => {
    const { state, feed, listen } = bench();
    let ends = 0;
    await feed.listen(listen, () => {
      ends++;
    });
    await feed.listen(
      () => {},
      () => {
        ends++;
      },
    );
    expect(state.ticks.length).toBe(1);
    const late = feed.listen(listen, () => {}, {
      scope: { accountIds: [], personal: null },
      sender: "",
    });
    feed.end();
    expect([ends, state.ticks.length]).toEqual([2, 0]);
    await expect(late).rejects.toThrow("shutting down");
    expect(state.ticks.length).toBe(0);
  });

  test("gives each sender three places, and one to whoever has none, from whoever has most", async () => {
    const { feed } = bench();
    const over: string[] = [];
    const watch = async (name: string, sender: string) => {
      await feed.listen(
        () => {},
        () => over.push(name),
        { scope: EVERYTHING, sender },
      );
    };
    for (let at = 0; at < 3; at++) await watch(`ann ${at}`, "ann");
    expect(readCode(await catchThrown(watch("ann 3", "ann")))).toBe("too_many_parallel_requests");
    for (let at = 0; at < 17; at++) await watch(`bot ${at}`, `bot ${at >> 1}`);
    expect(over).toEqual([]);
    expect(readCode(await catchThrown(watch("bot more", "bot 8")))).toBe("overloaded");
    await watch("admin", "admin");
    expect(over).toEqual(["ann 0"]);
    await watch("ann again", "ann").catch(() => over.push("refused"));
    expect(over).toEqual(["ann 0", "refused"]);
    feed.end();
    expect(new Set(over).size).toBe(22);
  });
});
