// Compares what is known of each model's skills under two configurations.
import { type CardChange, type Cards, type FieldChange, listKnown } from "../../catalogue/compare.ts";
import { SKILLS } from "../../core/models/skill.ts";
import { findProfile, type Profile } from "../../selectors/profiles.ts";

const DIGITS = 3;

/** Returns the models of both whose skills, or where these come from, differ. */
export function compareProfiles(before: Cards, after: Cards): readonly CardChange[] {
  const old = listKnown(before);
  return [...listKnown(after)].flatMap(([id, card]): readonly CardChange[] => {
    const known = old.get(id);
    const fields = known === undefined ? [] : compareFields(findProfile(known), findProfile(card));
    return fields.length === 0 ? [] : [{ id, kind: "changed", fields }];
  });
}

/** Adds the changes of skills to those of other fields. */
export function joinChanges(
  ofFields: readonly CardChange[],
  ofSkills: readonly CardChange[],
): readonly CardChange[] {
  const joined = new Map(ofFields.map((change) => [change.id, change]));
  for (const change of ofSkills) {
    const known = joined.get(change.id) ?? { ...change, fields: [] };
    joined.set(change.id, { ...known, fields: [...known.fields, ...change.fields] });
  }
  return [...joined.values()];
}

/** Describes the rows of a file of benchmarks that change nothing: of unknown models, or older than the built-in ones. */
export function listIgnored({ benchmarks = new Map(), ...cards }: Cards): readonly string[] {
  const known = listKnown({ ...cards, benchmarks });
  return [...benchmarks].flatMap(([id, { date }]) => {
    const card = known.get(id);
    if (card === undefined) return [`${id} is ignored: no model has this id`];
    const { source, asOf } = findProfile(card);
    if (source === "skills") return [`${id} is ignored: the configuration sets its skills`];
    return asOf === date ? [] : [`${id} is ignored: the built-in results of ${asOf} are newer`];
  });
}

function compareFields(before: Profile, after: Profile): readonly FieldChange[] {
  const changes = SKILLS.map((skill, at) => ({
    field: `skills.${skill}`,
    before: (before.skills[at] ?? 0).toFixed(DIGITS),
    after: (after.skills[at] ?? 0).toFixed(DIGITS),
  }));
  const known = { field: "known_by", before: describeSource(before), after: describeSource(after) };
  return [known, ...changes].filter((change) => change.before !== change.after);
}

function describeSource({ source, benchmark, asOf }: Profile): string {
  return [source, benchmark, asOf].filter((word) => word !== null).join(" ");
}
