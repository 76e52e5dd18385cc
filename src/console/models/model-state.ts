// The words for why a model isn't on.
import type { CardView } from "../../admin/models/settings-schema.ts";

const REASONS = {
  provider_off: "provider not enabled",
  disabled: "disabled",
  ended: "ended",
} as const satisfies Readonly<Record<NonNullable<CardView["off_because"]>, string>>;

export function describeOff(reason: CardView["off_because"]): string {
  return REASONS[reason ?? "disabled"];
}
