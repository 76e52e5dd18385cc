// Measures people of a directory: `bun test/bench/people.ts [--pairs N] [--ends N] [--users N]`. Two gateways share a PostgreSQL
// of its own. Prints the time until one of them refuses the key of somebody whom the directory has deactivated at the other, the CPU
// of a request with the key of somebody in 50 groups, as a share of one by somebody in one group, and by a key of nobody's, in
// pairs, and the times of answers of 300 ms beside a first cycle of so many users.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { openStore } from "../../src/app/start/open-store.ts";
import { digestSecret, mintSecret } from "../../src/keys/secret.ts";
import { makeKey } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { makeAsker } from "../people/directory/world.ts";
import { startSimulator } from "../simulator/server.ts";
import { ADMIN_TOKEN, MASTER_KEY, startGatewayProcess } from "../store/nodes/gateway.ts";
import { startPostgres } from "../store/postgres/server.ts";
import { asking } from "../whole/world/world.ts";
import { computePercentile, spread } from "./figures.ts";
import { cpuMicros } from "./processes.ts";

const GROUPS = 50;
const WARM = 2;
const REQUESTS = 200;
const AT_ONCE = 8;
/** Requests of others begin at this pace. */
const PACE_MS = 50;
const ALONE_MS = 20_000;
const SCIM = "application/scim+json";
/** The directory pauses keys, and the person has no right to use them. */
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "10" },
    ends: { type: "string", default: "100" },
    users: { type: "string", default: "1000" },
  },
});
const server = await startPostgres();
const simulator = await startSimulator();
const rules = Array.from(
  { length: GROUPS },
  (_, at) => `{ group: "G${at}", role: member, accounts: [default] }`,
);
const oidc = `issuer: "https://issuer.example", client_id: c, client_secret: a-client-secret, rules: [${rules}]`;
const more = `server: { public_url: "https://gateway.example" }\nsign_in: { oidc: { ${oidc} } }\nscim: { on: true }`;
const startNode = () =>
  startGatewayProcess({ store: server.url, simulatorUrl: simulator.url, masterKey: MASTER_KEY, more });
const first = startNode();
const url = await first.url;
const second = startNode();
const otherUrl = await second.url;
const opened = await openStore(server.url, MASTER_KEY);
const admin = makeAsker(`${url}/admin/v1`, ADMIN_TOKEN, "application/json");
const { body: token } = await admin("POST", "/tokens", { name: "directory", kind: "scim" });
const scim = makeAsker(`${url}/scim/v2`, String(token.secret), SCIM);

/** Makes a key of a person's, or of nobody's. Returns its secret. */
async function addKey(id: string, memberId: string | null): Promise<string> {
  const secret = mintSecret(opened.world.random);
  const key = makeKey(`key_${id}`, { memberId, requestsPerDay: null });
  await unrecorded(opened.store).addKey(key, digestSecret(secret, opened.world.pepper));
  return secret;
}

interface Person {
  readonly userId: string;
  readonly secret: string;
}

async function addPerson(name: string): Promise<Person> {
  const { body } = await scim("POST", "/Users", {
    userName: `${name}@a.example`,
    externalId: name,
    active: true,
  });
  const { rows } = await opened.store.directory.users({ id: body.id }, { offset: 0, limit: 1 });
  return { userId: body.id, secret: await addKey(name, rows[0]?.memberId ?? null) };
}

async function addToGroups(people: readonly Person[], groups: readonly string[]): Promise<void> {
  const members = people.map(({ userId }) => ({ value: userId }));
  for (const id of groups)
    await scim("PATCH", `/Groups/${id}`, { Operations: [{ op: "Add", path: "members", value: members }] });
}

async function ask(at: string, secret: string, model = "Local#sim"): Promise<number> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const body = JSON.stringify(asking(model));
  const answer = await fetch(`${at}/v1/chat/completions`, { method: "POST", headers, body });
  await answer.text();
  return answer.status;
}

/** Deactivates somebody at one node while the other is asked with their key. Returns how long it went on working. */
async function timeEnd({ userId, secret }: Person): Promise<number> {
  const status = await ask(otherUrl, secret);
  if (status !== 200) throw new Error(`a key is answered with ${status}`);
  const Operations = [{ op: "Replace", path: "active", value: "False" }];
  const { status: patched } = await scim("PATCH", `/Users/${userId}`, { Operations });
  if (patched !== 200) throw new Error(`a deactivation is answered with ${patched}`);
  const beganMs = performance.now();
  while (!REFUSED.has(await ask(otherUrl, secret)));
  return performance.now() - beganMs;
}

