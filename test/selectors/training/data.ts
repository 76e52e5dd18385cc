// The public rows of ../shared/data/router: prompts, and each model's score on them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { TOPICS, type Topic } from "../../../src/selectors/text/topics.ts";
import { findBeside } from "../../harness/beside.ts";
import { choosePart } from "../dice.ts";

/** Empty if they aren't there. */
export const DATA = findBeside("router") ?? "";

export const POOLS = ["llmrouter9", "zeroeval", "mmlu_pro", "reasoning_gym", "routellm"] as const;
export type Pool = (typeof POOLS)[number];

export interface Row {
  readonly pool: Pool;
  readonly id: string;
  /** The data set, without its split. */
  readonly set: string;
  readonly prompt: string;
  readonly topic: Topic;
  /** One for each of the pool's models, in order. NaN if not run. */
  readonly scores: Float32Array;
  /** The approximate length of each answer in tokens. NaN if unknown. */
  readonly tokens: Float32Array | null;
  /** 0…3, by the question's text. Rows of part 3 are never trained on. */
  readonly part: number;
}

export interface Table {
  readonly pool: Pool;
  readonly models: readonly string[];
  readonly rows: readonly Row[];
}

export const PARTS = 4;
export const TEST_PART = 3;
/** True for the published trial's questions. Labels come from its other parts. */
export function isTrial({ pool, part }: Row): boolean {
  return pool === "routellm" && part >= 2;
}
const CHARS_PER_TOKEN = 3.6;

const TOPIC_OF_SET: Readonly<Record<string, Topic>> = {
  gsm8k: "word_problem",
  "agentverse-mgsm": "word_problem",
  "zeroeval/gsm": "word_problem",
  "zeroeval/math-l5": "competition_math",
  trivia_qa: "trivia",
  natural_qa: "trivia",
  commonsense_qa: "everyday_sense",
  openbook_qa: "everyday_sense",
  arc_challenge: "school_science",
  gpqa: "hard_science",
  mbpp: "coding",
  human_eval: "coding",
  commongen: "sentences",
  logicgrid: "games",
  mmlu: "reading",
  "mmlu_pro/physics": "physics",
  "mmlu_pro/chemistry": "chemistry",
  "mmlu_pro/math": "competition_math",
  "mmlu_pro/other": "general",
  "mmlu_pro/economics": "economics",
  "mmlu_pro/business": "business",
  "mmlu_pro/health": "health",
  "mmlu_pro/biology": "biology",
  "mmlu_pro/philosophy": "philosophy",
  "mmlu_pro/history": "history",
  "mmlu_pro/computer science": "computing",
  ...exams(),
  "rg/algorithmic": "procedures",
  "rg/arithmetic": "arithmetic",
  "rg/games": "games",
  "rg/cognition": "patterns",
  "rg/algebra": "competition_math",
  "rg/arc": "patterns",
  "rg/code": "code_tracing",
  "rg/geometry": "arithmetic",
};

/** Subjects of RouteLLM's exam. */
function exams(): Readonly<Record<string, Topic>> {
  const subjects: Readonly<Partial<Record<Topic, string>>> = {
    competition_math: "abstract_algebra high_school_mathematics",
    statistics: "high_school_statistics",
    physics: "conceptual_physics",
    chemistry: "high_school_chemistry",
    biology: "high_school_biology",
    genetics: "medical_genetics",
    medicine: "anatomy clinical_knowledge",
    diagnosis: "professional_medicine",
    nutrition: "nutrition",
    health: "human_aging human_sexuality",
    astronomy: "astronomy",
    engineering: "electrical_engineering",
    computing: "computer_security high_school_computer_science",
    machine_learning: "machine_learning",
    economics: "high_school_macroeconomics high_school_microeconomics",
    accounting: "professional_accounting",
    management: "business_ethics management",
    communication: "public_relations",
    psychology: "high_school_psychology professional_psychology",
    sociology: "sociology",
    politics: "high_school_government_and_politics",
    defence: "security_studies",
    geography: "high_school_geography",
    history: "high_school_european_history high_school_us_history high_school_world_history",
    prehistory: "prehistory",
    religion: "world_religions",
    philosophy: "philosophy",
    ethics: "moral_disputes",
    logic: "logical_fallacies",
    law: "international_law",
  };
  return Object.fromEntries(
    TOPICS.flatMap((topic) => (subjects[topic]?.split(" ") ?? []).map((name) => [`mmlu/${name}`, topic])),
  );
}

export function hasData(): boolean {
  return existsSync(DATA);
}

function textOfFile(path: string): string {
  return gunzipSync(readFileSync(join(DATA, path))).toString("utf8");
}

export function readTable(pool: Pool): Table {
  const scores = csvOf(`${pool}/scores.csv.gz`);
  const tokens = existsSync(join(DATA, `${pool}/outchars.csv.gz`)) ? csvOf(`${pool}/outchars.csv.gz`) : null;
  const rows: Row[] = [];
  for (const line of textOfFile(`${pool}/prompts.jsonl.gz`).split("\n")) {
    if (line === "") continue;
    const parsed: { id: string | number; ds: string; prompt: string } = JSON.parse(line);
    const { ds, prompt } = parsed;
    const id = String(parsed.id);
    const values = scores.rows.get(id);
    if (values === undefined) continue;
    const set = setOf(pool, ds);
    rows.push({
      pool,
      id,
      set,
      prompt,
      topic: TOPIC_OF_SET[set] ?? "general",
      scores: values,
      tokens: tokens?.rows.get(id)?.map((chars) => chars / CHARS_PER_TOKEN) ?? null,
      part: choosePart(pool === "reasoning_gym" ? prompt : hashPrompt(prompt), PARTS),
    });
  }
  return { pool, models: scores.columns, rows };
}

/** The task itself for puzzles (`rg/games`), the subject for exams. */
function setOf(pool: Pool, ds: string): string {
  if (pool === "llmrouter9") return ds.slice(0, ds.indexOf("/"));
  if (pool === "reasoning_gym") return `rg/${ds.split("/")[1]}`;
  return ds;
}

/** Hashes the letters of the question without its options, so that the same question in two sets is equal. */
export function hashPrompt(prompt: string): string {
  const stem = prompt.split(/\n\s*(?:A[.)]|Options)/)[0] ?? prompt;
  return stem
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "")
    .slice(0, 160);
}

function csvOf(path: string): { columns: readonly string[]; rows: ReadonlyMap<string, Float32Array> } {
  const [head = "", ...lines] = textOfFile(path).trim().split("\n");
  const columns = head.trim().split(",").slice(1);
  const rows = new Map<string, Float32Array>();
  for (const line of lines) {
    const cells = cellsOf(line.trim());
    const id = cells[0] ?? "";
    rows.set(
      id,
      Float32Array.from(columns, (_, at) => (cells[at + 1] ? Number(cells[at + 1]) : Number.NaN)),
    );
  }
  return { columns, rows };
}

function cellsOf(line: string): readonly string[] {
  if (!line.startsWith('"')) return line.split(",");
  const end = line.indexOf('",');
  return [line.slice(1, end).replaceAll('""', '"'), ...line.slice(end + 2).split(",")];
}
