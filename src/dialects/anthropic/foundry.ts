// The Messages API as Microsoft Foundry carries it: beside the resource's OpenAI API, with a deployment in the place of the model.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";

/** Claude answers at the resource's Foundry name alone (Microsoft Foundry, "Deploy and use Claude models"). */
const OTHER_NAMES = /\.(openai|cognitiveservices)\.azure\.com$/;

export function carryFoundry(outgoing: Outgoing, card: ModelCard, { baseUrl }: Target): Outgoing {
  const path = outgoing.url.slice(baseUrl.length);
  return {
    ...outgoing,
    url: `${findFoundry(baseUrl)}${path}`,
    body: { ...outgoing.body, model: card.deployment ?? card.name },
  };
}

function findFoundry(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.hostname = url.hostname.replace(OTHER_NAMES, ".services.ai.azure.com");
  url.pathname = `${url.pathname.replace(/(\/(openai|anthropic))?(\/v1)?\/?$/, "")}/anthropic/v1`;
  return url.href;
}
