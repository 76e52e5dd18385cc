// OpenAI's own models, which reason by their own rules ("Models" and the API reference, November 2026).

const OWN = /^(o\d|gpt-|chatgpt-)/;
const REASONING = /^(o\d|gpt-[5-9]|gpt-.*(-pro|-codex))/;
const NOT_BY_DEFAULT = /^gpt-5\.[1-5](?!.*(-pro|-codex))/;

/** True for a model of OpenAI's, false for a compatible server's. */
export function isOpenaiModel(model: string): boolean {
  return OWN.test(model);
}

/** True if a model of OpenAI's reasons; `effort` is the request's. */
export function isReasoning(model: string, effort: unknown): boolean {
  if (!REASONING.test(model)) return false;
  return (effort ?? (NOT_BY_DEFAULT.test(model) ? "none" : "medium")) !== "none";
}
