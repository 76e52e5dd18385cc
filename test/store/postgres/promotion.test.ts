// A primary and its standby: the store connects to the one that can be written; and once the standby is promoted under load,
// answered requests are kept, later ones are served, and the books balance.
import { afterAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { Dialer } from "../../../src/store/postgres/dialer.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { decideByDemand, makeAccount } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { until } from "../../whole/world/until.ts";
import { type Answered, startPaidGateway } from "../nodes/paid-gateway.ts";
import { openWay } from "../nodes/proxy.ts";
import { startPostgres } from "./server.ts";

const LONG_MS = 60_000;
const CLIENTS = 8;
const SERVED = 40;

const primary = await startPostgres();
const standby = await primary.startStandby();
const way = await openWay(primary.url);
const gateway = await startPaidGateway(way.url, way.url);
const { host } = new URL(primary.url);
const second = new URL(standby.url);
/** The standby first. */
const both = standby.url.replace(second.host, `${second.host},${host}`);
const store = await openPostgresStore({ url: both, decide: decideByDemand });
afterAll(async () => {
  await store.close();
  await gateway.stop();
  await way.stop();
  await standby.remove();
  await primary.remove();
}, LONG_MS);

describe("each opening of a connection", () => {
  const at = (host: string, query = "") => `${primary.url.replace(new URL(primary.url).host, host)}${query}`;
  const { port } = new URL(primary.url);
  const DEAD = "127.0.0.1:1";
  const HERE = "SELECT inet_server_port() AS port";
  const reached = [{ port: Number(port) }];

  test("a name is looked up at each opening, and each of its addresses is tried", async () => {
    const names: string[] = [];
    const found = [["127.0.0.1"], ["127.0.0.9", "127.0.0.1"]];
    const lookUp = async (name: string) => {
      names.push(name);
      return found.shift() ?? [];
    };
    const dialer = new Dialer({ url: at(`db.example:${port}`), lookUp });
    expect([...(await dialer.ask(HERE))]).toEqual(reached);
    expect([...(await dialer.ask(HERE))]).toEqual(reached);
    expect(names).toEqual(["db.example", "db.example"]);
  });

  test("hosts are tried in turn, and the one that served is the next opening's first", async () => {
    const names: string[] = [];
    const lookUp = async (name: string) => {
      names.push(name);
      return name === "b.example" ? ["127.0.0.1"] : [];
    };
    const dialer = new Dialer({ url: at(`a.example:${port},b.example:${port}`), lookUp });
    await dialer.ask(HERE);
    await dialer.ask(HERE);
    expect(names).toEqual(["a.example", "b.example", "b.example"]);
  });

  test("the address is read at each opening; one that is unreadable or of another database doesn't count", async () => {
    const urls = [at(DEAD), null, "nonsense", at(`127.0.0.1:${port}`), null, `${at(DEAD)}_other`, "sqlite:x"];
    const readUrl = () => urls.shift() ?? null;
    const dialer = new Dialer({ url: primary.url, readUrl });
    const refused = async () => String(await catchThrown(dialer.ask(HERE))).includes("Failed to connect");
    expect([await refused(), await refused(), await refused()]).toEqual([true, true, true]);
    for (let time = 0; time < 4; time++) expect([...(await dialer.ask(HERE))]).toEqual(reached);
  });
});

test("of several hosts, one that is read-only is passed over", async () => {
  await store.beat();
  await unrecorded(store).addAccount(makeAccount("before"));
  const asked = { url: `${standby.url}?target_session_attrs=read-write`, decide: decideByDemand };
  expect(String(await catchThrown(openPostgresStore(asked)))).toContain("The server is read-only");
});

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

test("a store with both hosts in its address goes on at the promoted one", async () => {
  await store.beat();
  await unrecorded(store).addAccount(makeAccount("after"));
  expect(await Promise.all(["before", "after"].map((id) => store.account(id)))).not.toContain(null);
});
