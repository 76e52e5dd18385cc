// `poundkey route --sample N`: models answer the same prompts, side by side and without names, and a person or a judge
// model scores the answers, which the selectors learn.
import { readInput } from "../../admin/input.ts";
import { planSampleSchema, type Sampling } from "../../admin/models/sampling.ts";
import { startGateway } from "../../app/composition.ts";
import { openStore } from "../../app/start/open-store.ts";
import { addSimulator } from "../../app/start/simulated.ts";
import { asObject, isObject, parseJson } from "../../core/json/json.ts";
import type { Settings } from "../../core/settings.ts";
import { startSimulator } from "../../simulator/server.ts";
import { formatCount, formatJson } from "../administration.ts";
import { type Arguments, readInteger, UsageError } from "../arguments.ts";
import { readInputFile } from "../input-file.ts";
import { Keys } from "../key-press.ts";
import { formatTable } from "../table.ts";
import { type LessonCall, refitLessons } from "./lessons.ts";

const PROMPTS_MAX = 1000;
const LOG = "log";
const BUDGET_USED = "the budget is used up";
/** The scores of the keys 1 to 5. */
const SCORES = [0, 0.25, 0.5, 0.75, 1] as const;
const LETTERS = "ABCDEFGH";
const RULE = "─".repeat(72);

interface SampleCall extends Arguments, LessonCall {}
type SamplingPlan = Awaited<ReturnType<Sampling["plan"]>>;
type SampledAnswers = Awaited<ReturnType<Sampling["ask"]>>["answers"];
type Scores = Parameters<Sampling["score"]>[0]["scores"];

/** Runs a gateway of its own on the store, beside those that may be running, so that each call is booked as usual. */
export async function sampleAnswers(call: SampleCall): Promise<void> {
  const task = readTask(call);
  const simulator = call.switches.has("simulate")
    ? await startSimulator({ host: "127.0.0.1", port: 0 })
    : null;
  const settings = simulator === null ? call.settings : addSimulator(call.settings, simulator.url);
  const opened = await openStore(settings.store, process.env.POUNDKEY_MASTER_KEY, "find");
  const server = { ...settings.server, host: "127.0.0.1", port: 0 };
  const gateway = await startGateway({
    settings: { ...settings, server },
    opened,
    configSchema: () => ({}),
    reusePort: false,
    noticeMs: 0,
    log: () => {},
  });
  try {
    const learned = await runSession(call, gateway.sampling, task);
    if (learned > 0) await refitLessons(opened.store, call);
  } finally {
    await gateway.stop();
    await simulator?.stop();
  }
}

/** Samples at a gateway elsewhere, which reads what it learned by itself. */
export async function sampleThere(call: SampleCall, sampling: Sampling): Promise<void> {
  if (call.switches.has("simulate"))
    throw new UsageError(
      "--simulate has no effect with --gateway: it has the providers of its configuration",
    );
  // The log is the gateway's, which says itself whether it has prompts.
  const settings = { ...call.settings, log: { ...call.settings.log, content: true } };
  await runSession(call, sampling, readTask({ ...call, settings }));
}

type SampleTask = ReturnType<typeof readTask>;

/** Checked before anything starts, as the route checks it. */
function readTask(call: SampleCall) {
  const prompts = readInteger(call, "sample", 1, PROMPTS_MAX) ?? 1;
  const budget = readBudget(call.values.get("budget"));
  const messages = readPrompts(call.values.get("from") ?? LOG, call.settings);
  const judge = call.values.get("judge");
  const models = readModels(call.values.get("models"));
  const input = readInput(planSampleSchema, { prompts, judge, models });
  return { budget, judge, asked: { ...input, ...(messages === null ? {} : { messages }) } };
}

/** Returns how many scores were learned. */
async function runSession(
  call: SampleCall,
  sampling: Sampling,
  { asked, budget, judge }: SampleTask,
): Promise<number> {
  const keys = new Keys();
  try {
    const session = new SampleSession(call, sampling, keys, {
      plan: await sampling.plan(asked),
      budget,
      judge,
    });
    await session.run();
    return session.learned;
  } finally {
    keys.close();
  }
}

interface SamplingTask {
  readonly plan: SamplingPlan;
  readonly budget: number;
  readonly judge: string | undefined;
}

