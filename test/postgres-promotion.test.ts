// The promotion of a standby under load: answered requests are kept, later ones are served, and the books balance.
import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { until } from "./http/until.ts";
import { type Answered, startPaidGateway } from "./nodes/paid-gateway.ts";
import { openWay } from "./nodes/proxy.ts";
import { startPostgres } from "./postgres-server.ts";

const LONG_MS = 60_000;
const CLIENTS = 8;
const SERVED = 40;

const primary = await startPostgres();
const standby = await primary.startStandby();
const way = await openWay(primary.url);
const gateway = await startPaidGateway(way.url, way.url);
afterAll(async () => {
  await gateway.stop();
  await way.stop();
  await standby.remove();
  await primary.remove();
}, LONG_MS);

test(
  "no answered request is lost, and none is admitted in between",
  async () => {
    const payer = await gateway.payer();
    const answers: Answered[] = [];
    const served = () => answers.filter(({ status }) => status === 200).length;
    const ask = async () => {
      const answer = await gateway.chat(payer);
      answers.push(answer);
      return answer;
    };
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) await ask();
    });
    await until("it serves", () => served() >= SERVED);
    await primary.kill();
    // All clients may be waiting for answers that were produced and can't be posted, so only a new request is refused.
    await until("it refuses", async () => (await ask()).status === 503);
    await using sql = new SQL(standby.url, { max: 1 });
    await sql`SELECT pg_promote()`;
    const before = served();
    way.lead(standby.url);
    await until("it serves again", () => served() >= before + SERVED);
    isOver = true;
    await Promise.all(clients);
    expect([...new Set(answers.map(({ status }) => status))].toSorted()).toEqual([200, 503]);
    expect(await gateway.wrong(payer, answers)).toEqual([]);
  },
  LONG_MS,
);
