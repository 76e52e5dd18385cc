// The Messages API as Vertex AI carries it: the model and the kind of answer in the path, the version in the body.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";

/** Google Cloud, "Use the Claude models": `rawPredict`, with this in the place of the header `anthropic-version`. */
const VERSION = "vertex-2023-10-16";

export function carryVertexClaude(outgoing: Outgoing, card: ModelCard, target: Target): Outgoing {
  const { model: _model, ...body } = outgoing.body;
  const { "anthropic-version": _version, ...headers } = moveKey(outgoing.headers, target);
  const { baseUrl } = target;
  const name = encodeURIComponent(card.name.toWellFormed()).replaceAll("%40", "@");
  const call = body.stream === true ? "streamRawPredict" : "rawPredict";
  return {
    ...outgoing,
    url: `${baseUrl}/publishers/anthropic/models/${name}:${call}`,
    headers,
    body: { anthropic_version: VERSION, ...body },
  };
}

/** An API key has Google's own header. */
function moveKey(headers: Outgoing["headers"], { secret }: Target): Outgoing["headers"] {
  const { "x-api-key": key, ...rest } = headers;
  return secret === null || key !== secret ? headers : { "x-goog-api-key": secret, ...rest };
}
