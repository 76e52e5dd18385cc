// The kinds of tasks that a request may be of, and the skills that each calls for.
import { KINDS, SKILLS, type Skill, type TaskKind } from "../../core/models/skill.ts";

type Shares = Readonly<Partial<Record<Skill, number>>>;

/** The skills that everyday tasks call for. Shares of a kind sum to 1. */
const CALLED_FOR: Readonly<Record<Exclude<TaskKind, Skill>, Shares>> = {
  extraction: { data: 0.6, instruction: 0.4 },
  mail: { language: 0.6, instruction: 0.4 },
  sql: { coding: 0.6, data: 0.4 },
  translation: { language: 0.9, instruction: 0.1 },
  chat: { language: 0.5, instruction: 0.3, knowledge: 0.2 },
  summary: { language: 0.6, instruction: 0.3, reasoning: 0.1 },
  document: { language: 0.4, reasoning: 0.3, knowledge: 0.2, data: 0.1 },
  classification: { language: 0.4, instruction: 0.4, data: 0.2 },
  creative: { language: 0.7, instruction: 0.3 },
  agent: { tools: 0.7, coding: 0.3 },
};

/** By kind, the shares of SKILLS. */
const SHARES: readonly (readonly number[])[] = KINDS.map((kind) => {
  const shares: Shares = isSkill(kind) ? { [kind]: 1 } : CALLED_FOR[kind];
  return SKILLS.map((skill) => shares[skill] ?? 0);
});

function isSkill(kind: TaskKind): kind is Skill {
  return SKILLS.some((skill) => skill === kind);
}

/** Returns the shares of SKILLS that shares of KINDS call for. */
export function foldKinds(kinds: ArrayLike<number>): number[] {
  const skills = SKILLS.map(() => 0);
  for (let at = 0; at < SHARES.length; at++) {
    const shares = SHARES[at] ?? [];
    const own = kinds[at] ?? 0;
    for (let skill = 0; skill < shares.length; skill++)
      skills[skill] = (skills[skill] ?? 0) + own * (shares[skill] ?? 0);
  }
  return skills;
}

/** Tools that a request offers say little about its task, and so does the JSON that an answer has to be. */
const TOOLS_SHARE = 0.05;
const SCHEMA_SHARE = 0.15;
const TOOLS_AT = KINDS.indexOf("tools");
const DATA_AT = KINDS.indexOf("data");
const INSTRUCTION_AT = KINDS.indexOf("instruction");

/** Returns the shares of KINDS with what tools and a schema add. */
export function mixKinds(kinds: ArrayLike<number>, hasTools: boolean, hasSchema: boolean): readonly number[] {
  const tools = hasTools ? TOOLS_SHARE : 0;
  const schema = hasSchema ? SCHEMA_SHARE : 0;
  const mixed = KINDS.map((_, at) => (kinds[at] ?? 0) * (1 - tools - schema));
  const add = (at: number, share: number) => {
    mixed[at] = (mixed[at] ?? 0) + share;
  };
  add(TOOLS_AT, tools);
  add(DATA_AT, schema / 2);
  add(INSTRUCTION_AT, schema / 2);
  return mixed;
}
