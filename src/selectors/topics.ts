// The kinds of tasks that the predictor distinguishes, and the skills that each calls for.
import { SKILLS, type Skill } from "../core/skill.ts";

/** Topic → the skills it calls for and their shares, which sum to 1. */
const SKILL_SHARES = {
  word_problem: { math: 0.8, reasoning: 0.2 },
  competition_math: { math: 0.9, reasoning: 0.1 },
  arithmetic: { math: 0.7, reasoning: 0.3 },
  physics: { science: 0.6, math: 0.4 },
  chemistry: { science: 0.7, math: 0.3 },
  biology: { science: 0.6, knowledge: 0.4 },
  health: { knowledge: 0.6, science: 0.4 },
  economics: { knowledge: 0.7, reasoning: 0.3 },
  business: { math: 0.4, knowledge: 0.6 },
  history: { knowledge: 1 },
  medicine: { knowledge: 0.6, science: 0.4 },
  diagnosis: { knowledge: 0.5, science: 0.3, reasoning: 0.2 },
  genetics: { science: 0.7, knowledge: 0.3 },
  nutrition: { knowledge: 0.7, science: 0.3 },
  astronomy: { science: 0.7, knowledge: 0.3 },
  engineering: { science: 0.7, math: 0.3 },
  statistics: { math: 0.8, reasoning: 0.2 },
  machine_learning: { science: 0.4, coding: 0.3, knowledge: 0.3 },
  accounting: { math: 0.5, knowledge: 0.5 },
  management: { knowledge: 1 },
  communication: { knowledge: 1 },
  psychology: { knowledge: 0.9, science: 0.1 },
  sociology: { knowledge: 1 },
  politics: { knowledge: 1 },
  defence: { knowledge: 1 },
  geography: { knowledge: 1 },
  prehistory: { knowledge: 1 },
  religion: { knowledge: 1 },
  ethics: { knowledge: 0.6, reasoning: 0.4 },
  logic: { reasoning: 0.6, knowledge: 0.4 },
  law: { knowledge: 0.8, reasoning: 0.2 },
  philosophy: { knowledge: 0.7, reasoning: 0.3 },
  computing: { science: 0.3, coding: 0.4, knowledge: 0.3 },
  general: { knowledge: 1 },
  hard_science: { science: 0.8, reasoning: 0.2 },
  trivia: { knowledge: 1 },
  everyday_sense: { knowledge: 0.5, reasoning: 0.5 },
  school_science: { science: 0.6, knowledge: 0.4 },
  reading: { language: 0.5, knowledge: 0.2, reasoning: 0.3 },
  coding: { coding: 1 },
  debugging: { coding: 1 },
  code_tracing: { coding: 0.5, reasoning: 0.5 },
  procedures: { reasoning: 0.8, data: 0.2 },
  games: { reasoning: 1 },
  patterns: { reasoning: 1 },
  sentences: { language: 0.6, instruction: 0.4 },
  translation: { language: 1 },
  writing: { language: 0.7, instruction: 0.3 },
  editing: { language: 0.8, instruction: 0.2 },
  extraction: { data: 0.8, instruction: 0.2 },
  analysis: { data: 0.7, coding: 0.2, reasoning: 0.1 },
  rules: { instruction: 0.9, language: 0.1 },
  chat: { language: 0.5, instruction: 0.3, knowledge: 0.2 },
  advice: { knowledge: 0.7, instruction: 0.3 },
  agents: { tools: 0.8, coding: 0.2 },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<Skill, number>>>>>;

export type Topic = keyof typeof SKILL_SHARES;

export const TOPICS: readonly Topic[] = Object.keys(SKILL_SHARES).filter(
  (name): name is Topic => name in SKILL_SHARES,
);

/** Per topic, the share of each skill in the order of SKILLS. */
const SHARES: readonly (readonly number[])[] = TOPICS.map((topic) => {
  const shares: Readonly<Partial<Record<Skill, number>>> = SKILL_SHARES[topic];
  return SKILLS.map((skill) => shares[skill] ?? 0);
});

/** Returns the mixture of skills, in the order of SKILLS, that a mixture of topics calls for. */
export function weighSkills(topics: ArrayLike<number>): number[] {
  const skills = SKILLS.map(() => 0);
  for (const [at, shares] of SHARES.entries()) {
    const weight = topics[at] ?? 0;
    for (const [skill, share] of shares.entries()) skills[skill] = (skills[skill] ?? 0) + weight * share;
  }
  return skills;
}
