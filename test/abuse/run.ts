// `bun test/abuse/run.ts [--seconds N]`: a table of what the worst client of each route gets out of one key.
import { parseArgs } from "node:util";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { attack, callsMax, WORST_CLIENTS, type WorstClient } from "./attack.ts";
import { ATTACKED_ROUTES, type AttackedRoute } from "./routes.ts";

const SECONDS = 60;
/** The default allowance of a key. */
const ALLOWANCE = 200;

interface Row {
  readonly route: string;
  readonly client: string;
  readonly "tries a minute": number;
  readonly "calls of the client": number;
  readonly "calls a minute": number;
  readonly "places taken": number;
  readonly "calls per place": string;
  readonly "calls at most": number;
}

/** Clients differ in the calls that they cause, so one is enough for routes that call no provider. */
function clientsOf({ calls }: AttackedRoute): readonly WorstClient[] {
  return calls ? WORST_CLIENTS : WORST_CLIENTS.slice(0, 1);
}

async function rowOf(
  world: HttpWorld,
  route: AttackedRoute,
  client: WorstClient,
  seconds: number,
): Promise<Row> {
  const extent = { tries: Number.POSITIVE_INFINITY, seconds, allowance: ALLOWANCE };
  const damage = await attack(world, route, client, extent);
  const { tries, calls, used } = damage;
  const minutes = damage.seconds / 60;
  return {
    route: `${route.method} ${route.route}`,
    client: client.name,
    "tries a minute": Math.round(tries / minutes),
    "calls of the client": calls,
    // All of the day's calls may fall into one minute, after which no more follow.
    "calls a minute": Math.min(Math.round(calls / minutes), callsMax(ALLOWANCE, client)),
    "places taken": used,
    "calls per place": used === 0 ? "–" : (calls / used).toFixed(2),
    "calls at most": route.calls ? callsMax(ALLOWANCE, client) : 0,
  };
}

const { values } = parseArgs({ options: { seconds: { type: "string" } } });
const pairs = ATTACKED_ROUTES.flatMap((route) => clientsOf(route).map((client) => [route, client] as const));
const secondsEach = Number(values.seconds ?? SECONDS) / pairs.length;
const world = await startHttpWorld();
const rows: Row[] = [];
for (const [route, client] of pairs) rows.push(await rowOf(world, route, client, secondsEach));
await world.stop();
console.table(rows);
const over = rows.filter((row) => row["calls of the client"] > row["calls at most"]);
for (const { route, client } of over)
  console.log(`(fail) ${route}: more calls than places and give-backs: a client that ${client}`);
console.log(`\n${rows.length - over.length} passed, ${over.length} failed`);
process.exit(over.length === 0 ? 0 : 1);
