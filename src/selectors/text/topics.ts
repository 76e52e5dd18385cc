// The kinds of tasks that the predictor distinguishes, and the skills that each calls for.
import { SKILLS, type Skill } from "../../core/models/skill.ts";
import skillShares from "./topics.data.json";

export type Topic = keyof typeof skillShares;

export const TOPICS: readonly Topic[] = Object.keys(skillShares).filter(
  (name): name is Topic => name in skillShares,
);

/** Per topic, the shares of the skills that it calls for, in the order of SKILLS. They sum to 1. */
const SHARES: readonly (readonly number[])[] = TOPICS.map((topic) => {
  const shares: Readonly<Partial<Record<Skill, number>>> = skillShares[topic];
  return SKILLS.map((skill) => shares[skill] ?? 0);
});

/** Returns the mixture of skills, in the order of SKILLS, that a mixture of topics calls for. */
export function weighSkills(topics: ArrayLike<number>): number[] {
  const skills = SKILLS.map(() => 0);
  for (let at = 0; at < SHARES.length; at++) {
    const shares = SHARES[at] ?? [];
    for (let skill = 0; skill < shares.length; skill++)
      skills[skill] = (skills[skill] ?? 0) + (topics[at] ?? 0) * (shares[skill] ?? 0);
  }
  return skills;
}
