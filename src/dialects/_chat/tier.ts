// The service tier of a request that asks for none.
import type { Target } from "../../core/models/dialect.ts";
import { isTierOpen } from "./outgoing.ts";

/**
 * Returns the field for a request that leaves the tier open. OpenAI API reference, `service_tier`: without it, and with
 * `auto`, the project's own setting applies, which may cost twice as much, and nothing in the request says so.
 */
export function askTier(
  value: unknown,
  { sendsTier }: Pick<Target, "sendsTier">,
): { service_tier?: "default" } {
  return sendsTier && isTierOpen(value) ? { service_tier: "default" } : {};
}
