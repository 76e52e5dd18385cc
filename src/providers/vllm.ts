// vLLM, the operator's own server, enabled if it is configured.
import { makeTranscription, VLLM_TRANSCRIPTION } from "../dialects/openai/transcription.ts";
import { COMPATIBLE, COMPATIBLE_FIELDS } from "./compatible.ts";
import type { ProviderRow } from "./provider.ts";
import { extend } from "./shared.ts";

const MEDIA = {
  transcription: makeTranscription(extend(VLLM_TRANSCRIPTION, COMPATIBLE_FIELDS.transcription)),
};

export const VLLM: ProviderRow = {
  name: "vLLM",
  source: {
    reference: "https://github.com/vllm-project/vllm/blob/main/docs/serving/openai_compatible_server.md",
    seen: "2026-03",
  },
  keyVariables: [],
  baseUrl: "http://127.0.0.1:8000/v1",
  discovers: true,
  dialects: [{ ...COMPATIBLE, ...MEDIA }],
};
