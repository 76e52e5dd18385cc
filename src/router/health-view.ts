// What the choosing of a model wants to know of live health; who keeps it hands it in.

export interface CardHealth {
  /** Median of recent first tokens; null: too few were seen. */
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
  /** 0…1, recent. */
  readonly errorRate: number;
  /** The breaker is open: nothing is sent there. */
  readonly open: boolean;
}

/** Errors of late and shut breakers, or anything, speed included. */
export type Noted = "trouble" | "any";

export interface HealthView {
  /** null: nothing was seen of the card. */
  of(cardId: string): CardHealth | null;
  /** The cards of which `of` may tell such things; of no other it does. Left out: that is not known. */
  readonly noted?: (what: Noted) => Iterable<string>;
}

export const NO_HEALTH: HealthView = { of: () => null, noted: () => [] };
