// Coding agents with the lines that connect them.
import { ADDRESS, type ClientSetup, KEY } from "./client-setup.ts";

export const AGENTS: readonly ClientSetup[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    kind: "agent",
    speaks: "Messages",
    snippets: [
      {
        about: "The address ends before `/v1`.",
        language: "sh",
        code: `export ANTHROPIC_BASE_URL=${ADDRESS} ANTHROPIC_AUTH_TOKEN=${KEY}
unset ANTHROPIC_API_KEY
export ANTHROPIC_MODEL='Router#best' ANTHROPIC_DEFAULT_HAIKU_MODEL='Router#light'
claude`,
      },
    ],
    notes: [
      "`ANTHROPIC_DEFAULT_HAIKU_MODEL` is the model for titles and summaries; `CLAUDE_CODE_SUBAGENT_MODEL` that of subagents.",
      "For a model that it doesn't know, Claude Code assumes a context of 200,000 tokens. `CLAUDE_CODE_MAX_CONTEXT_TOKENS` says otherwise.",
      "`CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY=1` lists the gateway's models in `/model`.",
      "`ENABLE_TOOL_SEARCH=true` turns its search among tools on, which is off behind other addresses.",
      "Fast mode and the safety check of WebFetch call Anthropic directly, whatever the address.",
    ],
  },
  {
    name: "codex",
    title: "Codex",
    kind: "agent",
    speaks: "Responses",
    snippets: [
      {
        about: "In `~/.codex/config.toml`:",
        language: "toml",
        code: `model = "Router#best"
model_provider = "poundkey"

[model_providers.poundkey]
name = "Poundkey"
base_url = "${ADDRESS}/v1"
env_key = "POUNDKEY_KEY"
wire_api = "responses"`,
      },
      { about: "Then:", language: "sh", code: `POUNDKEY_KEY=${KEY} codex` },
    ],
    notes: [
      "Name models with `#`, as `OpenAI#gpt-5.6-sol`: Codex knows some names without it by heart and sends them a form that only OpenAI understands.",
      "When an allowance, a budget or a balance is used up, Codex ends the turn: the answer is 429 with the code `insufficient_quota`, the gateway's own code in `error.reason` and the time in `error.reset_at`.",
      "Leave `supports_websockets` out. With it, Codex tries a WebSocket first and goes over to HTTP after the answer 426.",
      "Its web search is passed on to OpenAI and xAI, and left out for other models.",
    ],
  },
  {
    name: "gemini-cli",
    title: "Gemini CLI",
    kind: "agent",
    speaks: "generateContent",
    snippets: [
      {
        about: "It takes Gemini's model names only, so the gateway's configuration says what they stand for:",
        language: "yaml",
        code: `aliases: { "gemini-*": "Router#best" }`,
      },
      {
        about: "With `security.auth.selectedType` set to `gemini-api-key` in `~/.gemini/settings.json`:",
        language: "sh",
        code: `export GOOGLE_GEMINI_BASE_URL=${ADDRESS} GEMINI_API_KEY=${KEY}
gemini`,
      },
    ],
    notes: ["A key in the URL is refused: Gemini CLI sends it in the header `x-goog-api-key`."],
  },
  {
    name: "opencode",
    title: "opencode",
    kind: "agent",
    speaks: "chat completions",
    snippets: [
      {
        about: "In `opencode.json`:",
        language: "json",
        code: `{
  "$schema": "https://opencode.ai/config.json",
  "model": "poundkey/Router#best",
  "provider": {
    "poundkey": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Poundkey",
      "options": { "baseURL": "${ADDRESS}/v1", "apiKey": "${KEY}" },
      "models": { "Router#best": {}, "Router#light": {}, "Anthropic#claude-opus-5-5": {} }
    }
  }
}`,
      },
    ],
    notes: [
      "Only the models that stand in the file can be chosen.",
      'opencode asks for up to 32,000 tokens. For a model that gives less, say so: `{ "limit": { "context": 128000, "output": 8000 } }`.',
    ],
  },
  {
    name: "aider",
    title: "aider",
    kind: "agent",
    speaks: "chat completions",
    snippets: [
      {
        about: "The model's name begins with `openai/`:",
        language: "sh",
        code: `export OPENAI_API_BASE=${ADDRESS}/v1 OPENAI_API_KEY=${KEY}
aider --model 'openai/Router#best' --weak-model 'openai/Router#light'`,
      },
    ],
    notes: ["aider warns of models that it doesn't know; `--no-show-model-warnings` silences that."],
  },
  {
    name: "continue",
    title: "Continue",
    kind: "agent",
    speaks: "chat completions",
    snippets: [
      {
        about: "In `~/.continue/config.yaml`:",
        language: "yaml",
        code: `name: Poundkey
version: 1.0.0
schema: v1
models:
  - name: Router best
    provider: openai
    model: "Router#best"
    apiBase: ${ADDRESS}/v1
    apiKey: ${KEY}
    roles: [chat, edit, apply]`,
      },
    ],
    notes: ["Quote the model's name: in YAML, a `#` behind a space begins a comment."],
  },
  {
    name: "cline",
    title: "Cline",
    kind: "agent",
    speaks: "chat completions",
    snippets: [
      {
        about: "In Cline's settings, with the API provider `OpenAI Compatible`:",
        language: "yaml",
        code: `Base URL: ${ADDRESS}/v1
API Key: ${KEY}
Model ID: Router#best`,
      },
    ],
    notes: ["Set the context window in the model's configuration: Cline assumes 128,000 tokens."],
  },
  {
    name: "cursor",
    title: "Cursor",
    kind: "agent",
    speaks: "chat completions",
    snippets: [
      {
        about: "In Settings, Models, API Keys:",
        language: "yaml",
        code: `OpenAI API Key: ${KEY}
Override OpenAI Base URL: ${ADDRESS}/v1
Custom model: Router#best`,
      },
    ],
    notes: [
      "Cursor's own servers make the calls, so the gateway needs an address that they can reach. An address of your own machine or network doesn't work.",
    ],
  },
  {
    name: "qwen-code",
    title: "Qwen Code",
    kind: "agent",
    speaks: "chat completions",
    snippets: [
      {
        about: "With OpenAI as the way to sign in:",
        language: "sh",
        code: `export OPENAI_BASE_URL=${ADDRESS}/v1 OPENAI_API_KEY=${KEY} OPENAI_MODEL='Router#best'
qwen`,
      },
    ],
    notes: [],
  },
  {
    name: "zed",
    title: "Zed",
    kind: "agent",
    speaks: "chat completions",
    snippets: [
      {
        about: "In `settings.json`; the key goes into the provider's field of the agent panel:",
        language: "json",
        code: `{
  "language_models": {
    "openai_compatible": {
      "Poundkey": {
        "api_url": "${ADDRESS}/v1",
        "available_models": [{ "name": "Router#best", "max_tokens": 200000 }]
      }
    }
  }
}`,
      },
      { about: "Or, before it starts:", language: "sh", code: `export POUNDKEY_API_KEY=${KEY}` },
    ],
    notes: ["`max_tokens` is the context that Zed assumes, not the limit of an answer."],
  },
];
