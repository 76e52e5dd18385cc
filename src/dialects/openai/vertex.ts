// Chat completions as Vertex AI carries them for open models: at an endpoint of the project's.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";

export function carryVertexOpen(outgoing: Outgoing, card: ModelCard, { baseUrl }: Target): Outgoing {
  const path = outgoing.url.slice(baseUrl.length);
  return {
    ...outgoing,
    url: `${baseUrl}/endpoints/openapi${path}`,
    body: { ...outgoing.body, model: card.name },
  };
}
