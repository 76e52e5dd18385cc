// Chat completions as Vertex AI carries them for open models: at an endpoint of the project's.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";

export function carryVertexOpen(outgoing: Outgoing, card: ModelCard, target: Target): Outgoing {
  const { baseUrl } = target;
  const path = outgoing.url.slice(baseUrl.length);
  return {
    ...outgoing,
    url: `${baseUrl}/endpoints/openapi${path}`,
    headers: moveKey(outgoing.headers, target),
    body: { ...outgoing.body, model: card.name },
  };
}

/** An API key has Google's own header. */
function moveKey(headers: Outgoing["headers"], { secret }: Target): Outgoing["headers"] {
  const { authorization, ...rest } = headers;
  if (secret === null || authorization !== `Bearer ${secret}`) return headers;
  return { "x-goog-api-key": secret, ...rest };
}
