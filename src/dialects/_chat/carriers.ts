// OpenAI's dialects on Azure and Vertex AI: at other addresses, with the key in a header of their own.
import type { FormEntry } from "../../core/models/attachment.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import { moveKey } from "./outgoing.ts";

/**
 * The deployment takes the model's place. With the v1 API the paths are OpenAI's own. With a dated version the path
 * names the deployment, except at `/responses` and below it, where the body does (Azure OpenAI REST reference).
 */
export function carryAzure(outgoing: Outgoing, card: ModelCard, target: Target): Outgoing {
  const deployment = card.deployment ?? card.name;
  const { form } = outgoing;
  const path = outgoing.url.slice(target.baseUrl.length);
  const called = {
    ...outgoing,
    url: target.apiVersion === undefined ? outgoing.url : makeDatedUrl(path, deployment, target),
    headers: moveKey(outgoing.headers, target, "authorization", "api-key"),
  };
  if (form === undefined) return { ...called, body: { ...outgoing.body, model: deployment } };
  const fields = form.map(([name, value]): FormEntry => [name, name === "model" ? deployment : value]);
  return { ...called, form: fields };
}

function makeDatedUrl(path: string, deployment: string, { baseUrl, apiVersion = "" }: Target): string {
  const root = baseUrl.replace(/\/v1$/, "");
  const place = path.startsWith("/responses")
    ? ""
    : `/deployments/${encodeURIComponent(deployment.toWellFormed())}`;
  return `${root}${place}${path}?api-version=${encodeURIComponent(apiVersion)}`;
}

/** Vertex AI serves open models at an endpoint of the project. */
export function carryVertexOpen(outgoing: Outgoing, card: ModelCard, target: Target): Outgoing {
  const { baseUrl } = target;
  return {
    ...outgoing,
    url: `${baseUrl}/endpoints/openapi${outgoing.url.slice(baseUrl.length)}`,
    headers: moveKey(outgoing.headers, target, "authorization", "x-goog-api-key"),
    body: { ...outgoing.body, model: card.name },
  };
}
