// The course of a whole run: installs beside the gate, the steps once it is green, the second tries, and the table.
import { availableParallelism } from "node:os";
import { findRecordings } from "../harness/beside.ts";
import { findScale } from "../runner/costs.ts";
import { type Graph, readGraph } from "../runner/graph.ts";
import { Orphans } from "../runner/orphans.ts";
import {
  makeCosts,
  parseCosts,
  readCosts,
  readStepTimes,
  TIMINGS_FILE,
  writeStepTimes,
} from "../runner/timings.ts";
import { Yardstick } from "../runner/unit/unit.ts";
import { assignFiles } from "./assign.ts";
import { openCache } from "./cache.ts";
import { type Change, keepGreen, readChange } from "./change.ts";
import { chooseMeasured, chooseNear, makeCostsStep, makeNearStep, NEAR, type Near } from "./gate.ts";
import { installAll } from "./installs/all.ts";
import { readAt } from "./prove-changes.ts";
import { describeOutcome, IdleWatch, listFailures, listTimes, writeTable } from "./report.ts";
import type { Outcome, Step } from "./row.ts";
import { runStep } from "./run-step.ts";
import { schedule } from "./schedule.ts";
import { SecondTries } from "./second-try.ts";
import { makeSteps } from "./steps.ts";
import { type MainLine, openMainLine } from "./thirds/main-line.ts";
import { Due, readFollows } from "./thirds/thirds.ts";

export interface Wish {
  readonly root: string;
  /** The names of the steps to run without the gate, or null for all. */
  readonly only: readonly string[] | null;
  readonly isLong: boolean;
  readonly isFresh: boolean;
  /** Runs the gate alone. */
  readonly isCheck: boolean;
  readonly keepsTimes: boolean;
}

interface Sum {
  readonly passed: number;
  readonly failed: number;
}

/** Waiting for children leaves a little room for more than the cores can do. */
const ROOM = availableParallelism() * 1.1;
/** A step that waited for others' work looks as if it had less of its own. */
const SHARE_MIN = 0.6;
/** The time of a step of which none is kept: it starts before those that are known to be short. */
const UNKNOWN_SECONDS = 600;

const print = (text: string) => console.log(text);

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Throws an Error if a wanted step isn't there. */
export async function runWhole(wish: Wish): Promise<Sum> {
  if (wish.isLong) process.env.LONG = "1";
  const cache = openCache();
  const [graph, change] = await Promise.all([readGraph(wish.root), readChange(wish.root, cache)]);
  const yardstick = new Yardstick();
  await yardstick.begin();
  // The runs of tests below count by it too.
  process.env.TEST_UNIT = String(yardstick.seconds);
  const run = new WholeRun(wish, {
    graph,
    change,
    yardstick,
    mainLine: openMainLine(wish.root, cache, change.push),
  });
  const orphans = new Orphans();
  orphans.adopt();
  const idle = new IdleWatch(availableParallelism());
  const installs = wish.isCheck ? [] : run.listInstalls();
  const place = { root: wish.root, cache, now: new Date(), isFresh: wish.isFresh };
  const installing = installAll(installs, place);
  if (wish.only === null) {
    await run.runGate();
    if (run.isRed || wish.isCheck) return run.finish(idle.end(), orphans.measure());
  }
  await run.runSteps(installing);
  await yardstick.end();
  const { passed, failed } = run.finish(idle.end(), orphans.measure());
  if (failed === 0 && wish.only === null) await keepGreen(wish.root, cache, new Date());
  return { passed, failed };
}

interface Known {
  readonly graph: Graph;
  readonly change: Change;
  readonly yardstick: Yardstick;
  readonly mainLine: MainLine;
}

class WholeRun {
  readonly #wish: Wish;
  readonly #graph: Graph;
  readonly #change: Change;
  readonly #steps: readonly Step[];
  readonly #files: ReadonlyMap<string, readonly string[]>;
  readonly #tries: SecondTries;
  readonly #yardstick: Yardstick;
  readonly #mainLine: MainLine;
  readonly #due: Due;
  readonly #times = readStepTimes();
  readonly #outcomes: Outcome[] = [];
  /** The tests that the gate has run with all of their rows: the first tier in the clone, and those near the change. */
  #ran: ReadonlySet<string> = new Set();
  #settled = { settled: 0, faults: 0 };

