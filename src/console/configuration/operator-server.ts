// A server of the operator's own as YAML.
import type { ConfigurationProposal } from "./proposal.tsx";
import { readNumber, readWords, writeReference } from "./yaml.ts";

const DIALECTS = [
  { value: "", label: "OpenAI's" },
  { value: "anthropic", label: "Anthropic's" },
  { value: "gemini", label: "Google's" },
];

/** Those that are asked for their models. */
const DISCOVERED = /^(ollama|lmstudio|vllm)$/i;

/** `others` are the providers that a key in the environment enables, as long as the file has no `providers`. */
export function proposeOperatorServer(others: readonly string[]): ConfigurationProposal {
  return {
    title: "A server of your own",
    about:
      others.length === 0
        ? "A server named Ollama, LMStudio or vLLM is asked for its models; for others they are named."
        : "With providers in the file, no others are enabled, so those in use are named too.",
    fields: [
      {
        name: "name",
        label: "Name",
        placeholder: "Local",
        hint: "Its models' ids begin with it, as in Local#llama",
      },
      { name: "base_url", label: "Address", placeholder: "http://127.0.0.1:11434/v1" },
      { name: "dialect", label: "Wire format", options: DIALECTS },
      {
        name: "key",
        label: "Environment variable with its key",
        placeholder: "LOCAL_API_KEY",
        hint: "Empty if it asks for none",
      },
      {
        name: "models",
        label: "Models",
        placeholder: "llama-4 qwen-3",
        hint: "Empty: any name is passed on, without a price",
      },
      { name: "input", label: "USD per million input tokens", placeholder: "0" },
      { name: "output", label: "USD per million output tokens", placeholder: "0" },
    ],
    write: ({ name = "", base_url = "", dialect = "", key = "", models = "", input = "", output = "" }) => {
      if (name.trim() === "" || base_url.trim() === "") return null;
      const price = { input: readNumber(input || "0"), output: readNumber(output || "0") };
      const named = readWords(models)?.map((model) => ({ name: model, price }));
      const server = {
        base_url: base_url.trim(),
        dialect: dialect || undefined,
        keys: key.trim() === "" ? undefined : [writeReference(key)],
        models: named,
        unlisted_models: named || DISCOVERED.test(name.trim()) ? undefined : true,
      };
      return { providers: { ...Object.fromEntries(others.map((one) => [one, {}])), [name.trim()]: server } };
    },
  };
}
