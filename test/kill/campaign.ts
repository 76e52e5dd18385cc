// A gateway killed repeatedly under load on one aging store, with an audit after each restart.
import { readdirSync } from "node:fs";
import type { SimCall } from "../simulator/calls.ts";
import { until } from "../whole/world/until.ts";
import { audit, countLeft, numberOfCall } from "./audit.ts";
import { type Asking, askAgain, type Load, type LoadOptions, runLoad, type Told } from "./load.ts";
import { type Program, runCommand, startVictim, type Victim } from "./process.ts";
import type { Charge, KillWorld } from "./world.ts";

/** A dead process's holds should be resolved within 5 s of the next start. A busy machine gets three times that. */
const RESOLVED_MS = 15_000;
const LOAD_MS = 700;
const STARTING_MS = 150;
const STOPPING_MS = 150;
/** The whole books are checked after each restart, and less often once they are long. */
const WHOLE_ROUNDS = 250;
const WHOLE_EVERY = 10;
const QUIET_MS = 20_000;

export interface CampaignOptions {
  readonly program: Program;
  readonly world: KillWorld;
  readonly times: number;
  readonly seed: number;
  /** Called after each audit with the kills that it covers. Returns false to end the campaign. */
  readonly onJudged: (kills: readonly Kill[], problems: readonly string[]) => boolean;
}

export interface Kill {
  readonly number: number;
  /** The moment of the kill: under load, during the start, or during the shutdown. */
  readonly during: "load" | "start" | "stop";
  readonly afterMs: number;
}

export interface CampaignSums {
  requests: number;
  answers: number;
  upstreamCalls: number;
  slowestResolvedMs: number;
  /** The findings at the very end, when all remaining requests are answered. */
  endProblems: readonly string[];
}

/** A small seeded generator (mulberry32), so that a run repeats the same kills as far as timing allows. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A repeated request is judged together with its earlier answers. */
interface Open {
  readonly again: readonly Asking[];
  readonly told: readonly Told[];
  readonly calls: readonly SimCall[];
}

export class Campaign {
  readonly #options: CampaignOptions;
  readonly #random: () => number;
  readonly #sums: CampaignSums = {
    requests: 0,
    answers: 0,
    upstreamCalls: 0,
    slowestResolvedMs: 0,
    endProblems: [],
  };
  /** The kills not yet judged. */
  #kills: Kill[] = [];
  #killed = 0;
  #round = 0;
  #charge: Charge = "beyond_allowance";
  #open: Open = { again: [], told: [], calls: [] };

  constructor(options: CampaignOptions) {
    this.#options = options;
    this.#random = randomFrom(options.seed);
  }

  async run(): Promise<CampaignSums> {
    const { times, onJudged } = this.#options;
    let victim = this.#start();
    try {
      while (this.#killed < times) {
        const load = await this.#loadAndKill(victim);
        while (this.#killed < times && this.#random() < 0.15) await this.#killStarting();
        victim = this.#start();
        const problems = await this.#judge(victim, load);
        if (!onJudged(this.#kills, problems)) return this.#sums;
        this.#kills = [];
      }
      this.#sums.endProblems = await this.#end(victim);
      return this.#sums;
    } finally {
      victim.signal("SIGKILL");
      await victim.exited;
    }
  }

  #start(): Victim {
    const { program, world } = this.#options;
    this.#round++;
    this.#charge = this.#round % 4 === 0 ? "always" : "beyond_allowance";
    world.configure(this.#charge);
    return startVictim(program, world.directory);
  }

  async #kill(victim: Victim, during: Kill["during"], afterMs: number): Promise<void> {
    await Bun.sleep(afterMs);
    if (during === "stop") {
      victim.signal("SIGTERM");
      await Bun.sleep(this.#random() * STOPPING_MS);
    }
    victim.signal("SIGKILL");
    await victim.exited;
    this.#killed++;
    this.#kills.push({ number: this.#killed, during, afterMs });
  }

  #killStarting(): Promise<void> {
    return this.#kill(this.#start(), "start", this.#random() * STARTING_MS);
  }

  /** One kill in five comes before much has happened. */
  async #loadAndKill(victim: Victim): Promise<Load> {
    let dead = false;
    const load = runLoad(await this.#loadOf(victim, () => dead));
    const during = this.#random() < 0.15 ? "stop" : "load";
    const withinMs = this.#random() < 0.2 ? LOAD_MS / 20 : LOAD_MS;
    await this.#kill(victim, during, this.#random() * withinMs);
    dead = true;
    return load;
  }

  async #loadOf(victim: Victim, isOver: () => boolean): Promise<LoadOptions> {
    return {
      url: await victim.listens,
      round: this.#round,
      charge: this.#charge,
      secrets: this.#options.world.secrets,
      random: this.#random,
      first: this.#open.again,
      isOver,
    };
  }

  /** Waits until the dead process's holds are resolved, then checks everything. */
  async #judge(victim: Victim, load: Load): Promise<readonly string[]> {
    const { world } = this.#options;
    await victim.listens;
    const listensMs = performance.now();
    const problems: string[] = [];
    try {
      await until("no request is left open", () => countLeft(world.database) === 0, RESOLVED_MS);
    } catch (error) {
      problems.push(String(error));
    }
    const resolvedMs = performance.now() - listensMs;
    this.#sums.slowestResolvedMs = Math.max(this.#sums.slowestResolvedMs, resolvedMs);
    return [
      ...problems,
      ...(await this.#audit(load, this.#round <= WHOLE_ROUNDS || this.#round % WHOLE_EVERY === 0)),
    ];
  }

  async #audit(load: Load, isWhole: boolean): Promise<readonly string[]> {
    const { simulator, database } = this.#options.world;
    await until("the provider's calls have ended", () => simulator.calls.open === 0, QUIET_MS);
    const calls = [...this.#open.calls, ...simulator.calls.all()];
    const told = [...this.#open.told, ...load.told];
    this.#sums.requests += load.told.length;
    this.#sums.answers += load.told.filter(({ answer }) => answer !== null).length;
    this.#sums.upstreamCalls += simulator.calls.total;
    simulator.reset();
    const again = [...new Map(load.again.map((asking) => [asking.number, asking])).values()];
    const numbers = new Set(again.map(({ number }) => number));
    this.#open = {
      again,
      told: told.filter(({ asking }) => numbers.has(asking.number)),
      calls: calls.filter((call) => numbers.has(numberOfCall(call))),
    };
    return audit(database, { told, calls, isWhole });
  }

  /** Every open request gets its answer, the gateway exits with code 0, and `ledger verify` finds nothing. */
  async #end(victim: Victim): Promise<readonly string[]> {
    const { program, world } = this.#options;
    const told = await askAgain(await this.#loadOf(victim, () => false));
    const problems = told.flatMap(({ requestId, answer, status }) =>
      answer === null ? [`${requestId} has no answer even at the end: status ${status}`] : [],
    );
    problems.push(...(await this.#audit({ told: [...told], again: [] }, true)));
    victim.signal("SIGTERM");
    const code = await victim.exited;
    if (code !== 0) problems.push(`the gateway stopped with exit code ${code}`);
    const verified = await runCommand(program, world.directory, ["ledger", "verify"]);
    if (verified.code !== 0) problems.push(`ledger verify: exit code ${verified.code}: ${verified.text}`);
    const left = readdirSync(world.directory).filter((name) => name.includes("-node_"));
    if (left.length > 0) problems.push(`files of dead processes are left: ${left.join(", ")}`);
    return problems;
  }
}
