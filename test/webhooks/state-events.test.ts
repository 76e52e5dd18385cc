// Events of providers' health: a change is reported once over all nodes, and at most once in five minutes for each state.
import { expect, test } from "bun:test";
import type { CredentialHealth, ProviderHealth } from "../../src/core/health/health.ts";
import type { HookState } from "../../src/core/models/hook.ts";
import type { Store } from "../../src/core/store.ts";
import { listHealthStates } from "../../src/webhooks/health-states.ts";
import { listHookStates } from "../../src/webhooks/hook-states.ts";
import { StateEvents } from "../../src/webhooks/state-events.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { openMemoryStore } from "../harness/samples.ts";

const VITALS = {
  openFor: null,
  openPayers: [],
  errorRate: null,
  inFlight: 0,
  firstTokenMs: null,
  tokensPerSecond: null,
};
const CREDENTIAL: CredentialHealth = {
  id: null,
  position: 1,
  last4: "abcd",
  weight: 1,
  priceFactor: 1,
  requestsPerMinute: null,
  tokensPerMinute: null,
  parallel: null,
  ...VITALS,
  state: "active",
  untilMs: null,
  reason: null,
  calledAtMs: 1,
};

function provider(
  breaker: ProviderHealth["breaker"],
  credential: Partial<CredentialHealth> = {},
): ProviderHealth {
  return {
    name: "Acme",
    dialect: null,
    baseUrl: "",
    ...VITALS,
    breaker,
    lastFailure: null,
    models: [],
    failingSinceMs: breaker === "closed" ? null : 1,
    credentials: [{ ...CREDENTIAL, ...credential }],
  };
}

async function startNodes(count: number) {
  const store: Store = await openMemoryStore();
  const clock = new ManualClock();
  const nodes = Array.from({ length: count }, () => {
    const node = { seen: provider("closed"), look: async () => {} };
    const events = new StateEvents({ store, clock, seen: () => listHealthStates(node.seen) });
    node.look = () => events.refresh();
    return node;
  });
  const told = async () => (await store.takeEvents(clock.nowMs(), 50)).map(({ type }) => type);
  return { store, clock, nodes, told };
}

test("an outage that all nodes see is reported once, and so is its end", async () => {
  const { store, nodes, told } = await startNodes(3);
  const lookAll = () => Promise.all(nodes.map(({ look }) => look()));
  await lookAll();
  expect(await told()).toEqual([]);
  for (const breaker of ["open", "half_open", "closed"] as const) {
    for (const node of nodes) node.seen = provider(breaker);
    await lookAll();
    await lookAll();
    expect([breaker, await told()]).toEqual([
      breaker,
      { open: ["provider.down"], half_open: [], closed: ["provider.up"] }[breaker],
    ]);
  }
  await store.close();
});

test("a provider that flaps is reported by its last state once five minutes are over", async () => {
  const { store, clock, nodes, told } = await startNodes(1);
  const [node] = nodes;
  if (!node) throw new Error("There is one.");
  for (let times = 0; times < 10; times++) {
    node.seen = provider(times % 2 === 0 ? "open" : "closed");
    await node.look();
    await clock.move(1000);
  }
  expect((await told()).toSorted()).toEqual(["provider.down", "provider.up"]);
  node.seen = provider("open");
  await node.look();
  expect(await told()).toEqual([]);
  await clock.move(300_000);
  await node.look();
  expect(await told()).toEqual(["provider.down"]);
  await store.close();
});

test("a node that starts in an outage reports its end, and nodes that see it differently don't argue", async () => {
  const { store, clock, nodes, told } = await startNodes(2);
  const [one, other] = nodes;
  if (!one || !other) throw new Error("There are two.");
  one.seen = provider("open");
  await one.look();
  expect(await told()).toEqual(["provider.down"]);
  await other.look();
  expect(await told()).toEqual(["provider.up"]);
  for (let minute = 0; minute < 20; minute++) {
    await clock.move(60_000);
    await Promise.all([one.look(), other.look()]);
  }
  expect(await told()).toEqual([]);
  await store.close();
});

test("the reason is the provider's words, its status, or how the connection failed", () => {
  const words = { upstreamCode: null, message: null, cause: null, address: null, upstreamRequestId: null };
  const last = {
    ...words,
    atMs: 1,
    model: "Acme#a",
    last4: null,
    faultCode: "upstream_error",
    upstreamStatus: null,
  };
  const cause = "connection refused (ECONNREFUSED)";
  const reasons = [
    { ...last, cause, message: "We are down.", upstreamStatus: 500 },
    { ...last, cause, upstreamStatus: 500 },
    { ...last, cause },
    last,
  ].map((lastFailure) => listHealthStates({ ...provider("open"), lastFailure })[0]?.describe("").reason);
  expect(reasons).toEqual(["We are down.", "status 500", cause, "upstream_error"]);
});

test("a credential that is refused is reported, without more of it than its last characters", async () => {
  const { store, nodes } = await startNodes(1);
  const [node] = nodes;
  if (!node) throw new Error("There is one.");
  node.seen = {
    ...provider("closed"),
    credentials: [
      CREDENTIAL,
      { ...CREDENTIAL, last4: "wxyz", state: "retired", reason: "it was refused (401)" },
    ],
  };
  await node.look();
  const [event, ...others] = await store.takeEvents(1, 10);
  expect([event?.type, others]).toEqual(["credential.retired", []]);
  expect(event?.data).toEqual({
    provider: "Acme",
    name: "Acme",
    last4: "wxyz",
    reason: "it was refused (401)",
  });
  node.seen = provider("closed", { state: "retired", reason: "it was refused (401)" });
  await node.look();
  expect((await store.takeEvents(1, 10)).map(({ type }) => type).toSorted()).toEqual([
    "credential.retired",
    "provider.down",
  ]);
  await store.close();
});

test("a model that its provider doesn't have is reported once, and again after it was back", async () => {
  const { store, clock, nodes, told } = await startNodes(1);
  const [node] = nodes;
  if (!node) throw new Error("There is one.");
  const model = { id: "Acme#old", ...VITALS, breaker: "closed", asksAgainAtMs: null } as const;
  const seen: string[][] = [];
  for (const absence of [null, "gone", "gone", "back", "gone"] as const) {
    node.seen = { ...provider("closed"), models: [{ ...model, absence }] };
    await node.look();
    seen.push(await told());
    await clock.move(300_000);
  }
  expect(seen).toEqual([[], ["model.gone"], [], [], ["model.gone"]]);
  await store.close();
});

test("a hook that fails for everybody is reported once over all nodes, and again only after it worked", async () => {
  const store: Store = await openMemoryStore();
  const clock = new ManualClock();
  let state: HookState["state"] = "open";
  const seen = () => listHookStates({ name: "guard", state, reason: "status 500" });
  const nodes = [new StateEvents({ store, clock, seen }), new StateEvents({ store, clock, seen })];
  const look = async (next: HookState["state"]) => {
    state = next;
    for (const node of nodes) await node.refresh();
    return (await store.takeEvents(clock.nowMs(), 50)).map(({ type, data }) => [type, data]);
  };
  const down = ["hook.down", { hook: "guard", name: "guard", reason: "status 500" }];
  expect(await look("open")).toEqual([down]);
  expect(await look("half_open")).toEqual([]);
  expect(await look("open")).toEqual([]);
  await clock.move(6 * 60_000);
  expect(await look("closed")).toEqual([]);
  expect(await look("open")).toEqual([down]);
});
