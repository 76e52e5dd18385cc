// Limits on some models as people write them: `60 requests: OpenAI#gpt-5*`, `10 requests 100000 tokens: *opus* prod-chat`.
import type { WireModelLimit } from "./field.ts";

const SHAPE = /^(?:(\d+)\s*requests?)?\s*(?:(\d+)\s*tokens?)?\s*:\s*(\S.*)$/i;

/** Returns the limit that a text describes, or null. */
export function parseModelLimit(text: string): WireModelLimit | null {
  const [, requests, tokens, models] = SHAPE.exec(text.trim()) ?? [];
  if (models === undefined || (requests === undefined && tokens === undefined)) return null;
  return {
    models: models.trim().split(/\s+/),
    ...(requests === undefined ? {} : { requests_per_minute: Number(requests) }),
    ...(tokens === undefined ? {} : { tokens_per_minute: Number(tokens) }),
  };
}

/** Returns the text that describes a limit. */
export function writeModelLimit({ models, requests_per_minute, tokens_per_minute }: WireModelLimit): string {
  const requests = (requests_per_minute ?? null) === null ? [] : [`${requests_per_minute} requests`];
  const tokens = (tokens_per_minute ?? null) === null ? [] : [`${tokens_per_minute} tokens`];
  return `${[...requests, ...tokens].join(" ")}: ${models.join(" ")}`;
}
