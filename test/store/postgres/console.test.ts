// The console's routes over two processes on one PostgreSQL: sessions, credentials, figures, the live tail, logged content.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { until } from "../../whole/world/until.ts";
import { asking } from "../../whole/world/world.ts";
import { type GatewayProcess, operate, post, startGatewayProcess } from "../nodes/gateway.ts";
import { useDatabases } from "./databases.ts";

const LONG_MS = 60_000;
const SOON_MS = 20_000;
const ADMIN_TOKEN = "admin-token-of-the-tests";
const SECRET = "a-credential-that-works-AAAA";

const server = await useDatabases();
let simulator: Simulator;
let own: Simulator;
let processes: readonly GatewayProcess[] = [];
let here = "";
let there = "";
beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
  own = await startSimulator({ port: 0 });
  const more = `  Bare: { dialect: openai, keys: ["bad-key"], base_url: "${own.url}/openai/v1", unlisted_models: true }
log: { content: true }
responses: { keep: 30d }`;
  const options = { store: server.url, simulatorUrl: simulator.url, more };
  processes = [startGatewayProcess(options), startGatewayProcess(options)];
  [here = "", there = ""] = await Promise.all(processes.map(({ url }) => url));
}, LONG_MS);
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await simulator.stop();
  await own.stop();
  await server.remove();
}, LONG_MS);

const rowsOf = async (url: string, path: string) => asArray((await operate(url, path)).data).map(asObject);

/** A key without an allowance. */
async function newSecret(): Promise<{ readonly secret: string; readonly id: string }> {
  const made = await operate(here, "/keys", { name: "one", requests_per_day: null });
  return { secret: String(made.secret), id: String(made.id) };
}

test(
  "signing in or out on one node takes effect on the other",
  async () => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ token: ADMIN_TOKEN }) };
    const signedIn = await fetch(`${here}/admin/v1/session`, init);
    const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
    const status = async (url: string) =>
      (await fetch(`${url}/admin/v1/keys`, { headers: { cookie } })).status;
    expect(await status(there)).toBe(200);
    const out = { method: "DELETE", headers: { cookie, "sec-fetch-site": "same-origin" } };
    expect((await fetch(`${there}/admin/v1/session`, out)).status).toBe(204);
    expect([await status(here), await status(there)]).toEqual([401, 401]);
  },
  LONG_MS,
);

test(
  "an interaction that one node kept is read, continued and deleted on the other",
  async () => {
    const { secret } = await newSecret();
    const headers = { authorization: `Bearer ${secret}` };
    const ask = async (url: string, more: JsonObject) => {
      const body = { model: "OpenAI#gpt-4.1", ...more };
      return asObject(await (await post(`${url}/v1/interactions`, secret, body)).json());
    };
    const first = await ask(here, { input: "say: one" });
    const second = await ask(there, { input: "say: two", previous_interaction_id: first.id });
    expect(JSON.stringify(simulator.calls.last()?.body)).toContain("say: one");
    const read = (url: string, method = "GET") =>
      fetch(`${url}/v1/interactions/${second.id}`, { method, headers });
    expect(await (await read(here)).json()).toMatchObject({ id: second.id, status: "completed" });
    expect((await read(here, "DELETE")).status).toBe(200);
    expect((await read(there)).status).toBe(404);
    expect(await ask(there, { input: "say: three", previous_interaction_id: second.id })).toMatchObject({
      error: { code: 400, reason: "unsupported_parameter" },
    });
  },
  LONG_MS,
);

test(
  "what a model refuses, said on one node, is left out on the other, until it is taken back there",
  async () => {
    const { secret } = await newSecret();
    const path = `/models/${encodeURIComponent("OpenAI#gpt-4.1")}`;
    const drops = async (url: string) => {
      const asked = { ...asking("OpenAI#gpt-4.1"), temperature: 0.2 };
      return (await post(`${url}/v1/chat/completions`, secret, asked)).headers.get("x-poundkey-dropped");
    };
    expect(await drops(there)).toBeNull();
    const say = async (url: string, refuses: readonly string[]) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
      const init = { method: "PATCH", headers, body: JSON.stringify({ refuses }) };
      return asObject(await (await fetch(`${url}/admin/v1${path}`, init)).json());
    };
    expect(await say(here, ["temperature"])).toMatchObject({ refuses: ["temperature"], source: "stored" });
    await until(
      "both leave it out",
      async () => {
        return (await drops(here)) === "temperature" && (await drops(there)) === "temperature";
      },
      SOON_MS,
    );
    expect(await say(there, [])).toMatchObject({ refuses: [], source: null });
    await until(
      "both send it again",
      async () => {
        return (await drops(here)) === null && (await drops(there)) === null;
      },
      SOON_MS,
    );
  },
  LONG_MS,
);

