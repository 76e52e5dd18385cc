// A server of the operator's own as YAML.
import type { Proposal } from "./proposal.tsx";
import { writeReference } from "./yaml.ts";

const DIALECTS = [
  { value: "", label: "OpenAI's" },
  { value: "anthropic", label: "Anthropic's" },
  { value: "gemini", label: "Google's" },
];

/** `others` are the providers that a key in the environment enables, as long as the file has no `providers`. */
export function makeOwnServer(others: readonly string[]): Proposal {
  return {
    title: "A server of your own",
    about:
      others.length === 0
        ? "Its models are asked for when it is enabled."
        : "Its models are asked for when it is enabled. With providers in the file, no others are enabled, so those in use are named too.",
    fields: [
      { name: "name", label: "Name", placeholder: "Local", hint: "Its models are called Local#…" },
      { name: "base_url", label: "Address", placeholder: "http://127.0.0.1:11434/v1" },
      { name: "dialect", label: "Wire format", options: DIALECTS },
      {
        name: "key",
        label: "Environment variable with its key",
        placeholder: "LOCAL_API_KEY",
        hint: "Empty if it asks for none",
      },
    ],
    write: ({ name = "", base_url = "", dialect = "", key = "" }) => {
      if (name.trim() === "" || base_url.trim() === "") return null;
      const server = {
        base_url: base_url.trim(),
        dialect: dialect || undefined,
        keys: key.trim() === "" ? undefined : [writeReference(key)],
      };
      return { providers: { ...Object.fromEntries(others.map((one) => [one, {}])), [name.trim()]: server } };
    },
  };
}
