// A gateway beside a node of an older program: what that one wouldn't keep is refused by every door, and only operators and
// admins may stop it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { NodeLock } from "../../src/store/sqlite/node-lock.ts";
import { poundkey } from "../harness/poundkey.ts";
import { LONG_MS, newPlace, type Serving, startServe } from "../harness/serve-process.ts";
import { until } from "../whole/world/until.ts";

const ADMIN_TOKEN = "admin-token-of-the-tests";
/** A node of 1.2 is known by its lock alone, whose name doesn't say which schema it knows. */
const OLDER = "node_0123456789abcdef";
const LIMITED = { name: "limited", model_limits: [{ models: ["Sim#sim-large"], requests_per_minute: 3 }] };
const TEST_MS = 120_000;

const CONFIGURATION = `server: { admin_token: "${ADMIN_TOKEN}" }
store: "sqlite:./poundkey.db"
providers: {}`;
const place = newPlace(CONFIGURATION);
let serving: Serving;
let url: string;
let older: NodeLock;
beforeAll(async () => {
  serving = startServe(place, "--simulate", "--port", "0");
  url = await serving.listens();
  older = new NodeLock(join(place.directory, "poundkey.db"), OLDER);
  older.acquire();
}, TEST_MS);
afterAll(() => {
  serving.end();
  older.release();
  place.remove();
});

const post = (path: string, body: object, token?: string) => send("POST", path, body, token);

async function send(method: string, path: string, body: object, token = ADMIN_TOKEN) {
  const response = await fetch(`${url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer: JsonObject = asObject(await response.json());
  return { status: response.status, answer, error: asObject(answer.error) };
}

async function makeToken(role: string): Promise<string> {
  const { answer } = await post("/tokens", { name: role, role });
  return String(answer.secret);
}

async function readRules(): Promise<readonly unknown[]> {
  const answer = await fetch(`${url}/admin/v1/guard`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  return asArray(asObject(await answer.json()).rules);
}

/** A start beside the gateway that serves. */
const startAgain = (...flags: readonly string[]) =>
  poundkey(place.directory, ["serve", "--simulate", "--port", "0", ...flags]);

const run = (...args: readonly string[]) => poundkey(place.directory, args, { POUNDKEY_TOKEN: ADMIN_TOKEN });

const STATE = `accounts: [{ name: Search }]
keys:
  - { name: app, account_id: Search, model_limits: [{ models: ["OpenAI#*"], requests_per_minute: 3 }] }
`;

test(
  "a change is 409 with the node's name, whoever sends it without leave",
  async () => {
    const manager = await makeToken("manager");
    const senders = [
      post("/keys", LIMITED),
      post("/keys", LIMITED, manager),
      post("/keys?stop_older=true", LIMITED, manager),
    ];
    for (const { status, error } of await Promise.all(senders)) {
      expect([status, error.code]).toEqual([409, "older_nodes"]);
      expect(String(error.message)).toContain(`${OLDER} (1.2 or older)`);
    }
    expect((await post("/keys", { name: "plain" }, manager)).status).toBe(201);
  },
  TEST_MS,
);

test(
  "a credential of the configuration isn't switched off, which the node would go on calling with",
  async () => {
    const off = { credential_id: "configured:1", enabled: false };
    const { status, error } = await send("PATCH", "/providers/Sim", off);
    expect([status, error.code]).toEqual([409, "older_nodes"]);
    const on = await fetch(`${url}/admin/v1/providers`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect(asArray(asObject(await on.json()).data)).toMatchObject([
      { name: "Sim", on: true, credentials: [{ id: "configured:1", state: "active" }] },
    ]);
  },
  TEST_MS,
);

test(
  "a reload beside an older node refuses a guard rule that masks, since the older node would let values pass",
  async () => {
    place.configure(`${CONFIGURATION}\nguard: { rules: [{ name: people, detect: [email], action: mask }] }`);
    serving.signal("SIGHUP");
    const [refused] = await serving.logged("config_refused", 1);
    expect(String(refused?.errors)).toContain(`poundkey.yaml: guard.rules: older_nodes: 1 node of an older`);
    expect(String(refused?.errors)).toContain(OLDER);
    expect(await readRules()).toEqual([]);
    const second = await startAgain();
    expect([second.code, second.err]).toEqual([
      1,
      expect.stringContaining(`guard.rules: older_nodes: 1 node`),
    ]);
    expect(second.err).toContain("--stop-older");

    place.configure(`${CONFIGURATION}\nguard: { rules: [{ name: people, detect: [email] }] }`);
    serving.signal("SIGHUP");
    await until("a rule that reports", async () => (await readRules()).length > 0, LONG_MS);
  },
  TEST_MS,
);

test(
  "`apply --plan` says first that it would stop an older node, and `apply` makes nothing, here and at a gateway",
  async () => {
    writeFileSync(join(place.directory, "state.yaml"), STATE);
    for (const where of [[], ["--gateway", url]]) {
      const planned = await run("apply", "state.yaml", "--plan", ...where);
      expect(planned.out.split("\n")[0]).toContain(`! 1 node of an older program runs (${OLDER}`);
      const applied = await run("apply", "state.yaml", ...where);
      expect([applied.code, applied.err]).toEqual([1, expect.stringContaining("--stop-older")]);
    }
    const names = asArray(JSON.parse((await run("accounts", "list", "--json")).out)).map(
      (row) => asObject(row).name,
    );
    expect(names).toEqual(["default"]);
    const added = await run("keys", "add", "--name", "app", "--model-limits", "3 requests: OpenAI#*");
    expect([added.code, added.err]).toEqual([1, expect.stringContaining(OLDER)]);
  },
  TEST_MS,
);

test(
  "an operator lets it through, and nothing is refused from then on",
  async () => {
    const operator = await makeToken("operator");
    expect((await post("/keys?stop_older=true", LIMITED, operator)).status).toBe(201);
    const applied = await run("apply", "state.yaml", "--gateway", url);
    expect([applied.code, applied.err]).toEqual([0, ""]);
    const { out } = await run("check", "--json");
    expect(asObject(asObject(JSON.parse(out)).schema).oldest_supported).toBe(45);
  },
  TEST_MS,
);

test(
  "a start with --stop-older puts a rule that acts in force",
  async () => {
    place.configure(`${CONFIGURATION}\nguard: { rules: [{ name: people, detect: [email], action: mask }] }`);
    const again = startServe(place, "--simulate", "--port", "0", "--stop-older");
    try {
      await again.listens();
    } finally {
      again.end();
    }
    const { out } = await run("check", "--json");
    expect(asObject(asObject(JSON.parse(out)).schema).oldest_supported).toBe(65);
    serving.signal("SIGHUP");
    await until(
      "the same rule in the other",
      async () => asObject((await readRules())[0]).action === "mask",
      LONG_MS,
    );
  },
  TEST_MS,
);
