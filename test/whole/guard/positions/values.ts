// The values that stand at the positions, and what of them a provider or a client may get under each action.
import type { Position } from "./list.ts";

export const ACTIONS = ["report", "mask", "swap", "refuse"] as const;
export type Action = (typeof ACTIONS)[number];

export const CANARY = "canary@corp-x.de";
/** Passes the checksum of cards, and is no documentation value. */
export const CARD = 4_532_015_112_830_366;

/** Stands before what the provider repeats in its answer. */
export const REPEATED = "You sent me:";

export const CANARIES = { email: CANARY, card: String(CARD) } as const;
export type Canary = keyof typeof CANARIES;

/** The value that stands at a position, with the detectors that find it there. */
export function makeValue({ id, holds }: Position): {
  readonly value: unknown;
  readonly detectors: readonly Canary[];
} {
  const both = { held: CANARY, number: CARD };
  if (holds === "any") return { value: both, detectors: ["email", "card"] };
  if (/\.arguments$/.test(id)) return { value: JSON.stringify(both), detectors: ["email", "card"] };
  if (/\.file_data$/.test(id))
    return { value: `data:text/plain;base64,${btoa(CANARY)}`, detectors: ["email"] };
  return { value: CANARY, detectors: ["email"] };
}

/** Returns the canaries that stand in a text, base64 in it included. */
export function listCanaries(text: string): readonly Canary[] {
  const seen = text + decodeBase64(text);
  return (["email", "card"] as const).filter((one) => seen.includes(CANARIES[one]));
}

/** Returns the canaries of which a mask or a placeholder stands in a text. */
export function listHidden(text: string): readonly Canary[] {
  const seen = text + decodeBase64(text);
  return (["email", "card"] as const).filter((one) =>
    new RegExp(`\\b${one.toUpperCase()}(_[0-9A-Z]{8})?\\b`).test(seen),
  );
}

function decodeBase64(text: string): string {
  return [...text.matchAll(/[A-Za-z0-9+/]{16,}=*/g)].map(([run]) => Buffer.from(run, "base64")).join(" ");
}
