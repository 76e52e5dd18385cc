// All detectors, in the order of the manual's list: of findings of the same length, the first counts.
import { type Detector, GROUP_NAMES, type GroupName } from "./detector.ts";
import { CARD } from "./detectors/card.ts";
import { EMAIL } from "./detectors/email.ts";
import { PREFIXED } from "./detectors/prefixed.ts";

export const DETECTORS: readonly Detector[] = [...PREFIXED.values(), EMAIL, CARD];

/** The names of each group's detectors, in their order. */
export const GROUPS: ReadonlyMap<GroupName, readonly string[]> = new Map(
  GROUP_NAMES.map((group) => [group, DETECTORS.filter((row) => row.group === group).map(({ name }) => name)]),
);
