// The packages whose newest releases `npm run drift` compares with the pinned ones: where each declares its names, and which
// kinds of names our tables must have a row for.
import type { KindName } from "./kinds.ts";

export interface Package {
  readonly name: string;
  readonly registry: "npm" | "PyPI";
  /** The file that pins it, from the project's folder. */
  readonly pinnedBy: string;
  /** Files, from the package's folder, in which each new field and literal counts. */
  readonly declarations: readonly string[];
  /** Further files that are searched for the kinds below. */
  readonly sources?: readonly string[];
  readonly kinds: readonly KindName[];
}

const npm = { registry: "npm", pinnedBy: "package.json" } as const;
const python = { registry: "PyPI", pinnedBy: "test/python/requirements.txt" } as const;
const framework = { registry: "PyPI", pinnedBy: "test/python/frameworks.txt" } as const;
const RESPONSES = ["tool", "event", "finish reason", "error code"] as const;
const MESSAGES = ["beta", "tool", "event", "finish reason", "error code"] as const;

/** An SDK of Vercel's: one file that declares, and one that runs. */
function makeAiSdk(name: string, kinds: readonly KindName[]): Package {
  return { ...npm, name, declarations: ["dist/index.d.ts"], sources: ["dist/index.js"], kinds };
}

export const PACKAGES: readonly Package[] = [
  {
    ...npm,
    name: "openai",
    declarations: [
      ...["resources/responses/responses.d.ts", "resources/chat/completions/completions.d.ts"],
      ...[
        "resources/shared.d.ts",
        "resources/images.d.ts",
        "resources/embeddings.d.ts",
        "resources/batches.d.ts",
      ],
      ...["resources/completions.d.ts", "resources/moderations.d.ts", "resources/audio/*.d.ts"],
    ],
    sources: ["resources/**/*.js"],
    kinds: [...RESPONSES, "route"],
  },
  {
    ...npm,
    name: "@anthropic-ai/sdk",
    declarations: [
      ...["resources/messages/messages.d.ts", "resources/beta/messages/messages.d.ts"],
      ...["resources/beta/beta.d.ts", "resources/shared.d.ts"],
    ],
    sources: ["resources/**/*.js"],
    kinds: [...MESSAGES, "route"],
  },
  {
    ...npm,
    name: "@google/genai",
    declarations: ["dist/genai.d.ts"],
    sources: ["dist/node/index.cjs"],
    kinds: ["finish reason", "route"],
  },
  {
    ...npm,
    name: "@openrouter/sdk",
    declarations: ["esm/models/*.d.ts"],
    sources: ["esm/funcs/*.js"],
    kinds: [...MESSAGES, "route"],
  },
  makeAiSdk("@openrouter/ai-sdk-provider", []),
  makeAiSdk("ai", []),
  makeAiSdk("@ai-sdk/anthropic", ["beta", "tool", "event"]),
  makeAiSdk("@ai-sdk/google", []),
  makeAiSdk("@ai-sdk/openai", ["tool", "event"]),
  makeAiSdk("@ai-sdk/openai-compatible", []),
  {
    ...npm,
    name: "@langchain/core",
    declarations: ["dist/messages/**/*.d.ts", "dist/language_models/**/*.d.ts"],
    kinds: [],
  },
  {
    ...npm,
    name: "@langchain/openai",
    declarations: ["dist/**/*.d.ts"],
    sources: ["dist/**/*.js"],
    kinds: ["tool", "event"],
  },
  {
    ...python,
    name: "openai",
    declarations: [
      ...["openai/types/responses/*.py", "openai/types/chat/*.py", "openai/types/shared/*.py"],
      ...["openai/types/shared_params/*.py", "openai/types/*.py"],
    ],
    sources: ["openai/resources/**/*.py"],
    kinds: [...RESPONSES, "route"],
  },
  {
    ...python,
    name: "anthropic",
    declarations: [
      ...["anthropic/types/*.py", "anthropic/types/shared/*.py", "anthropic/types/beta/*.py"],
      "anthropic/types/messages/*.py",
    ],
    sources: ["anthropic/resources/**/*.py"],
    kinds: [...MESSAGES, "route"],
  },
  {
    ...python,
    name: "google-genai",
    declarations: ["google/genai/types.py"],
    sources: ["google/genai/[!_]*.py"],
    kinds: ["finish reason", "route"],
  },
  {
    ...python,
    name: "litellm",
    pinnedBy: "test/python/litellm.txt",
    declarations: [
      "litellm/types/llms/*.py",
      "litellm/types/llms/anthropic_messages/*.py",
      "litellm/exceptions.py",
    ],
    sources: ["litellm/llms/anthropic/**/*.py", "litellm/anthropic_beta_headers_config.json"],
    kinds: ["beta", "tool", "event"],
  },
  { ...framework, name: "langchain-core", declarations: ["langchain_core/messages/**/*.py"], kinds: [] },
  {
    ...framework,
    name: "langchain-openai",
    declarations: ["langchain_openai/**/*.py"],
    kinds: ["tool", "event"],
  },
];

/** The package of Claude Code's program, in whose bytes betas are found. */
export const CLAUDE_CODE: Package = {
  name: "@anthropic-ai/claude-code",
  registry: "npm",
  pinnedBy: "test/agents/package.json",
  declarations: [],
  sources: ["bin/*"],
  kinds: ["beta"],
};

/** Python's packages are named apart from those of the same name in JavaScript. */
export function labelPackage({ name, registry }: Package): string {
  return registry === "npm" ? name : `${name} (${registry})`;
}
