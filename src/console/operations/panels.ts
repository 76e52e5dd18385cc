// The panel of each operation whose answer comes whole.
import type { ComponentType } from "preact";
import type { OperationName } from "../../core/card.ts";
import { CompletionPanel } from "./completion.tsx";
import { EmbeddingsPanel } from "./embeddings.tsx";
import { ImagesPanel } from "./images.tsx";
import { ModerationPanel } from "./moderation.tsx";
import type { PanelProps } from "./panel.tsx";
import { RerankPanel } from "./rerank.tsx";
import { SpeechPanel } from "./speech.tsx";
import { TranscriptionPanel } from "./transcription.tsx";

export const PANELS: Readonly<Record<Exclude<OperationName, "chat">, ComponentType<PanelProps>>> = {
  completion: CompletionPanel,
  embeddings: EmbeddingsPanel,
  images: ImagesPanel,
  moderation: ModerationPanel,
  rerank: RerankPanel,
  speech: SpeechPanel,
  transcription: TranscriptionPanel,
};