  constructor(wish: Wish, { graph, change, yardstick, mainLine }: Known) {
    this.#wish = wish;
    this.#graph = graph;
    this.#change = change;
    this.#yardstick = yardstick;
    this.#mainLine = mainLine;
    const hasRecordings = findRecordings() !== null;
    this.#steps = makeSteps({ isLong: wish.isLong, hasRecordings, base: change.base });
    const names = this.#steps.map(({ name }) => name);
    const unknown = wish.only?.find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Error(`No step is named ${unknown}. There are ${names.join(", ")}.`);
    this.#files = assignFiles(this.#steps, graph);
    const today = new Date().toISOString().slice(0, 10);
    const { follows } = readFollows(wish.root);
    const steps = this.#steps;
    this.#tries = new SecondTries({ root: wish.root, steps, change, graph, today, print, mainLine, follows });
    this.#due = new Due(wish.isLong || wish.only !== null ? null : change.push, follows);
  }

  get isRed(): boolean {
    const failed = sum(this.#outcomes.map((one) => one.failed));
    return failed - this.#settled.settled + this.#settled.faults > 0;
  }

  /** The names of what the steps that are to run need beside other steps. */
  listInstalls(): readonly string[] {
    const needs = new Set(this.#listWanted().flatMap((step) => step.needs));
    return [...needs].filter((need) => !this.#isStep(need));
  }

  /** An install that isn't whole leaves its steps to fail by themselves; without a step before it none can run. */
  #isStep(name: string): boolean {
    return this.#steps.some((step) => step.name === name);
  }

  #listWanted(): readonly Step[] {
    const { only } = this.#wish;
    if (only === null)
      return this.#steps.filter((step) => step.gate === undefined && this.#isProgramDue(step));
    const wanted = new Set(only);
    for (const name of wanted)
      for (const need of this.#steps.find((step) => step.name === name)?.needs ?? []) wanted.add(need);
    return this.#steps.filter(({ name }) => wanted.has(name));
  }

  /** A program that follows a subject runs in one of three. */
  #isProgramDue({ name, work }: Step): boolean {
    return !("command" in work) || this.#due.has(name, name);
  }

  async runGate(): Promise<void> {
    const here = this.#wish.isCheck ? "check" : "whole";
    const gate = this.#steps.filter((step) => step.gate === "both" || step.gate === here);
    const isFirst = ({ work }: Step) => "command" in work && work.reportsFiles;
    await this.#schedule(gate.filter(isFirst));
    this.#countRan();
    const near = this.#chooseNear();
    const changed = this.#change.files?.length ?? "an unknown number of";
    print(
      `Changed since ${this.#change.since}: ${changed} files. The ${near.files.length} tests nearest to them run now, ${near.left} are left to the steps.`,
    );
    await this.#schedule([...gate.filter((step) => !isFirst(step)), makeNearStep(near.files)], near.files);
    await this.#tryCosts();
    this.#settled = await this.#tries.judge(this.#outcomes);
    this.#countRan();
    if (this.isRed) print("The gate is red, so nothing else runs.");
  }

  /** The long form of a test is run by its step. */
  #countRan(): void {
    const ran = this.#outcomes.flatMap(({ whole = [] }) => whole);
    this.#ran = new Set(this.#wish.isLong ? [] : ran);
  }

