// A read of many megabytes is processed in slices, so that other work on the event loop runs in between. The last one
// is a single batch with the answer's end.

import { expect, test } from "bun:test";
import { clock } from "../../src/app/world.ts";
import { Ending } from "../../src/core/world/ending.ts";
import { StreamedAttempt } from "../../src/gateway/attempt/streamed.ts";
import { Routes } from "../../src/gateway/plan/routes.ts";
import { makeUpstream } from "../../src/gateway/plan/upstream.ts";
import { listChunks, type Part } from "../../src/operations/chat/answer/run.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { findDialect } from "../../src/providers/index.ts";
import { createAuthorize } from "../../src/transport/auth/authorize.ts";
import { DeadlineSweep } from "../../src/transport/deadlines.ts";
import { KeptConnections } from "../../src/transport/kept.ts";
import { Reachability } from "../../src/transport/reachability.ts";
import { makeCard } from "../dialects/cases/drive.ts";
import { NO_TOKENS } from "../harness/no-tokens.ts";

const MEGABYTE = 1024 * 1024;
const PIECE = 'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n';
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

const FLOODS: readonly (readonly [string, string])[] = [
  ["blank lines", "\n"],
  ["empty events", "data:\n\n"],
  ["comments", ":\n"],
  ["events that say nothing", 'data: {"choices":[]}\n\n'],
];

async function pour(body: string, take: (parts: readonly Part[]) => void): Promise<void> {
  const deadlines = new DeadlineSweep(clock);
  const fetched = () => Promise.resolve(new Response(body));
  const reach = () => Promise.resolve(true);
  const reachability = new Reachability(deadlines, reach);
  const timeouts = { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
  const setup = {
    name: "Local",
    dialect: null,
    baseUrl: "http://local.example/v1",
    headers: {},
    timeouts,
    unlistedModels: true,
    credentials: [],
  };
  const card = makeCard("m", null);
  const upstream = makeUpstream(setup, [findDialect("openai")]);
  const attempt = new StreamedAttempt(
    {
      clock,
      fetch: fetched,
      deadlines,
      reachability,
      kept: new KeptConnections(),
      authorize: createAuthorize(NO_TOKENS),
    },
    {
      card,
      credential: { secret: null, weight: 1 },
      upstream,
      routes: new Routes(CHAT, "openai", new Map([[card.provider, upstream]])),
      permit: null,
      operation: CHAT,
      ask: { model: "m", messages: [{ role: "user", content: "hi" }], stream: true },
      fresh: false,
      raw: null,
      dropped: [],
      lost: [],
      offset: 0,
      client: new Ending(),
      totalAtMs: deadlines.nowMs() + 60_000,
      clientLimitAtMs: Number.POSITIVE_INFINITY,
      watcher: null,
      onUsage: () => {},
    },
  );
  await attempt.pour((parts) => {
    take(parts);
    return null;
  });
  deadlines.stop();
}

test.each(FLOODS)("%s", async (_name, event) => {
  const body = PIECE + event.repeat((4 * MEGABYTE) / event.length) + END;
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  let text = "";
  await pour(body, (parts) => {
    for (const { choices } of listChunks(parts)) text += choices[0]?.delta.content ?? "";
  });
  clearInterval(others);
  expect(text).toBe("a");
  expect(turns).toBeGreaterThan(10);
});

test("an answer that is read at once is one batch, with its end", async () => {
  const batches: string[] = [];
  await pour(PIECE + PIECE + END, (parts) => {
    batches.push(
      listChunks(parts)
        .map(({ choices }) => choices[0]?.finish_reason ?? "text")
        .join(" "),
    );
  });
  expect(batches).toEqual(["text text stop"]);
});
