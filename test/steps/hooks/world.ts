// A gateway with hooks, and a hook's server, for tests.
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readSums } from "../../whole/world/money-world.ts";
import { until } from "../../whole/world/until.ts";
import { type Got, makeRequest, type Way } from "../asked.ts";
import { type HookServer, startHook } from "./server.ts";

export interface HookWorld {
  readonly hook: HookServer;
  readonly world: UnderTest;
  /** Asks with the key that adds this hook, if it is named. */
  ask(way: Way, prompt: string, options?: { name?: string; model?: string }): Promise<Got>;
  post(path: string, body: JsonObject, name?: string): Promise<Got>;
  /** The latest row of the log. */
  readRow(): Promise<JsonObject>;
  /** The bodies that providers got, as text. */
  sent(): string;
  untilNothingIsHeld(): Promise<void>;
  reset(): void;
  stop(): Promise<void>;
}

/** `hooks` are rows of the configuration for the server's address; each applies to its own key only, or as it says. */
export async function startHookWorld(hooks: readonly string[], more = ""): Promise<HookWorld> {
  const hook = await startHook();
  const rows = hooks.map((row) => `  - { url: "${hook.url}", ${row} }`).join("\n");
  const world = await startUnderTest({ more: `hooks:\n${rows}\n${more}` });
  const secrets = new Map<string, Promise<{ secret: string }>>();
  const findSecret = async (name: string | undefined) => {
    if (name === undefined) return world.secret;
    const made = secrets.getOrInsertComputed(name, () =>
      world.newKey({ name, hooks: [name], requests_per_day: null }),
    );
    return (await made).secret;
  };
  const post = async (path: string, body: JsonObject, name?: string): Promise<Got> => {
    const authorization = `Bearer ${await findSecret(name)}`;
    const headers = { "content-type": "application/json", authorization, "x-own": "of the client" };
    const response = await fetch(world.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    hook,
    world,
    post,
    ask: (way, prompt, { name, model } = {}) => post(...makeRequest(way, prompt, model), name),
    async readRow() {
      const headers = { authorization: `Bearer ${world.adminToken}` };
      const response = await fetch(`${world.url}/admin/v1/requests?limit=1`, { headers });
      return asObject(asArray(asObject(await response.json()).data)[0]);
    },
    sent: () => JSON.stringify(world.simulator.calls.all().map(({ body }) => body)),
    async untilNothingIsHeld() {
      const isOver = () => readSums(world.directory).holds === 0 && world.simulator.calls.open === 0;
      await until("nothing is held", isOver);
    },
    reset() {
      Object.assign(hook, { behaviour: "works", failsAt: "request" });
      hook.calls.length = 0;
      world.simulator.reset();
    },
    async stop() {
      await world.stop();
      await hook.stop();
    },
  };
}
