// The kinds of tasks for which a model's quality is rated.

export const SKILLS = [
  "math",
  "coding",
  "reasoning",
  "science",
  "knowledge",
  "language",
  "data",
  "instruction",
  "tools",
] as const;
export type Skill = (typeof SKILLS)[number];

/** The probability of a good answer by kind of task, 0…1. */
export type SkillRow = Readonly<Partial<Record<Skill, number>>>;
