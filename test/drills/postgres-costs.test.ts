// The ruler of a request on PostgreSQL: the objects and promises that it takes, and its statements, counted on the wire, against the budgets in src/README.md.
import { test } from "bun:test";
import { openCounter } from "../store/postgres/counter.ts";
import { startPostgres } from "../store/postgres/server.ts";
import { expectNone } from "../tidy/sources.ts";
import { until } from "../whole/world/until.ts";
import { judgeAndRecord } from "./budgets.ts";
import { countObjects, holdTime, type Request } from "./costs.ts";
import { type Counts, keepGreatest } from "./judging.ts";
import { type MeasuredGateway, startMeasuredOn } from "./measured-gateway.ts";
import { makeRequests, type RequestRow, WORDS } from "./request-rows.ts";

const TAKES = 10;
/** After as many looks in a row without a statement, none that began before is under way. */
const QUIET_LOOKS = 5;
const chat = { model: "OpenAI#gpt-4o", messages: [{ role: "user", content: WORDS }], max_tokens: 256 };

const ROWS: readonly RequestRow[] = [
  { name: "a chat, whole, on PostgreSQL", body: chat },
  { name: "a chat, streamed, on PostgreSQL", body: { ...chat, stream: true } },
  { name: "a paid chat on PostgreSQL", body: chat, isPaid: true },
];

type Counter = Awaited<ReturnType<typeof openCounter>>;

/** Waits for what the gateway does by itself, and began before it was held. */
async function waitForQuiet(counter: Counter): Promise<void> {
  let quiet = 0;
  await until("no statement passes", () => {
    quiet = counter.take().statements === 0 ? quiet + 1 : 0;
    return quiet === QUIET_LOOKS;
  });
}

/** Counts a request that is sent alone: the greatest of several takes. */
function countOnWire(gateway: MeasuredGateway, counter: Counter, request: Request): Promise<Counts> {
  return holdTime(gateway, request, async () => {
    const takes: Counts[] = [];
    for (await waitForQuiet(counter); takes.length < TAKES; ) {
      await request.send();
      // Its round trips differ: a commit may wait for another answer.
      const { statements } = counter.take();
      takes.push({ statements });
    }
    return takes.reduce(keepGreatest);
  });
}

test("a request on PostgreSQL takes no more objects and statements than its budget", async () => {
  const server = await startPostgres();
  const counter = await openCounter(server.url);
  try {
    const gateway = await startMeasuredOn(counter.url);
    try {
      const wrong: string[] = [];
      for (const request of await makeRequests(gateway, ROWS)) {
        const objects = await countObjects(gateway, request);
        const onWire = await countOnWire(gateway, counter, request);
        wrong.push(...judgeAndRecord(request.name, { ...objects, ...onWire }));
      }
      expectNone(wrong);
    } finally {
      await gateway.stop();
    }
  } finally {
    await counter.stop();
    await server.remove();
  }
}, 300_000);
