// Each refusal of limits and budgets met by each coding agent: it stops and shows our sentence, or waits and goes on, as
// the manual's page on errors says.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject } from "../../src/core/json/json.ts";
import { doorTo } from "../clients/setting.ts";
import { IS_LONG } from "../harness/long.ts";
import { AGENTS, type Agent, AIDER_AGENT, isInstalled, runAgent } from "./agents.ts";
import { MODEL, REFUSALS, type Refusal, writePriced } from "./refusals.ts";
import { type AgentWorld, startAgentWorld } from "./world.ts";

/** Includes waiting for others to start. */
const PATIENT_MS = 900_000;
const WORDS = "good day to you all";
const PROMPT = `say: ${WORDS}`;
/** The tries after which an agent counts as one that doesn't stop. */
const TRIES = 3;
/** Agents that are started at the same time. */
const STARTS = 4;

/** The way in which an agent takes refusals. */
interface Habit {
  /** The requests until it stops at a 429 that is final. Missing if it doesn't stop. */
  readonly at429?: number;
  /** The requests until it stops at a 402. Missing if it doesn't stop. */
  readonly at402?: number;
  /** Its own words instead of the gateway's sentence. */
  readonly says?: RegExp;
  /** True if it may give up within a minute. */
  readonly isHasty?: boolean;
}

const HABITS: Readonly<Record<string, Habit>> = {
  claude: { at429: 1, at402: 1 },
  codex: { at429: 1, at402: 1, says: /Quota exceeded/ },
  gemini: { at429: 1, at402: 1 },
  // It asks for a title, too.
  opencode: { at402: 2 },
  qwen: { at402: 1 },
  aider: { isHasty: true },
};

const worlds = new Map<string, AgentWorld>();
const seen: string[] = [];
beforeAll(async () => {
  worlds.set("usual", await startAgentWorld(writePriced));
  worlds.set("paid", await startAgentWorld((url) => `${writePriced(url)}\nbilling: { charge: always }`));
});
afterAll(async () => {
  for (const world of worlds.values()) await world.stop();
  console.log(["agent | refusal | answers | seconds", ...seen].join("\n"));
});

/** The code with which the gateway refuses the key now. */
async function readCode(world: AgentWorld, secret: string): Promise<unknown> {
  const answer = await world.chat(
    { model: MODEL, messages: [{ role: "user", content: PROMPT }] },
    { secret },
  );
  return asObject(asObject(await answer.json()).error).code;
}

function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let begun: Promise<Result> | null = null;
  return () => (begun ??= work());
}

/** Resolves once a place to start an agent is free. */
const starts = { free: STARTS, waiting: [] as (() => void)[] };
async function takeStart(): Promise<() => void> {
  if (starts.free > 0) starts.free--;
  else await new Promise<void>((resolve) => starts.waiting.push(resolve));
  let isTaken = true;
  return () => {
    if (!isTaken) return;
    isTaken = false;
    const next = starts.waiting.shift();
    if (next) next();
    else starts.free++;
  };
}

async function play(agent: Agent, refusal: Refusal, habit: Habit): Promise<void> {
  const world = worlds.get(refusal.status === 402 ? "paid" : "usual");
  if (!world) throw new Error("There is no gateway.");
  const leaveStart = await takeStart();
  const { secret, block, lift } = await refusal.makeKey(world);
  const stopsAt = refusal.status === 402 ? habit.at402 : habit.at429;
  const ending = new AbortController();
  // However long the agent takes to start, its first request is refused.
  const blocking = once(async () => {
    leaveStart();
    await block();
    return readCode(world, secret);
  });
  const door = doorTo(world.url, {
    before: async () => void (await blocking()),
    after: (posts) => {
      lift();
      if (!refusal.isPassing && stopsAt === undefined && posts.length >= TRIES) ending.abort();
    },
  });
  const beganMs = performance.now();
  const run = {
    url: door.url,
    secret,
    model: agent.modelName(MODEL),
    home: world.makeHome(),
    prompt: PROMPT,
  };
  const printed = (await runAgent(agent, { ...run, signal: ending.signal })).replaceAll(PROMPT, "");
  leaveStart();
  await door.stop();
  expect(await blocking()).toBe(refusal.code);
  const { posts } = door;
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  seen.push(`${agent.name} | ${refusal.code} | ${posts.join(" ")} | ${seconds}`);
  const shows = { sentence: (habit.says ?? refusal.says).test(printed), answer: printed.includes(WORDS) };
  const told = { printed: printed.slice(-1500), posts, ...shows };
  if (refusal.isPassing && !(habit.isHasty && shows.sentence)) {
    expect(told).toMatchObject({ answer: true });
    expect([posts[0], posts.at(-1)]).toEqual([429, 200]);
  } else if (!refusal.isPassing && stopsAt !== undefined) {
    expect(told).toMatchObject({ sentence: true, answer: false });
    expect(posts).toEqual(
      Array.from({ length: stopsAt }, () => (agent.name === "codex" ? 429 : refusal.status)),
    );
  } else {
    expect(told).toMatchObject({ answer: false });
    expect(new Set(posts)).toEqual(new Set([refusal.status]));
  }
}

/**
 * The long form tries all agents. These three start in a second, and differ: the first shows our sentence, the second has words
 * of its own, and the third stops at no 429.
 */
const THREE = ["claude", "codex", "qwen"];
/** Refusals that fewer of them take, since others have the same form, or `faults.test.ts` has them. */
const USUALLY: Readonly<Record<string, readonly string[]>> = {
  too_many_parallel_requests: ["claude", "codex"],
  tokens_per_minute_exceeded: ["claude", "codex"],
  budget_reserved: ["claude", "codex"],
  rate_limit_exceeded: ["qwen"],
  insufficient_balance: ["qwen"],
};

const PLAYERS = [...AGENTS, AIDER_AGENT].filter((agent) => agent.name in HABITS && isInstalled(agent));
// Those that wait for a minute begin first.
for (const refusal of REFUSALS) {
  describe.skipIf(PLAYERS.length === 0)(refusal.code, () => {
    const players = PLAYERS.filter(({ name }) => IS_LONG || (USUALLY[refusal.code] ?? THREE).includes(name));
    test.concurrent.each(players.map((agent) => [agent.name, agent] as const))(
      "%s",
      (name, agent) => play(agent, refusal, HABITS[name] ?? {}),
      // An agent may fail by itself, once in some thousand runs.
      { timeout: PATIENT_MS, retry: 1 },
    );
  });
}
