// The public sources of the rules by which the tests' providers refuse a request.
import SOURCES from "./sources.data.json" with { type: "json" };

/** A rule that has its row in the file. */
export type SourcedRule = keyof typeof SOURCES;

/** The addresses of the reports and pages that say so. */
export const RULE_SOURCES: Readonly<Record<string, readonly string[]>> = SOURCES;
