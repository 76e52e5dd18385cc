// The guard's place: before hooks and the cache in a request, behind them in its answer.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type HookServer, startHook } from "../../steps/hooks/server.ts";
import { type GuardWorld, startGuardWorld } from "./world.ts";

let hook: HookServer;
let own: GuardWorld;
beforeAll(async () => {
  hook = await startHook();
  own = await startGuardWorld(`
hooks: [{ name: masks, url: "${hook.url}", at: [request] }]
guard: { rules: [{ name: birds, detect: ["words:birds"], at: [request, answer] }], words: { birds: [canary] } }
cache: { ttl: 1h }
`);
});
afterAll(async () => {
  await own.stop();
  await hook.stop();
});

test("the guard sees what a hook hides, and what the cache answers", async () => {
  const body = { model: "Local#sim", messages: [{ role: "user", content: "say: a canary" }] };
  for (let time = 0; time < 2; time++) {
    const { status, findings } = await own.look("/v1/chat/completions", body);
    expect([status, findings]).toEqual([200, ["1 words:birds at request: report by birds"]]);
  }
  expect(JSON.stringify(own.world.simulator.calls.all())).not.toContain("canary");
  expect(own.world.simulator.calls.total).toBe(1);
});
