// LM Studio, the operator's own server, enabled if it is configured.
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import type { OpenaiQuirks } from "../dialects/openai/quirks.ts";
import { COMPATIBLE, COMPATIBLE_QUIRKS } from "./compatible.ts";
import type { ProviderRow } from "./provider.ts";

/**
 * A choice of tools is one of three words (lmstudio-ai/docs, issue 177, February 2026; oh-my-pi, issue 6925, July 2026). JSON
 * has a schema (lmstudio.ai/docs, "Structured Output"; lmstudio-bug-tracker, issue 189; OpenBiliClaw, issue 12, May 2026).
 * Images are data alone ("'url' field must be a base64 encoded image": lmstudio-bug-tracker, issues 1120 and 1752, April 2026).
 */
const QUIRKS: OpenaiQuirks = {
  ...COMPATIBLE_QUIRKS,
  directions: ["none", "required"],
  jsonObject: false,
  imageUrls: false,
};

export const LMSTUDIO: ProviderRow = {
  name: "LMStudio",
  source: { reference: "https://github.com/lmstudio-ai/docs/issues/177", seen: "2026-02" },
  keyVariables: [],
  baseUrl: "http://127.0.0.1:1234/v1",
  discovers: true,
  dialects: [{ ...COMPATIBLE, ...makeOpenaiDialect(QUIRKS) }],
};
