// The kinds of failure that lead to a model's fallbacks.

/**
 * `failed`: the provider failed, limited its rate or refused the credential. `gone`: it doesn't have the model, or has no
 * longer. `overflow`: the request is too long for the model. `filter`: its content filter refused the request.
 * `refused`: it refused the request for another reason.
 */
export const FAILURE_KINDS = ["failed", "gone", "overflow", "filter", "refused"] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** The failures that lead to a fallback of which the operator gave only the name. */
export const USUAL_FAILURES: readonly FailureKind[] = ["failed", "gone"];