/** The CPU of a gateway for so many requests with a key. */
async function measureCpu(secret: string): Promise<number> {
  const before = cpuMicros(first.pid);
  const work = async () => {
    for (let done = 0; done < REQUESTS / AT_ONCE; ) {
      const status = await ask(url, secret);
      if (status === 200) done++;
      // On a busy machine the store may be too slow for a request.
      else if (status !== 503) throw new Error(`a request is answered with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return cpuMicros(first.pid) - before;
}

/** Both by turns, so that both meet the same noise. */
async function compare(secret: string, other: string): Promise<string> {
  const ratios: number[] = [];
  for (let pair = -WARM; pair < Number(values.pairs); pair++) {
    const own = await measureCpu(secret);
    const ratio = own / (await measureCpu(other));
    if (pair >= 0) ratios.push(ratio);
  }
  return spread(ratios);
}

/** A first cycle at eight requests at once: users, and a group for 50 of them, each with twice as many. */
async function provision(users: number): Promise<void> {
  const ids: string[] = [];
  await runAll(users, async (at) => {
    const userName = `cycle-${at}@a.example`;
    const emails = [{ value: userName, type: "work", primary: true }];
    const sent = { userName, externalId: `cycle-${at}`, active: true, emails };
    ids[at] = (await scim("POST", "/Users", sent)).body.id;
  });
  await runAll(users / 50, async (at) => {
    const { body } = await scim("POST", "/Groups", { displayName: `C${at}`, externalId: `cid-${at}` });
    for (let part = 0; part < 5; part++) {
      const some = Array.from({ length: 20 }, (_, n) => ids[(at * 37 + part * 20 + n) % users]);
      const members = some.map((value) => ({ value }));
      await scim("PATCH", `/Groups/${body.id}`, {
        Operations: [{ op: "Add", path: "members", value: members }],
      });
    }
  });
}

async function runAll(count: number, task: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let at = next++; at < count; at = next++) await task(at);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Asks at a steady pace until the work is done. Returns the times from when each request was due. */
async function timeOthers(secret: string, work: Promise<unknown>): Promise<readonly number[]> {
  let isDone = false;
  work.finally(() => {
    isDone = true;
  });
  const times: Promise<number>[] = [];
  const beganMs = performance.now();
  for (let at = 0; !isDone; at++) {
    const dueMs = beganMs + at * PACE_MS;
    await Bun.sleep(Math.max(0, dueMs - performance.now()));
    const asked = ask(url, secret, "Local#sim~latency=300").then((status) => {
      if (status !== 200) throw new Error(`others are answered with ${status}`);
      return performance.now() - dueMs;
    });
    times.push(asked);
  }
  return Promise.all(times);
}

function describeTimes(times: readonly number[]): string {
  const [median = "", p99 = ""] = [0.5, 0.99].map((share) => computePercentile(times, share).toFixed(0));
  return `median ${median} ms, p99 ${p99} ms of ${times.length}`;
}

const groups: string[] = [];
for (let at = 0; at < GROUPS; at++)
  groups.push((await scim("POST", "/Groups", { displayName: `G${at}`, externalId: `gid-${at}` })).body.id);
const many = await addPerson("many");
const one = await addPerson("one");
const leaving: Person[] = [];
for (let at = 0; at < Number(values.ends); at++) leaving.push(await addPerson(`leaving-${at}`));
await addToGroups([many], groups);
await addToGroups([one, ...leaving], groups.slice(0, 1));
const nobodys = await addKey("service", null);

const times: number[] = [];
for (const person of leaving) times.push(await timeEnd(person));
const longest = Math.max(0, ...times).toFixed(0);
const median = computePercentile(times, 0.5).toFixed(0);
console.log(`load ${loadavg()[0]?.toFixed(1)}`);
console.log(
  `a deactivation, answered, until the other node refuses: longest of ${times.length} ${longest} ms, median ${median} ms`,
);
console.log(
  `a request of somebody in ${GROUPS} groups, of one in one group: ${await compare(many.secret, one.secret)}`,
);
console.log(
  `a request of somebody in ${GROUPS} groups, of a key of nobody's: ${await compare(many.secret, nobodys)}`,
);
const users = Number(values.users);
await timeOthers(nobodys, Bun.sleep(ALONE_MS / 10));
const alone = await timeOthers(nobodys, Bun.sleep(ALONE_MS));
const beganMs = performance.now();
const beside = await timeOthers(nobodys, provision(users));
console.log(`a first cycle of ${users} users: ${(performance.now() - beganMs).toFixed(0)} ms`);
console.log(`others alone: ${describeTimes(alone)}`);
console.log(`others beside it: ${describeTimes(beside)}`);
console.log(`load ${loadavg()[0]?.toFixed(1)}`);

await opened.store.close();
await first.stop();
await second.stop();
await simulator.stop();
await server.remove();
