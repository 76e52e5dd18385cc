// Live health as the choice of a model reads it; the gateway hands it in.

export interface CardHealth {
  /** Median of recent first tokens; null: too few were seen. */
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
  /** 0…1, recent. */
  readonly errorRate: number;
  /** The breaker is open: nothing is sent there. */
  readonly open: boolean;
}

export interface HealthView {
  /** null: nothing was seen of the card. */
  of(cardId: string): CardHealth | null;
}

export const NO_HEALTH: HealthView = { of: () => null };
