// The audit of one day: its problems, each with the story of the request concerned.
import { auditAnswers } from "./answer-audit.ts";
import { auditBooks } from "./books-audit.ts";
import { type DayRecord, liveThrough } from "./day.ts";
import { Model } from "./model.ts";

/** A day's counts, which show that the simulation covers what it should. */
export interface Counts {
  requests: number;
  calls: number;
  answered: number;
  paid: number;
  replayed: number;
  lost: number;
  overruns: number;
  storeFaults: number;
}

export interface Finding {
  readonly seed: number;
  readonly problems: readonly string[];
  readonly counts: Counts;
}

const STORY_LINES_MAX = 60;

export async function auditDay(seed: number): Promise<Finding> {
  const day = await liveThrough(seed);
  try {
    const model = new Model(day.scenario);
    for (const event of day.events) model.take(event);
    const found = [
      ...day.wrongs.map((wrong) => `thrown: ${wrong}`),
      ...model.problems,
      ...auditBooks(day, model),
      ...auditAnswers(day, model),
    ];
    return { seed, problems: found.map((one) => withStory(day, one)), counts: countsOf(day, model) };
  } finally {
    day.dispose();
  }
}

function withStory({ story, scenario }: DayRecord, problem: string): string {
  const [id] = /chatcmpl-r\d+/.exec(problem) ?? [];
  const about =
    id === undefined
      ? []
      : story.filter((line) => `${line} `.includes(`${id} `) || !line.includes("chatcmpl"));
  const { quota, billing, nodes } = scenario;
  const rules = JSON.stringify({ ...quota, ...billing, nodes });
  return [problem, rules, ...about.slice(0, STORY_LINES_MAX)].join("\n    ");
}

function countsOf(day: DayRecord, model: Model): Counts {
  const seen = [...day.seen.values()];
  const rows = [...model.rows.values()];
  return {
    requests: seen.length,
    calls: day.calls.length,
    answered: seen.filter(({ whole }) => whole).length,
    paid: rows.filter(({ charged }) => charged > 0n).length,
    replayed: seen.filter(({ whole, facts }) => whole && facts.replayed).length,
    lost: rows.filter(({ settlement }) => settlement.record.ended === "lost").length,
    overruns: rows.filter(({ writtenOff }) => writtenOff > 0n).length,
    storeFaults: day.storeFaults,
  };
}