class SampleSession {
  readonly #call: SampleCall;
  readonly #sampling: Sampling;
  readonly #keys: Keys;
  readonly #task: SamplingTask;
  readonly #scores = new Map<string, number[]>();
  #asking: Promise<SampledAnswers | null> = Promise.resolve(null);
  #spent = 0;
  #prompts = 0;
  learned = 0;

  constructor(call: SampleCall, sampling: Sampling, keys: Keys, task: SamplingTask) {
    this.#call = call;
    this.#sampling = sampling;
    this.#keys = keys;
    this.#task = task;
  }

  /** Each prompt's scores are learned before the next is shown, so what was scored stays if the session is ended. */
  async run(): Promise<void> {
    if (!(await this.#confirm())) return this.#finish("nothing was asked");
    this.#asking = this.#ask(0);
    for (const at of this.#task.plan.prompts.keys()) {
      const end = await this.#score(at);
      if (end !== null) return this.#finish(end);
    }
    return this.#finish("all prompts were asked");
  }

  /** Has the answers to a prompt scored. Returns why the session ends. Null if it goes on. */
  async #score(at: number): Promise<string | null> {
    const { plan, judge } = this.#task;
    const answers = await this.#asking;
    if (answers === null) return BUDGET_USED;
    // A person reads while the next prompt is answered. A judge's own cost comes first.
    if (judge === undefined) this.#asking = this.#ask(at + 1);
    const scores =
      judge === undefined ? await this.#show(at, answers) : await this.#judge(judge, at, answers);
    if (typeof scores === "string") return scores;
    if (scores.length > 0) await this.#learn(plan.prompts[at]?.messages ?? [], scores);
    if (judge !== undefined) this.#asking = this.#ask(at + 1);
    return null;
  }

  async #confirm(): Promise<boolean> {
    const { plan, budget, judge } = this.#task;
    const { io, switches } = this.#call;
    const by = judge === undefined ? "you score the answers" : `${judge} scores the answers, in both orders`;
    io.err(
      [
        `${formatCount(plan.prompts.length, "prompt")} to ${plan.models.join(", ")}; ${by}.`,
        ...(plan.known > 0 ? [`${formatCount(plan.known, "prompt")} left out, scored before.`] : []),
        `Expected cost: ${formatCost(plan.cost_usd)}, at most the budget of $${budget}.`,
      ].join("\n"),
    );
    if (plan.prompts.length === 0) return false;
    if (switches.has("yes")) return true;
    io.err("Go on? [y/n]");
    return (await this.#keys.next("yn")) === "y";
  }

  /** Null if the answers could exceed the budget, or there are no more prompts. */
  async #ask(at: number): Promise<SampledAnswers | null> {
    const { plan, budget } = this.#task;
    const messages = plan.prompts[at]?.messages;
    if (messages === undefined) return null;
    const asked = { messages, models: [...plan.models], max_cost_usd: Math.max(0, budget - this.#spent) };
    const { answers, cost_usd } = await this.#sampling.ask(asked);
    this.#spent += cost_usd;
    return answers.length === 0 ? null : answers;
  }

  async #show(at: number, answers: SampledAnswers): Promise<Scores | string> {
    const { plan } = this.#task;
    const { io } = this.#call;
    io.err(
      `\n${RULE}\nPrompt ${at + 1} of ${plan.prompts.length}\n\n${formatMessages(plan.prompts[at]?.messages)}`,
    );
    const scores: Scores[number][] = [];
    const shown = answers.filter(({ text }) => text !== null);
    for (const [place, { text }] of shown.entries()) io.err(`\n${RULE}\n${LETTERS[place]}\n\n${text}`);
    for (const [place, { answer }] of shown.entries()) {
      io.err(`\n${LETTERS[place]}: 1 (useless) to 5 (could not be better), s skips this prompt, q ends:`);
      const key = await this.#keys.next("12345sq");
      if (key === null || key === "q") return "ended";
      if (key === "s") return [];
      scores.push({ answer, score: SCORES[Number(key) - 1] ?? 0 });
    }
    return scores;
  }

  async #judge(judge: string, at: number, answers: SampledAnswers): Promise<Scores | string> {
    const { plan, budget } = this.#task;
    const given = answers.flatMap(({ answer, text }) => (text === null ? [] : [{ answer, text }]));
    const messages = plan.prompts[at]?.messages;
    if (messages === undefined || given.length < 2) return [];
    const asked = { messages, judge, answers: given, max_cost_usd: Math.max(0, budget - this.#spent) };
    const { scores, cost_usd } = await this.#sampling.judge(asked);
    this.#spent += cost_usd;
    if (scores.length === 0 && cost_usd === 0) return BUDGET_USED;
    const sure = scores.flatMap(({ answer, score }) => (score === null ? [] : [{ answer, score }]));
    const unsure = given.length - sure.length;
    const words = unsure === 0 ? "scored" : `${unsure} left out, as the order of the answers decided`;
    this.#call.io.err(
      `Prompt ${at + 1} of ${plan.prompts.length}: ${words}; ${formatCost(this.#spent)} so far`,
    );
    return sure;
  }

  async #learn(messages: SamplingPlan["prompts"][number]["messages"], scores: Scores): Promise<void> {
    const { learned, models } = await this.#sampling.score({ messages, scores });
    this.learned += learned;
    this.#prompts++;
    for (const { model, score } of models)
      this.#scores.set(model, [...(this.#scores.get(model) ?? []), score]);
  }

