// The settings of the cache, of hooks and of the guard in a process that reads its configuration again.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { providersYaml } from "../harness/harness.ts";
import { PROGRAM } from "../harness/program.ts";
import { type Simulator, startSimulator } from "../simulator/server.ts";
import { type HookServer, startHook } from "../steps/hooks/server.ts";
import { until } from "../whole/world/until.ts";

const TOKEN = "admin-token-of-the-tests";
const ON = { "x-poundkey-cache": "on" };

const directory = mkdtempSync(join(tmpdir(), "poundkey-reload-"));
const configFile = join(directory, "poundkey.yaml");
let simulator: Simulator;
let hook: HookServer;
let gateway: { readonly url: string; readonly child: Bun.Subprocess };
let secret: string;

beforeAll(async () => {
  simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
  hook = await startHook();
  configure("");
  gateway = await startProcess();
  secret = await makeKey();
});
afterAll(async () => {
  gateway.child.kill("SIGTERM");
  await gateway.child.exited;
  await hook.stop();
  await simulator.stop();
  rmSync(directory, { recursive: true, force: true });
});

function configure(more: string): void {
  const head = [
    `server: { port: 0, admin_token: "${TOKEN}" }`,
    `store: "sqlite:${join(directory, "poundkey.db")}"`,
  ];
  writeFileSync(configFile, [...head, providersYaml(simulator.url), more].join("\n"));
}

async function startProcess() {
  const child = Bun.spawn([...PROGRAM, "serve", "--config", configFile], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "" },
    stdout: "ignore",
    stderr: "pipe",
  });
  let text = "";
  const decoder = new TextDecoder();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async () => {
    for await (const bytes of child.stderr) {
      text += decoder.decode(bytes, { stream: true });
      const url = /listens on (http:\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    }
    reject(new Error(`the gateway ended: ${text}`));
  };
  void read();
  return { url: await promise, child };
}

async function makeKey(more: Record<string, unknown> = {}): Promise<string> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "test", requests_per_day: null, ...more });
  const response = await fetch(`${gateway.url}/admin/v1/keys`, { method: "POST", headers, body });
  return ((await response.json()) as { secret: string }).secret;
}

function reload(more: string): void {
  configure(more);
  gateway.child.kill("SIGHUP");
}

/** Returns the state of the cache that the answer names, or else its status. */
async function ask(text: string, headers: Record<string, string> = {}): Promise<string | number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "Local#sim", messages: [{ role: "user", content: `say: ${text}` }] }),
  });
  await response.text();
  return response.headers.get("x-poundkey-cache") ?? response.status;
}

const untilAsked = (state: string | number, text: string, headers?: Record<string, string>) =>
  until(`"${text}" gets ${state}`, async () => (await ask(text, headers)) === state);

test("settings of the cache and hooks change with the file, for requests from then on", async () => {
  expect([await ask("one"), await ask("one", ON), await ask("one", ON)]).toEqual([200, "stored", "hit"]);

  reload("cache: { ttl: 1h }");
  await untilAsked("hit", "one");
  expect([await ask("two"), await ask("two")]).toEqual(["stored", "hit"]);

  // An answer that was kept without the hook isn't given past it.
  reload(`cache: { ttl: 1h }\nhooks:\n  - { name: guard, url: "${hook.url}", at: [request, answer] }`);
  await untilAsked("stored", "two");
  expect(hook.calls.map(({ body }) => body.input_type)).toEqual(["request", "response"]);
  expect([await ask("two"), await ask("one")]).toEqual(["hit", "stored"]);

  reload("cache: { clients: false }");
  await untilAsked(200, "two");
  const asked = hook.calls.length;
  expect([await ask("one", ON), await ask("two", ON)]).not.toContain("hit");
  expect(hook.calls.length).toBe(asked);
}, 300_000);

test("rules of the guard change with the file, for requests from then on", async () => {
  const authorization = `Bearer ${await makeKey({ guard: ["later"] })}`;
  expect(await ask("three", { authorization })).toBe(503);
  reload("guard: { rules: [{ name: later, detect: [email], keys: [] }] }");
  await untilAsked(200, "three", { authorization });
  reload("");
  await untilAsked(503, "three", { authorization });
});
