// The place where the answers of a provider say what they cost.

/** The names that lead to a field of an answer, from the outermost. */
export type FieldPath = readonly string[];

/** Has a field, a header, or both: then the field counts where the header is missing, as in streams. */
export interface CostReport {
  /** The field with the cost. Missing if no field has it. */
  readonly field?: FieldPath;
  /** The header with the cost, which counts on whole answers alone. Missing if no header has it. */
  readonly header?: string;
  /** The number of reported units that make a dollar. */
  readonly perUsd: number;
  /** A part of the cost that stands in another field, if a third one is true. */
  readonly adds?: { readonly field: FieldPath; readonly where: FieldPath };
}

/** The cost in USD, as most answers that report any have it. */
export const USUAL_REPORT: CostReport = { field: ["usage", "cost"], perUsd: 1 };
