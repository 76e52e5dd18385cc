// The outcome of a request, and the model and provider that it counts under.
import { FAULTS } from "../faults/fault.ts";
import { CLIENT_GONE, isError, type RequestOutcome, type RequestRecord } from "./record.ts";

/** Faults that are not the client's: a request that ends with one has failed, even if no provider could be called. */
const FAILURES: ReadonlySet<string> = new Set(
  Object.entries(FAULTS).flatMap(([code, { blame }]) => (blame === "client" ? [] : [code])),
);

export function findOutcome({
  status,
  attempts,
  faultCode,
}: Pick<RequestRecord, "status" | "attempts" | "faultCode">): RequestOutcome {
  if (status === CLIENT_GONE) return "left";
  if (!isError(status)) return "answered";
  return attempts > 0 || (faultCode !== null && FAILURES.has(faultCode)) ? "failed" : "refused";
}

type OutcomeModels = Pick<RequestRecord, "modelUsed" | "modelTried" | "modelPlanned" | "usageSource">;

/**
 * Returns the model that a request counts under: the one that answered or read a charged prompt, else the first of the
 * plan. Empty if there was no plan. Names that clients invent are cut, because they must not become permanent rows.
 */
export function findCountedModel({
  modelUsed,
  modelTried,
  modelPlanned,
  usageSource,
}: OutcomeModels): string {
  if (modelUsed !== null) return modelUsed;
  const charged = usageSource === "none" ? null : modelTried;
  return charged ?? modelPlanned ?? "";
}

/** Returns the provider that a request belongs to: the one last called, else the first of the plan. Empty if unknown. */
export function findProvider({
  modelUsed,
  modelTried,
  modelPlanned,
}: Pick<OutcomeModels, "modelUsed" | "modelTried" | "modelPlanned">): string {
  return readProvider(modelUsed ?? modelTried ?? modelPlanned ?? "");
}

/** Returns the part of a model's id before its first `#`. */
export function readProvider(model: string): string {
  return model.slice(0, Math.max(model.indexOf("#"), 0));
}
