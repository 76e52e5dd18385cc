// Public benchmark rows as skills on one scale: log-odds around 0, in units of the current LiveBench's spread.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Skill } from "../../../src/core/models/skill.ts";
import { DATA } from "./data.ts";

export interface Measured {
  /** The source's name, without what isn't part of the model's. */
  readonly name: string;
  readonly skills: Readonly<Partial<Record<Skill, number>>>;
  readonly source: string;
  readonly date: string;
  /** The standard deviation of a skill estimated from such a row, on the same scale. */
  readonly spread: number;
}

const CATEGORY: Readonly<Record<string, Skill>> = {
  Reasoning: "reasoning",
  Coding: "coding",
  "Agentic Coding": "tools",
  Mathematics: "math",
  "Data Analysis": "data",
  Language: "language",
  IF: "instruction",
};
/** Newest first. Older tables are moved to the newer scale by the models they share. */
const TABLES = ["2026_01_08", "2025_12_23", "2025_11_25", "2025_05_30", "2025_04_25", "2024_11_25"] as const;
const LLMSTATS: Readonly<Record<string, Skill>> = {
  MMLU: "knowledge",
  "MMLU-Pro": "knowledge",
  SimpleQA: "knowledge",
  GPQA: "science",
  MATH: "math",
  GSM8K: "math",
  HumanEval: "coding",
  MBPP: "coding",
  LiveCodeBench: "coding",
  IFEval: "instruction",
  BFCL: "tools",
  DROP: "reasoning",
  BBH: "reasoning",
  MGSM: "language",
};
/** Efforts and run forms, which are not part of the model's name. A lower number is closer to a plain call. */
const EFFORTS: readonly (readonly [RegExp, number])[] = [
  [/-(medium|medium-effort|thinking-auto-medium-effort)$/, 1],
  [/-(high|high-effort|highthinking|thinking-auto-high-effort)$/, 2],
  [/-(base|nothinking|minimal)$/, 2.5],
  [/-(low|low-effort|thinking-auto-low-effort)$/, 3],
  [/-thinking-\d+k(-\w+-effort)?$|-thinking-\w+-effort$/, 4],
  [/-(xhigh|xhigh-effort|max-high)$/, 5],
];
const DATES = /-(20\d{6}|20\d\d-\d\d-\d\d|\d\d-\d\d(?=-|$)|\d\d-20\d\d|0309|0709|0825|0324)/g;

interface Run {
  readonly name: string;
  readonly effort: number;
  readonly skills: Record<string, number>;
}

export function logit(share: number): number {
  const safe = Math.min(0.985, Math.max(0.015, share));
  return Math.log(safe / (1 - safe));
}

/** The name without date and effort, and how far the effort is from the usual one. */
export function parseRun(model: string): { readonly name: string; readonly effort: number } {
  let name = model
    .toLowerCase()
    .replace(/-thinking-auto(?=-)/, "")
    .replace(/ \((.*)\)$/, "-$1")
    .replaceAll(" ", "-");
  const found = EFFORTS.find(([pattern]) => pattern.test(name));
  if (found !== undefined) name = name.replace(found[0], "");
  return { name: name.replace(DATES, "").replace(/-(preview|beta)(?=-|$)/g, ""), effort: found?.[1] ?? 0 };
}

export function measured(): readonly Measured[] {
  const found: Measured[] = [];
  const scale = new Map<string, Record<string, number>>();
  for (const table of TABLES) found.push(...liveBench(table, scale));
  found.push(...aider(scale), ...llmStats(scale));
  return found;
}

/** Each category in log-odds: mean 0 and spread 1 in the first table, aligned by shared models in the others. */
function liveBench(table: string, scale: Map<string, Record<string, number>>): Measured[] {
  const runs = runsOf(table);
  for (const category of Object.keys(CATEGORY)) {
    const own = runs.filter(({ skills }) => skills[category] !== undefined);
    if (own.length === 0) continue;
    const value = (run: Run) => run.skills[category] ?? 0;
    const shared = own.filter(({ name }) => scale.get(name)?.[category] !== undefined);
    const first = table === TABLES[0];
    if (!first && shared.length < 3) {
      for (const run of own) delete run.skills[category];
      continue;
    }
    const mean = averageFinite(own.map(value));
    const spread = first
      ? Math.sqrt(averageFinite(own.map((run) => (value(run) - mean) ** 2)))
      : (spreads.get(category) ?? 1);
    if (first) spreads.set(category, spread);
    const shift = first
      ? -mean / spread
      : averageFinite(shared.map((run) => (scale.get(run.name)?.[category] ?? 0) - value(run) / spread));
    for (const run of own) run.skills[category] = value(run) / spread + shift;
  }
  const best = new Map<string, Run>();
  for (const run of runs) if (run.effort < (best.get(run.name)?.effort ?? 99)) best.set(run.name, run);
  const date = table.replaceAll("_", "-");
  return [...best.values()].flatMap(({ name, skills }) => {
    if (scale.has(name) || Object.keys(skills).length === 0) return [];
    scale.set(name, skills);
    const named = Object.fromEntries(
      Object.entries(skills).map(([category, value]) => [CATEGORY[category] ?? category, value]),
    );
    return [{ name, skills: named, source: "LiveBench", date, spread: table === TABLES[0] ? 0.25 : 0.4 }];
  });
}
const spreads = new Map<string, number>();

