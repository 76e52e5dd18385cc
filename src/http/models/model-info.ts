// LiteLLM's list of models, which its clients ask for their prices and limits: an entry for each model behind a name.
import { modelView } from "../../catalogue/model-view.ts";
import { asObject } from "../../core/json/json.ts";
import type { GroupMember, ModelCard } from "../../core/models/card.ts";

const TOKENS_PER_PRICE = 1_000_000;
/** LiteLLM's `mode` where it isn't the operation's name (its `model_prices_and_context_window.json`). */
const MODES: Readonly<Record<string, string>> = {
  embeddings: "embedding",
  images: "image_generation",
  transcription: "audio_transcription",
};

export interface NamedCard {
  readonly name: string;
  readonly card: ModelCard;
}

export function nameMembers(name: string, members: readonly GroupMember[]): readonly NamedCard[] {
  return members.map(({ card }) => ({ name, card }));
}

function nameMode(operation: string): string {
  return MODES[operation] ?? operation;
}

export function writeModelInfo({ name, card }: NamedCard) {
  const { id, pricing, context_window, max_output_tokens, capabilities, operations } = modelView(card);
  const provider = id.slice(0, id.indexOf("#"));
  const price = asObject(pricing);
  const perToken = (unit: string) => {
    const amount = price[unit];
    return typeof amount === "number" ? amount / TOKENS_PER_PRICE : null;
  };
  const supports = (capability: string) => capabilities.some((one) => one === capability);
  return {
    model_name: name,
    litellm_params: { model: id },
    model_info: {
      id,
      key: id,
      db_model: false,
      litellm_provider: provider.toLowerCase(),
      mode: nameMode(operations?.[0] ?? "chat"),
      max_tokens: max_output_tokens,
      max_input_tokens: context_window,
      max_output_tokens,
      input_cost_per_token: perToken("input"),
      output_cost_per_token: perToken("output"),
      cache_read_input_token_cost: perToken("cached_input"),
      supports_vision: supports("vision"),
      supports_function_calling: supports("tools"),
      supports_reasoning: supports("reasoning"),
    },
  };
}
