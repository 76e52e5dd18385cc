// A gateway that is killed, or stopped, under WebSockets with lanes: the books balance, and no turn ends as whole that isn't paid.
// `LONG=1` plays 300 kills and 50 stops under 200 connections. `FIRST=n ENDS=m` plays m of them from the nth on, since the moment
// of each follows from its number.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { IS_LONG } from "../harness/long.ts";
import { PROGRAM } from "../harness/program.ts";
import { until } from "../whole/world/until.ts";
import { countLeft } from "./audit.ts";
import { runCommand, startVictim } from "./process.ts";
import { brokenRules } from "./rules.ts";
import { loadSockets, type SocketLoad } from "./sockets.ts";
import { type KillWorld, newKillWorld } from "./world.ts";

const ENDS = IS_LONG ? Number(process.env.ENDS ?? 350) : 2;
const FIRST = IS_LONG ? Number(process.env.FIRST ?? 1) : 1;
const SOCKETS = IS_LONG ? 200 : 8;
/** One end in seven is a SIGTERM. */
const STOP_EVERY = IS_LONG ? 7 : 2;
const TEST_MS = IS_LONG ? 7_200_000 : 300_000;

let world: KillWorld;
beforeAll(async () => {
  world = await newKillWorld();
});
afterAll(() => world.stop({ keep: false }));

async function runOnce(number: number): Promise<SocketLoad> {
  const victim = startVictim(PROGRAM, world.directory);
  const url = await victim.listens;
  const loading = loadSockets(url, world.secrets.payer, SOCKETS);
  const isStop = number % STOP_EVERY === 0;
  const before = world.simulator.calls.total;
  await until("turns run", () => world.simulator.calls.total > before + SOCKETS);
  await Bun.sleep((number * 37) % 100);
  victim.signal(isStop ? "SIGTERM" : "SIGKILL");
  const exited = await victim.exited;
  const load = await loading;
  if (!isStop) return load;
  expect(exited).toBe(0);
  // Each client hears of it, and what waits is refused.
  expect(new Set(load.closes)).toEqual(new Set([1001]));
  expect(load.refused.filter((code) => code !== "shutting_down")).toEqual([]);
  return load;
}

test(
  `${ENDS} ends under ${SOCKETS} connections: every whole turn is paid for once, no hold is left, and the books balance`,
  async () => {
    world.configure("always");
    const bounds = `{ per_key: ${SOCKETS}, per_account: ${SOCKETS} }`;
    appendFileSync(join(world.directory, "poundkey.yaml"), `responses: { sockets: ${bounds} }\n`);
    const completed: string[] = [];
    for (let number = FIRST; number < FIRST + ENDS; number++)
      completed.push(...(await runOnce(number)).completed);
    expect(completed.length).toBeGreaterThan(0);
    const last = startVictim(PROGRAM, world.directory);
    await last.listens;
    const database = join(world.directory, "poundkey.db");
    await until("the holds of the dead are settled", () => countLeft(database) === 0, 90_000);
    last.signal("SIGTERM");
    expect(await last.exited).toBe(0);
    const verified = await runCommand(PROGRAM, world.directory, ["ledger", "verify"]);
    expect([verified.code, verified.text]).toEqual([0, verified.text]);
    const file = new Database(database, { readonly: true });
    const paid = file
      .query<{ id: string }, []>(
        "SELECT id FROM request WHERE status = 200 AND charged_nano > 0 AND socket_id IS NOT NULL",
      )
      .all();
    const ids = new Set(paid.map(({ id }) => id));
    expect(completed.filter((id) => !ids.has(id))).toEqual([]);
    expect(new Set(completed).size).toBe(completed.length);
    expect(brokenRules(file)).toEqual([]);
    // A call of a provider is in one row at most.
    expect(ids.size).toBeLessThanOrEqual(world.simulator.calls.total);
    file.close();
  },
  TEST_MS,
);