function runsOf(table: string): Run[] {
  const [head = "", ...lines] = readFileSync(join(DATA, `profiles/livebench_table_${table}.csv`), "utf8")
    .trim()
    .split("\n");
  const columns = head.trim().split(",");
  const path = join(DATA, `profiles/livebench_categories_${table}.json`);
  const categories: Record<string, string[]> = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  return lines.map((line) => {
    const cells = line.trim().split(",");
    const skills: Record<string, number> = {};
    for (const [category, tasks] of Object.entries(categories)) {
      if (CATEGORY[category] === undefined) continue;
      const values = tasks
        .map((task) => cells[columns.indexOf(task)])
        .filter((cell) => cell !== undefined && cell !== "");
      if (values.length > 0) skills[category] = logit(averageFinite(values.map(Number)) / 100);
    }
    return { ...parseRun(cells[0] ?? ""), skills };
  });
}

/** Pass rates of edits in six languages, moved to the scale of LiveBench's coding by shared models. */
function aider(scale: ReadonlyMap<string, Record<string, number>>): Measured[] {
  const text = readFileSync(join(DATA, "profiles/aider_polyglot_leaderboard.yml"), "utf8");
  const runs = text.split(/^- dirname/m).flatMap((block) => {
    const model = /^ {2}model: (.+)$/m.exec(block)?.[1];
    const rate = Number(/^ {2}pass_rate_2: (.+)$/m.exec(block)?.[1]);
    const date = /^ {2}date: (.+)$/m.exec(block)?.[1] ?? "2025-01-01";
    if (model === undefined || model.includes("+") || Number.isNaN(rate)) return [];
    return [{ ...parseRun(model), value: logit(rate / 100) * 0.7, date }];
  });
  const shared = runs.filter(({ name }) => scale.get(name)?.Coding !== undefined);
  const shift = averageFinite(shared.map(({ name, value }) => (scale.get(name)?.Coding ?? 0) - value));
  return runs.map(({ name, value, date }) => ({
    name,
    skills: { coding: value + shift, tools: value + shift },
    source: "Aider polyglot",
    date,
    spread: 0.5,
  }));
}

interface StatsModel {
  readonly release_date?: string;
  readonly qualitative_metrics?: readonly { dataset_name: string; score: number }[];
}

/** Scores reported by the makers. Each benchmark is aligned by the shared models' overall level. */
function llmStats(scale: ReadonlyMap<string, Record<string, number>>): Measured[] {
  const lines = gunzipSync(readFileSync(join(DATA, "profiles/llmstats_models.jsonl.gz")))
    .toString("utf8")
    .trim()
    .split("\n");
  const models = lines.map((line) => {
    const { path, model }: { path: string; model: StatsModel } = JSON.parse(line);
    const name = parseRun(path.split("/")[2] ?? "").name.replace(/-(instruct|it)$/, "");
    return { name, model };
  });
  const known = new Map(
    [...scale].map(([name, skills]) => [name.replace(/-(instruct|it)(-turbo)?$|-turbo$/, ""), skills]),
  );
  const skillsOf = new Map(models.map(({ name }) => [name, new Map<Skill, number[]>()]));
  for (const [benchmark, skill] of Object.entries(LLMSTATS)) {
    const rows = models.flatMap(({ name, model }) => {
      const score = model.qualitative_metrics?.find(({ dataset_name }) => dataset_name === benchmark)?.score;
      return score === undefined || score > 1 ? [] : [{ name, value: logit(score) }];
    });
    const shared = rows.filter(({ name }) => known.has(name));
    if (shared.length < 4) continue;
    const levels = shared.map(({ name }) => averageFinite(Object.values(known.get(name) ?? {})));
    const mean = averageFinite(shared.map(({ value }) => value));
    const level = averageFinite(levels);
    const together = shared.reduce(
      (sum, { value }, at) => sum + (value - mean) * ((levels[at] ?? 0) - level),
      0,
    );
    const slope = Math.min(
      1.2,
      Math.max(0.3, together / shared.reduce((sum, { value }) => sum + (value - mean) ** 2, 0)),
    );
    for (const { name, value } of rows) {
      const skills = skillsOf.get(name);
      skills?.set(skill, [...(skills.get(skill) ?? []), level + slope * (value - mean)]);
    }
  }
  return models.flatMap(({ name, model }) => {
    const skills = Object.fromEntries(
      [...(skillsOf.get(name) ?? [])].map(([skill, values]) => [skill, averageFinite(values)]),
    );
    if (Object.keys(skills).length === 0) return [];
    return [{ name, skills, source: "LLMStats", date: model.release_date ?? "2025-02-01", spread: 0.6 }];
  });
}

export function averageFinite(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
