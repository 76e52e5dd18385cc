// The tests' simulator: the product's, with validators as strict as the real providers and a record of its calls.
import type { ChatDialectName } from "../../src/core/models/dialect-names.ts";
import * as product from "../../src/simulator/server.ts";
import type { Incoming } from "../../src/simulator/types.ts";
import { checkMessagesRequest } from "./anthropic-validator.ts";
import { checkBedrockRequest } from "./bedrock-validator.ts";
import { CallLog } from "./calls.ts";
import { checkCohereRequest } from "./cohere-validator.ts";
import { checkGeminiRequest } from "./gemini-validator.ts";
import { checkMistralRequest } from "./mistral-validator.ts";
import { checkChatRequest } from "./openai-validator.ts";
import { checkAgentRequest } from "./perplexity-validator.ts";
import { checkResponsesRequest } from "./responses-validator.ts";
import { understand } from "./understand.ts";
import { checkWholeRequest } from "./whole-validator.ts";

type Validator = (incoming: Incoming, model: string) => void;

/** The type makes the table complete: a dialect without a validator doesn't compile. Those without chat need only `checkWholeRequest`. */
export const VALIDATORS: Readonly<Record<ChatDialectName, Validator>> = {
  openai: ({ body }, model) => checkChatRequest(body, model),
  responses: ({ body, path }, model) => checkResponsesRequest(body, model, path),
  anthropic: ({ body, headers }, model) => checkMessagesRequest(body, model, headers),
  gemini: ({ body }, model) => checkGeminiRequest(body, model),
  mistral: ({ body }) => checkMistralRequest(body),
  perplexity: ({ body }) => checkAgentRequest(body),
  cohere: ({ body }) => checkCohereRequest(body),
  bedrock: checkBedrockRequest,
};

export interface Simulator extends product.Simulator {
  readonly calls: CallLog;
}

/** Starts the simulated providers with every validator. Resolves once they listen. */
export async function startSimulator(options: Omit<product.SimOptions, "hooks"> = {}): Promise<Simulator> {
  const calls = new CallLog();
  const hooks: product.SimOptions["hooks"] = {
    validate: (dialect, incoming, model) => {
      const isChecked = checkWholeRequest(dialect, incoming);
      if (!isChecked && dialect !== "voyage" && dialect !== "jina") VALIDATORS[dialect](incoming, model);
    },
    understand,
    observe: (observed) => {
      const call = calls.add(observed);
      return (ended, nowMs) => calls.end(call, ended, nowMs);
    },
  };
  const simulator = await product.startSimulator({ ...options, hooks });
  const reset = () => {
    calls.reset();
    simulator.reset();
  };
  return { ...simulator, calls, reset };
}
