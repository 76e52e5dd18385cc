// OpenAI's dialects as Azure carries them: a deployment stands for the model, and the key has its own header.
import type { FormEntry } from "../../core/attachment.ts";
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";

/**
 * With the v1 API the paths are OpenAI's own. With a dated one a path names its deployment, but for `/responses`, which
 * reads it from the body (Azure OpenAI REST reference).
 */
export function carryAzure(outgoing: Outgoing, card: ModelCard, target: Target): Outgoing {
  const deployment = card.deployment ?? card.name;
  const { form } = outgoing;
  const path = outgoing.url.slice(target.baseUrl.length);
  const called = {
    ...outgoing,
    url: target.apiVersion === undefined ? outgoing.url : makeDatedUrl(path, deployment, target),
    headers: moveKey(outgoing.headers, target),
  };
  if (form === undefined) return { ...called, body: { ...outgoing.body, model: deployment } };
  const fields = form.map(([name, value]): FormEntry => [name, name === "model" ? deployment : value]);
  return { ...called, form: fields };
}

function makeDatedUrl(path: string, deployment: string, { baseUrl, apiVersion = "" }: Target): string {
  const root = baseUrl.replace(/\/v1$/, "");
  const place = path === "/responses" ? "" : `/deployments/${encodeURIComponent(deployment.toWellFormed())}`;
  return `${root}${place}${path}?api-version=${encodeURIComponent(apiVersion)}`;
}

/** The operator's own headers win. */
function moveKey(headers: Outgoing["headers"], { secret }: Target): Outgoing["headers"] {
  const { authorization, ...rest } = headers;
  if (secret === null || authorization !== `Bearer ${secret}`) return headers;
  return { "api-key": secret, ...rest };
}
