// The operations that the playground can ask for, and which of them a model serves.
import type { OperationName } from "../../core/card.ts";
import { type Models, SELECTORS } from "../use-models.ts";

const OPERATIONS: readonly { readonly value: OperationName; readonly label: string }[] = [
  { value: "chat", label: "Chat" },
  { value: "completion", label: "Completion" },
  { value: "embeddings", label: "Embeddings" },
  { value: "rerank", label: "Rerank" },
  { value: "moderation", label: "Moderation" },
  { value: "images", label: "Images" },
  { value: "speech", label: "Speech" },
  { value: "transcription", label: "Transcription" },
];
export type Offered = typeof OPERATIONS;

const CHAT = OPERATIONS.slice(0, 1);

/** Returns the operations of a model, all of them where nothing is known of it; selectors choose among chat models. */
export function listOperations(id: string, { find }: Pick<Models, "find">): Offered {
  if (SELECTORS.some((selector) => selector.id === id)) return CHAT;
  const served = find(id)?.operations ?? null;
  return served === null ? OPERATIONS : OPERATIONS.filter(({ value }) => served.includes(value));
}
