// LiteLLM's routes, which stand between the provider and the model's name: `bedrock/converse/…`, `openai/responses/…`.

/** Routes that say no more than the model does here. */
const ROUTES: Readonly<Record<string, readonly string[]>> = {
  Azure: ["o_series", "gpt5_series", "model_router", "model-router"],
  Bedrock: ["converse", "converse_like", "invoke", "nova", "nova-2"],
};
const RESPONSES = "responses";
const AWS_REGION = /^[a-z]{2,5}(-[a-z]+){1,3}-\d{1,2}$/;

export interface ModelRoute {
  readonly name: string;
  /** True if the model is called at `/responses`. */
  readonly isResponses: boolean;
  /** The region in front of a model of Bedrock. */
  readonly region: string | undefined;
}

/** Returns the model's name without its routes, or the reason why it can't be called. */
export function stripRoutes(provider: string, asked: string): ModelRoute | string {
  const isBedrock = provider === "Bedrock";
  const parts = asked.split("/");
  let [isResponses, region]: [boolean, string | undefined] = [false, undefined];
  for (; parts.length > 1; parts.shift()) {
    const [head = ""] = parts;
    if (head === RESPONSES) isResponses = true;
    else if (isBedrock && AWS_REGION.test(head)) region = head;
    else if (!ROUTES[provider]?.includes(head)) break;
  }
  const name = parts.join("/");
  // Bedrock's names have no slash, unless they are ARNs.
  return isBedrock && parts.length > 1 && !name.startsWith("arn:")
    ? `Bedrock's '${parts[0]}' isn't served here`
    : { name, isResponses, region };
}
