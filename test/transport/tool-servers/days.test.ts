// Bad days at a tool server, by seeds: it refuses, stalls, breaks off, forgets sessions, changes its era, restarts; clients
// leave. Each call is carried out at most once, in its own key's session, and nothing is left of any.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import { IS_LONG } from "../../harness/long.ts";
import type { ToolFault } from "../../simulator/tools/faults.ts";
import type { ServedEra, ToolServerFake } from "../../simulator/tools/tool-server.ts";
import { until } from "../../whole/world/until.ts";
import { makeServer, openToolWorld, type ToolNode } from "./tool-world.ts";

const { startFake, startNode } = openToolWorld();

const SEEDS = IS_LONG ? 300 : 10;
const STEPS = 40;
const OWNERS = ["key:1", "key:2", "session:3"];
const FAULTS: readonly ToolFault[] = [
  { kind: "status", status: 500 },
  { kind: "status", status: 401 },
  { kind: "status", status: 302 },
  { kind: "break" },
  { kind: "cut" },
  { kind: "garble" },
  { kind: "forget" },
  { kind: "twice" },
  { kind: "ask", method: "sampling/createMessage" },
];
const METHODS = ["tools/call", "tools/call", "tools/list", "initialize", "server/discover"];
const ERAS: readonly ServedEra[] = ["older", "newer", "both"];

/** The outcomes that a client may see: nothing of the gateway's own. */
const CODES = /^(tool_server_(unavailable|busy|auth|error)|tool_timeout|tool_input_unsupported|client_gone)$/;

interface Outcome {
  readonly text: string;
  readonly code: string;
}

class Day {
  readonly #draw: (below: number) => number;
  readonly fake: ToolServerFake;
  readonly nodes: readonly ToolNode[];
  readonly outcomes: Promise<Outcome>[] = [];
  #isUp = true;

  constructor(draw: (below: number) => number) {
    this.#draw = draw;
    this.fake = startFake({ era: this.#pick(ERAS), sessions: draw(2) === 0 });
    const first = startNode([makeServer(this.fake.url)]);
    this.nodes = [first, startNode([makeServer(this.fake.url)], first.sessions)];
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[this.#draw(items.length)];
    if (item === undefined) throw new Error("The list is empty.");
    return item;
  }

  async run(): Promise<void> {
    for (let at = 0; at < STEPS; at++) await this.#step(at);
    if (!this.#isUp) this.fake.restart();
    for (const node of this.nodes) await node.pass(120_000);
  }

  async #step(at: number): Promise<void> {
    const kind = this.#draw(20);
    if (kind < 11) this.#call(`call ${at}`);
    else if (kind < 14) this.fake.plan(this.#pick(METHODS), this.#pick(FAULTS));
    else if (kind === 14) this.fake.options = { era: this.#pick(ERAS), sessions: this.#draw(2) === 0 };
    else if (kind === 15) await this.#toggle();
    else if (kind === 16) void this.#pick(this.nodes).servers.list("fake", null);
    else if (kind === 17) await this.#pick(this.nodes).pass(this.#draw(30_000));
    else await Promise.allSettled(this.outcomes.slice(0, -3));
  }

  async #toggle(): Promise<void> {
    if (this.#isUp) await this.fake.stop();
    else this.fake.restart();
    this.#isUp = !this.#isUp;
  }

  #call(text: string): void {
    const owner = this.#pick(OWNERS);
    const client = new Ending();
    const leaves = this.#draw(8) === 0;
    const call = this.#pick(this.nodes).call("echo", { text: `${owner} ${text}` }, { owner, client });
    if (leaves) setTimeout(() => client.end(), 1);
    this.outcomes.push(
      call.then(
        (reply) => ({ text: `${owner} ${text}`, code: reply.kind }),
        (thrown: unknown) => ({
          text: `${owner} ${text}`,
          code: thrown instanceof Fault ? thrown.code : String(thrown),
        }),
      ),
    );
  }
}

/** The same numbers for the same seed. */
function createDraw(seed: number): (below: number) => number {
  let state = seed * 7919 + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

describe.each(Array.from({ length: SEEDS }, (_, at) => at + 1))("day %d", (seed) => {
  test("each call is carried out at most once, for its own key", async () => {
    const day = new Day(createDraw(seed));
    await day.run();
    const outcomes = await Promise.all(day.outcomes);
    const { fake } = day;
    expect(new Set(fake.texts).size).toBe(fake.texts.length);
    const ran = new Set(fake.texts);
    expect(outcomes.filter(({ text, code }) => code === "result" && !ran.has(text))).toEqual([]);
    expect(outcomes.filter(({ code }) => code !== "result" && code !== "error" && !CODES.test(code))).toEqual(
      [],
    );
    const owners = new Map<string, string>();
    for (const { headers, params } of fake.listSeen("tools/call")) {
      const session = headers["mcp-session-id"];
      const owner = String(Object(params.arguments).text).split(" ")[0] ?? "";
      if (session !== undefined) expect(owners.getOrInsertComputed(session, () => owner)).toBe(owner);
    }
    expect(fake.mistakes).toEqual([]);
    await until("it answers again", async () => {
      for (const node of day.nodes) await node.pass(61_000);
      const again = day.nodes.map((node) => node.call("echo", { text: "again" }).catch(() => null));
      return (await Promise.all(again)).every((reply) => reply?.kind === "result");
    });
  });
});