  /** Only now are the models named: who knows them would no longer score the answers alone. */
  async #finish(why: string): Promise<void> {
    // A prompt that is asked ahead costs as well.
    await this.#asking;
    const { io, json } = this.#call;
    const { judge } = this.#task;
    const means = [...this.#scores].map(([model, scores]) => ({
      model,
      score: scores.reduce((sum, one) => sum + one, 0) / scores.length,
      answers: scores.length,
    }));
    means.sort((a, b) => b.score - a.score);
    const data = {
      prompts: this.#prompts,
      learned: this.learned,
      cost_usd: this.#spent,
      judge: judge ?? null,
    };
    if (json) {
      io.out(formatJson({ ...data, ended: why, models: means }));
      return;
    }
    const rows = means.map(({ model, score, answers }) => [model, score.toFixed(2), String(answers)]);
    const scored = `Learned ${formatCount(this.learned, "score")} of ${formatCount(this.#prompts, "prompt")}`;
    io.out(
      [
        ...(rows.length > 0 ? [formatTable([["MODEL", "MEAN SCORE", "ANSWERS"], ...rows]), ""] : []),
        `${scored}, by ${judge === undefined ? "you" : `${judge} in both orders`}, for ${formatCost(this.#spent)}: ${why}.`,
      ].join("\n"),
    );
  }
}

function readBudget(text: string | undefined): number {
  if (text === undefined) throw new UsageError("--sample needs --budget USD");
  const usd = text.trim() === "" ? Number.NaN : Number(text);
  if (usd > 0 && Number.isFinite(usd)) return usd;
  throw new UsageError("--budget must be an amount in USD above 0");
}

function readModels(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
}

/** Reads a prompt per line: a text, or JSON with `prompt` or `messages`. Null for the log. */
function readPrompts(from: string, { log }: Settings) {
  if (from === LOG) {
    if (log.content) return null;
    throw new UsageError("--from log needs log.content: true; name a file of prompts instead");
  }
  const lines = readInputFile(from).toString("utf8").split("\n");
  return lines.flatMap((line, at) =>
    line.trim() === "" ? [] : [readLine(line.trim(), `${from}:${at + 1}`)],
  );
}

function readLine(line: string, place: string) {
  const value = line.startsWith("{") ? parseJson(line) : { prompt: line };
  const { prompt, messages } = asObject(value);
  if (typeof prompt === "string") return [{ role: "user", content: prompt }];
  if (Array.isArray(messages) && messages.length > 0 && messages.every(isObject)) return messages;
  throw new UsageError(`${place}: expected a text, or JSON with 'prompt' or 'messages'`);
}

function formatMessages(messages: SamplingPlan["prompts"][number]["messages"] = []): string {
  return messages
    .map(({ role, content }) => {
      const text = typeof content === "string" ? content : JSON.stringify(content);
      return messages.length === 1 ? text : `[${role}] ${text}`;
    })
    .join("\n");
}

function formatCost(usd: number): string {
  return `$${usd.toFixed(4)}`;
}
