// Reads the operator's file of benchmark results, which are newer than the built-in ones.
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { asArray, asObject, asString, parseJson } from "../../core/json/json.ts";
import type { Benchmark } from "../../core/models/benchmark.ts";
import { SKILLS } from "../../core/models/skill.ts";
import { formatField, type Issues } from "../errors.ts";
import { day, number, options, section, text } from "../field-types.ts";
import { describeUnread, type Environment } from "../interpolate.ts";
import { listIssues } from "../validate.ts";
import { modelId } from "./model-schema.ts";

const ROWS_MAX = 20_000;
const PROFILES_BYTES_MAX = 16_000_000;

/** A share of exactly 0 or 1 would mean infinite odds. */
const chance = number(0.001, 0.999);
const bySkill = (about: string) => options(Object.fromEntries(SKILLS.map((skill) => [skill, chance])), about);
const row = section(
  {
    id: modelId,
    source: text("the benchmark's name", /^[^\p{C}]{1,100}$/u),
    date: day,
    skills: bySkill("The chance of a good answer by kind of task."),
    spreads: Type.Optional(bySkill("The standard deviations of the skills.")),
  },
  "A model's results in a benchmark.",
);
const file = section(
  { rows: Type.Array(row, { minItems: 1, maxItems: ROWS_MAX, expected: "a list of results" }) },
  "Results of benchmarks.",
);

/** Reads the file that the field `profiles` names, if any. Reports the first thing that is wrong with it. */
export function readProfilesFile(
  name: string | undefined,
  readFile: Environment["readFile"],
  issues: Issues,
): ReadonlyMap<string, Benchmark> {
  const found = new Map<string, Benchmark>();
  if (name === undefined) return found;
  const wrong = (what: string) => issues.atValue(["profiles"], `${name}: ${what}`);
  try {
    const value = parseJson(readFile(name, PROFILES_BYTES_MAX));
    if (Value.Check(file, value)) {
      for (const { id, source, date, skills, spreads = {} } of value.rows) {
        if (found.has(id)) wrong(`${id} is listed twice`);
        if (Object.keys(skills).length === 0) wrong(`${id} has no skills`);
        found.set(id, { source, date, skills, spreads });
      }
      return found;
    }
    const [issue] = value === undefined ? [] : listIssues(file, value);
    wrong(issue ? `${nameRow(issue.path, value)}${issue.message}` : "the file is not valid JSON");
  } catch (thrown) {
    wrong(`the file ${describeUnread(thrown)}`);
  }
  return found;
}

/** The place of a mistake as people look for it: by the model's id. */
function nameRow(path: readonly (string | number)[], value: unknown): string {
  const [, at] = path;
  const id = at === undefined ? undefined : asString(asObject(asArray(asObject(value).rows)[Number(at)]).id);
  const place = path.length === 0 ? "" : `${formatField(path)}${id === undefined ? "" : ` (${id})`}: `;
  return place;
}
