// The skills for which a model's quality is rated, and the kinds of tasks that call for them.

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

/** A task is mostly of one of these kinds: of one that calls for a skill alone, or of everyday use. */
export const KINDS = [
  ...SKILLS,
  "extraction",
  "mail",
  "sql",
  "translation",
  "chat",
  "summary",
  "document",
  "classification",
  "creative",
  "agent",
] as const;
export type TaskKind = (typeof KINDS)[number];

/** The probability of a good answer by kind of task, 0…1. */
export type SkillRow = Readonly<Partial<Record<Skill, number>>>;
