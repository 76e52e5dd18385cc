// The kinds of tasks by which a model's quality is told apart.

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

/** Probability of a good answer by kind of task, 0…1. */
export type SkillRow = Readonly<Partial<Record<Skill, number>>>;
