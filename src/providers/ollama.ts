// Ollama, the operator's own server, enabled if it is configured.
import { COMPATIBLE } from "./compatible.ts";
import type { ProviderRow } from "./provider.ts";

export const OLLAMA: ProviderRow = {
  name: "Ollama",
  source: { reference: "https://docs.ollama.com/api/openai-compatibility", seen: "2026-11" },
  keyVariables: [],
  baseUrl: "http://127.0.0.1:11434/v1",
  discovers: true,
  dialects: [COMPATIBLE],
};