  #chooseNear(): Near {
    const barred = this.#steps.filter(({ gate, work }) => gate || ("under" in work && work.isApart));
    const notNear = new Set(barred.flatMap(({ name }) => this.#files.get(name) ?? []));
    const mayRun = (file: string) => !notNear.has(file) && !this.#ran.has(file);
    return chooseNear(this.#change, this.#graph, { mayRun, costOf: makeCosts() });
  }

  async #tryCosts(): Promise<void> {
    const files = this.#chooseMeasured();
    if (files.length === 0) return;
    const units = new Map(this.#outcomes.flatMap((one) => one.units ?? []));
    process.env.TEST_SCALE = String(findScale(units));
    await this.#schedule([makeCostsStep(files)]);
  }

  /** Those that need nothing but the project. */
  #chooseMeasured(): readonly string[] {
    const { root } = this.#wish;
    const isFree = ({ needs, measures }: Step) => !measures && needs.every((need) => this.#isStep(need));
    const mayRun = this.#steps.filter(isFree).flatMap(({ name }) => this.#files.get(name) ?? []);
    const { base } = this.#change;
    const before = base === null ? null : readAt(root, base, TIMINGS_FILE);
    return chooseMeasured(this.#change, readCosts(), before === null ? null : parseCosts(before), mayRun);
  }

  async runSteps(installing: ReadonlyMap<string, Promise<Outcome>>): Promise<void> {
    const before = this.#outcomes.length;
    const installs = [...installing.keys()].map(
      (name): Step => ({ name, needs: [], minutes: 0, work: { command: [] } }),
    );
    await this.#schedule([...installs, ...this.#listWanted()], [], installing);
    this.#settled = await this.#tries.judge(this.#outcomes.slice(before));
    const failed = new Set(this.#outcomes.flatMap(({ files }) => files.map(({ file }) => file)));
    const passed = this.#outcomes.flatMap(({ whole = [] }) => whole.filter((file) => !failed.has(file)));
    for (const file of passed) this.#mainLine.settle(file);
  }

  /** Returns the cores that a step keeps busy, by what it took last beside others. A new one may take them all. */
  #expectShare(name: string): number {
    return Math.max(SHARE_MIN, this.#times[name]?.cores ?? availableParallelism());
  }

  /** Returns the files of a step that the gate hasn't run in the same way. */
  #listLeft({ name, work }: Step): readonly string[] {
    const isDue = (file: string) => this.#due.has(name, file) || this.#mainLine.owed.has(file);
    const files = (this.#files.get(name) ?? []).filter(isDue);
    const isOtherWay = work.onBinary || ("under" in work && work.importing !== undefined);
    return isOtherWay ? files : files.filter((file) => !this.#ran.has(file));
  }

  async #schedule(
    steps: readonly Step[],
    near: readonly string[] = [],
    installing: ReadonlyMap<string, Promise<Outcome>> = new Map(),
  ): Promise<void> {
    const listFiles = (step: Step) => (step.name === NEAR ? near : this.#listLeft(step));
    // Installs have begun before.
    const shareOf = ({ name }: Step) => (installing.has(name) ? 0 : this.#expectShare(name));
    const tasks = steps.map((step) => ({
      ...step,
      cpu: shareOf(step),
    }));
    await schedule(tasks, {
      room: ROOM,
      ended: new Set(),
      expect: ({ name }) => this.#times[name]?.seconds ?? UNKNOWN_SECONDS,
      run: async (step) => {
        const outcome = await (installing.get(step.name) ?? this.#runOne(step, listFiles(step)));
        this.#outcomes.push(outcome);
        print(describeOutcome(outcome, this.#yardstick));
      },
    });
  }

  async #runOne(step: Step, files: readonly string[]): Promise<Outcome> {
    const red = this.#outcomes.find(
      ({ name, failed }) => failed > 0 && this.#isStep(name) && step.needs.includes(name),
    );
    if (red !== undefined) {
      const text = `error: ${red.name} failed`;
      return { name: step.name, passed: 0, failed: 1, files: [], seconds: 0, cpu: 0, text };
    }
    print(`== ${step.name}${this.#due.describe(step.name, files.length)}`);
    const busy = this.#outcomes.find((one) => one.busy !== undefined)?.busy ?? null;
    return runStep(step, files, { ...this.#wish, busy });
  }

  finish(idleShare: number, orphans: number): Sum {
    const { settled, faults } = this.#settled;
    if (this.isRed) print(listFailures(this.#outcomes));
    print(writeTable(this.#outcomes, this.#yardstick));
    const cpu = sum(this.#outcomes.map((one) => one.cpu)) + orphans;
    print(
      `${this.#yardstick.describe(cpu)}; in ${(idleShare * 100).toFixed(0)} % of the time fewer processes could run than there are cores.`,
    );
    if (this.#wish.keepsTimes) {
      writeStepTimes({ ...this.#times, ...listTimes(this.#outcomes, this.#yardstick) });
    }
    const passed = sum(this.#outcomes.map((one) => one.passed)) + settled;
    const failed = sum(this.#outcomes.map((one) => one.failed)) - settled + faults;
    return { passed, failed };
  }
}
