// A model's results in a benchmark, as chances of a good answer.
import type { SkillRow } from "./skill.ts";

export interface Benchmark {
  /** The benchmark's name. */
  readonly source: string;
  /** The day of the results, `YYYY-MM-DD`. */
  readonly date: string;
  /** By kind of task, 0…1. Those that it doesn't measure are missing. */
  readonly skills: SkillRow;
  /** Their standard deviations. */
  readonly spreads: SkillRow;
}
