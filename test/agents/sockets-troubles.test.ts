// Codex over WebSockets in trouble: what it meets on its connection, and what it does then, as the manual says.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "../harness/program.ts";
import { startVictim } from "../kill/process.ts";
import { newKillWorld } from "../kill/world.ts";
import { findFreePort } from "../whole/network/shared-front.ts";
import { until } from "../whole/world/until.ts";
import {
  AGENTS,
  type Agent,
  type AgentRun,
  isInstalled,
  PATIENT_MS,
  runAgent,
  untilAgent,
  writeCall,
} from "./agents.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

const CODEX = AGENTS.find(({ name }) => name === "codex");
const USUAL = "Priced#sim-mini";
/** An answer of a dollar. */
const COSTLY = "Priced#sim-mini~tokens=10:1000";
const ENDLESS = "Priced#sim-mini~latency=600000";
const SMALL = "Priced#sim-mini~trouble=context";

const writeSetup = (url: string) => {
  const price = "price: { input: 0, output: 1000 }";
  const models = [USUAL, COSTLY, ENDLESS, SMALL].map(
    (id) => `{ name: "${id.slice("Priced#".length)}", context: 400000, output: 1000, ${price} }`,
  );
  return `  Priced: { dialect: openai, base_url: "${url}/openai/v1", keys: [sim-key], models: [${models}] }
responses: { sockets: { frame: 64KB } }`;
};

let under: AgentWorld;
beforeAll(async () => {
  under = await startAgentWorld(writeSetup);
});
afterAll(() => under.stop());

const withSockets = (agent: Agent): Agent => ({
  ...agent,
  files: (run) =>
    Object.fromEntries(
      Object.entries(agent.files(run)).map(([path, text]) => [path, `${text}\nsupports_websockets = true`]),
    ),
});

const ends = () => under.events.filter(({ event }) => event === "socket.closed");
const two = (command: string, words: string) =>
  `step 1: ${writeCall(["exec_command", { cmd: command }])}\nstep 2: say: ${words}`;

/** Runs Codex over connections. Returns what it printed, the provider's calls, and the ends of its connections. */
async function run(fields: Pick<AgentRun, "model" | "prompt" | "secret">) {
  if (CODEX === undefined) throw new Error("Codex is missing.");
  const before = { calls: under.simulator.calls.total, ends: ends().length };
  const asked = { url: under.url, home: under.makeHome(), ...fields };
  const printed = (await runAgent(withSockets(CODEX), asked)).replaceAll(fields.prompt, "");
  const count = under.simulator.calls.total - before.calls;
  const sent = count === 0 ? [] : under.simulator.calls.all().slice(-count);
  return { printed, sent, ends: ends().slice(before.ends) };
}

const countRefused = async () => {
  const text = await (await fetch(`${under.url}/metrics`)).text();
  return Number(/^poundkey_socket_turns_total\{outcome="refused"\} (\d+)$/m.exec(text)?.[1] ?? 0);
};

const makeSecret = async (limits: Record<string, unknown> = {}) =>
  (await under.newKey({ requests_per_day: null, ...limits })).secret;

describe.skipIf(CODEX === undefined || !isInstalled(CODEX))("Codex", () => {
  test(
    "stops at a budget that ends in its session, after one send",
    async () => {
      const secret = await makeSecret({ budgets: [{ usd: 1, per: "day" }] });
      const { printed, sent, ends } = await run({
        model: COSTLY,
        secret,
        prompt: two("printf one", "never"),
      });
      expect(printed).toContain("Quota exceeded");
      expect(sent).toHaveLength(1);
      // The frame with its own prompt, the turn that spent the budget, and the one that was refused.
      expect(ends).toMatchObject([{ turns: 3 }]);
    },
    PATIENT_MS,
  );

  test(
    "waits for a limit that passes, and goes on",
    async () => {
      const secret = await makeSecret({ parallel: 1 });
      const ending = new AbortController();
      const calls = under.simulator.calls.total;
      const busy = { model: ENDLESS, messages: [{ role: "user", content: "say: busy" }] };
      const other = under.chat(busy, { secret, signal: ending.signal }).catch(() => null);
      await until("the other is under way", () => under.simulator.calls.total > calls);
      const refused = await countRefused();
      const running = run({ model: USUAL, secret, prompt: "say: it is free" });
      const shown = running.then(({ printed }) => printed);
      await untilAgent("it is refused", shown, async () => (await countRefused()) > refused);
      ending.abort();
      const { printed, ends } = await running;
      expect(printed).toContain("it is free");
      expect(ends.length).toBeGreaterThan(1);
      await other;
    },
    PATIENT_MS,
  );

  test(
    "stops at a conversation that its model can't hold",
    async () => {
      const { printed, sent, ends } = await run({
        model: SMALL,
        secret: await makeSecret(),
        prompt: "say: no",
      });
      expect(printed).toContain("context window");
      expect(sent).toHaveLength(1);
      expect(ends).toHaveLength(1);
    },
    PATIENT_MS,
  );

  test(
    "gives up with a wrong key",
    async () => {
      const { printed, sent, ends } = await run({ model: USUAL, secret: "sk-wrong", prompt: "say: no" });
      expect(printed).toContain("401");
      expect([sent, ends]).toEqual([[], []]);
    },
    PATIENT_MS,
  );

  test(
    "goes on by HTTP with a frame that is too large",
    async () => {
      const prompt = `${"word ".repeat(20_000)}\nsay: by another way`;
      const { printed, sent, ends } = await run({ model: USUAL, secret: await makeSecret(), prompt });
      expect(printed).toContain("by another way");
      expect(sent).toHaveLength(1);
      expect(new Set(ends.map(({ reason }) => reason))).toContain("frame_too_large");
    },
    PATIENT_MS,
  );

  test(
    "goes on after a restart, with all of its conversation",
    async () => {
      if (CODEX === undefined) return;
      const world = await newKillWorld();
      const path = join(world.directory, "poundkey.yaml");
      writeFileSync(path, readFileSync(path, "utf8").replace("port: 0", `port: ${findFreePort()}`));
      const first = startVictim(PROGRAM, world.directory);
      const url = await first.listens;
      const home = under.makeHome();
      const prompt = two("sleep 4; printf after", "it went on");
      const asked = { url, secret: world.secrets.free, model: "Own#sim-mini", home, prompt };
      const running = runAgent(withSockets(CODEX), asked);
      await untilAgent("its first turn is over", running, () => world.simulator.calls.all()[0]?.ended);
      first.signal("SIGTERM");
      expect(await first.exited).toBe(0);
      const second = startVictim(PROGRAM, world.directory);
      await second.listens;
      expect((await running).replaceAll(prompt, "")).toContain("it went on");
      const last = JSON.stringify(world.simulator.calls.last()?.body);
      for (const said of ["You are", "sleep 4", "after"]) expect(last).toContain(said);
      second.signal("SIGTERM");
      await second.exited;
      await world.stop({ keep: false });
    },
    PATIENT_MS,
  );
});
