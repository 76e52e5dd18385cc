// The playground's operations, and which of them a model serves.
import type { OperationName } from "../../core/models/card.ts";
import { type Models, SELECTORS } from "../frame/names.ts";
import { InteractionPanel } from "./interaction.tsx";
import { ImagesPanel, SpeechPanel } from "./media.tsx";
import type { OperationPanel } from "./panel.tsx";
import { ResponsePanel } from "./response.tsx";
import {
  CompletionPanel,
  EmbeddingsPanel,
  ModerationPanel,
  RerankPanel,
  TranscriptionPanel,
} from "./texts.tsx";

interface OperationChoice {
  readonly value: OperationName | "interaction" | "response";
  /** The model's operation, if it has another name. */
  readonly operation?: OperationName;
  readonly label: string;
  /** Null for chat, which has its own page. */
  readonly Panel: OperationPanel | null;
}

export const CHAT: OperationChoice = { value: "chat", label: "Chat", Panel: null };
const CHATS: readonly OperationChoice[] = [
  CHAT,
  { value: "response", operation: "chat", label: "Response", Panel: ResponsePanel },
  { value: "interaction", operation: "chat", label: "Interaction", Panel: InteractionPanel },
];
const CHOICES: readonly OperationChoice[] = [
  ...CHATS,
  { value: "completion", label: "Completion", Panel: CompletionPanel },
  { value: "embeddings", label: "Embeddings", Panel: EmbeddingsPanel },
  { value: "rerank", label: "Rerank", Panel: RerankPanel },
  { value: "moderation", label: "Moderation", Panel: ModerationPanel },
  { value: "images", label: "Images", Panel: ImagesPanel },
  { value: "speech", label: "Speech", Panel: SpeechPanel },
  { value: "transcription", label: "Transcription", Panel: TranscriptionPanel },
];

/** Returns a model's operations, or all of them if unknown. Selectors only choose among chat models. */
export function listOperations(id: string, { find }: Pick<Models, "find">): readonly OperationChoice[] {
  if (SELECTORS.some((selector) => selector.id === id)) return CHATS;
  const served = find(id)?.operations ?? null;
  return served === null
    ? CHOICES
    : CHOICES.filter(({ value, operation = value }) => served.some((one) => one === operation));
}
