// The simulator of the tests: as strict as the real providers, and with a memory of its calls.
import type { DialectName } from "../../src/core/dialect.ts";
import type { Incoming } from "../../src/simulator/scene.ts";
import * as product from "../../src/simulator/server.ts";
import { checkMessagesRequest } from "./anthropic-check.ts";
import { CallLog } from "./calls.ts";
import { checkCohereRequest } from "./cohere-check.ts";
import { checkGeminiRequest } from "./gemini-check.ts";
import { checkMistralRequest } from "./mistral-check.ts";
import { checkChatRequest } from "./openai-check.ts";
import { checkAgentRequest } from "./perplexity-check.ts";
import { checkResponsesRequest } from "./responses-check.ts";

type Validator = (incoming: Incoming, model: string) => void;

/** Complete by its type: a dialect without a validator doesn't compile. */
export const VALIDATORS: Readonly<Record<DialectName, Validator>> = {
  openai: ({ body }, model) => checkChatRequest(body, model),
  responses: ({ body }, model) => checkResponsesRequest(body, model),
  anthropic: ({ body, headers }, model) => checkMessagesRequest(body, model, headers),
  gemini: ({ body }, model) => checkGeminiRequest(body, model),
  mistral: ({ body }) => checkMistralRequest(body),
  perplexity: ({ body }) => checkAgentRequest(body),
  cohere: ({ body }) => checkCohereRequest(body),
};

export interface Simulator extends product.Simulator {
  readonly calls: CallLog;
}

/** Starts the simulated providers with every validator; resolves once they listen. */
export async function startSimulator(options: Omit<product.SimOptions, "hooks"> = {}): Promise<Simulator> {
  const calls = new CallLog();
  const hooks: product.SimOptions["hooks"] = {
    validate: (dialect, incoming, model) => VALIDATORS[dialect](incoming, model),
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