test(
  "a credential added on one node works on the other, until it is removed there",
  async () => {
    const { secret } = await newSecret();
    const chat = async (url: string) =>
      (await post(`${url}/v1/chat/completions`, secret, asking("Bare#sim-mini"))).status;
    expect(await chat(there)).toBe(502);
    const added = await operate(here, "/providers/Bare", { key: SECRET });
    const credential = asArray(added.credentials)
      .map(asObject)
      .find(({ source }) => source === "stored");
    expect(credential).toMatchObject({ last4: "AAAA", state: "active" });
    await until("it serves there", async () => (await chat(there)) === 200, SOON_MS);
    const path = `/providers/Bare?credential_id=${credential?.id}`;
    await operate(there, path, "DELETE");
    expect(await chat(there)).toBe(502);
    const count = async () => {
      const bare = (await rowsOf(here, "/providers")).find(({ name }) => name === "Bare");
      return asArray(bare?.credentials).length;
    };
    await until("it is gone here", async () => (await count()) === 1, SOON_MS);
  },
  LONG_MS,
);

test(
  "requests of both nodes are in the log, the overview and the live tail, with their contents",
  async () => {
    const { secret, id: keyId } = await newSecret();
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const tail = await fetch(`${here}/admin/v1/requests/live`, { headers, signal: leaving.signal });
    const told: JsonObject[] = [];
    const reading = (async () => {
      const decoder = new TextDecoder();
      let text = "";
      for await (const bytes of tail.body ?? []) {
        text += decoder.decode(bytes, { stream: true });
        const events = text.split("\n\n");
        text = events.pop() ?? "";
        for (const event of events)
          if (event.startsWith("data: ")) told.push(asObject(parseJson(event.slice(6))));
      }
    })().catch(() => {});
    const said = asking("OpenAI#sim", "say: both of us", { stream: true });
    for (const url of [here, there]) await (await post(`${url}/v1/chat/completions`, secret, said)).text();
    const failing = asking("OpenAI#sim~trouble=500", "say: no");
    await post(`${there}/v1/chat/completions`, secret, failing);
    const ofKey = () => told.filter(({ key_id }) => key_id === keyId);
    await until("all are told", () => ofKey().length === 3, SOON_MS);
    leaving.abort();
    await reading;
    const listed = await rowsOf(here, `/requests?key_id=${keyId}`);
    expect(ofKey().toSorted(byId)).toEqual(listed.toSorted(byId));
    const { totals } = await operate(there, `/overview?key_id=${keyId}&step=hour`);
    expect(totals).toMatchObject({ requests: 3, errors: 1 });
    expect(asObject(totals).first_token_ms).not.toBeNull();
    const [usage] = await rowsOf(here, "/usage?group_by=model&from=2020-01-01").then((rows) =>
      rows.filter(({ model }) => model === "OpenAI#(unlisted)"),
    );
    expect(usage).toMatchObject({ requests: 1, errors: 1, first_token_ms: null });
    const [key] = await rowsOf(there, "/keys?q=one&state=active").then((rows) =>
      rows.filter(({ id }) => id === keyId),
    );
    expect(key).toMatchObject({ last_used_at: listed[0]?.at, allowance: { limit: null } });
    const good = listed.find(({ status }) => status === 200);
    const whole = await operate(there, `/requests/${good?.id}`);
    expect(asObject(whole.timeline).attempts).toMatchObject([{ outcome: "answered", model: "OpenAI#sim" }]);
    expect(asObject(whole.content).messages).toEqual([{ role: "user", content: "say: both of us" }]);
  },
  LONG_MS,
);

function byId(a: JsonObject, b: JsonObject): number {
  return String(a.id) < String(b.id) ? -1 : 1;
}
