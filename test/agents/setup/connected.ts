// The agents that `poundkey setup` connects: how each answers one prompt, and settings of its own that it may have before.

export interface ConnectedAgent {
  /** Its name in the table of clients. */
  readonly name: string;
  /** The program, and its words for a prompt. */
  readonly command: (prompt: string) => readonly [program: string, ...words: string[]];
  /** True if it reads the prompt from standard input. */
  readonly readsPrompt?: boolean;
  /** Its user agent begins with this. */
  readonly says: RegExp;
  /** Files of a person's home, which have nothing to do with the gateway. */
  readonly files: Readonly<Record<string, string>>;
}

export const CONNECTED: readonly ConnectedAgent[] = [
  {
    name: "claude-code",
    command: (prompt) => ["claude", "-p", prompt],
    says: /^claude-cli/,
    files: {
      ".claude/settings.json":
        // It reads no comments and no trailing commas.
        '{\n    "env": { "EDITOR": "vi", "ANTHROPIC_API_KEY": "sk-ant-of-before-1234" },\n    "includeCoAuthoredBy": false\n}\n',
    },
  },
  {
    name: "codex",
    command: (prompt) => ["codex", "exec", "--skip-git-repo-check", prompt],
    says: /^codex/,
    files: {
      ".codex/config.toml":
        '# Of a person.\nmodel = "gpt-5.4" # usual\nmodel_reasoning_effort = "high"\n\n[tui]\nnotifications = true\n',
    },
  },
  {
    name: "opencode",
    command: () => ["opencode", "run"],
    readsPrompt: true,
    says: /^opencode/,
    files: {
      ".config/opencode/opencode.jsonc":
        '{\n\t// Of a person.\n\t"share": "disabled",\n\t"autoupdate": false,\n}\n',
    },
  },
  {
    name: "gemini-cli",
    command: (prompt) => ["gemini", "--skip-trust", "-p", prompt],
    says: /^GeminiCLI/,
    files: {
      ".gemini/settings.json":
        '{\n  "ui": { "hideBanner": true },\n  "general": { "disableAutoUpdate": true }\n}\n',
      ".gemini/.env": "# Of a person.\nDEBUG=false\n",
    },
  },
  {
    name: "qwen-code",
    command: (prompt) => ["qwen", "-p", prompt],
    says: /^QwenCode/,
    files: {
      ".qwen/settings.json":
        '{\n  "privacy": { "usageStatisticsEnabled": false },\n  "general": { "disableAutoUpdate": true }\n}\n',
    },
  },
  {
    name: "continue",
    command: (prompt) => ["cn", "-p", prompt],
    // Its bundle has other names for its classes, of which the SDK makes its user agent.
    says: /^\w+\/JS \d/,
    files: {
      ".continue/config.yaml":
        "name: Of a person\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: Own # usual\n    provider: openai\n    model: own\n    apiBase: http://127.0.0.1:9/v1\n    apiKey: own\n",
    },
  },
  {
    name: "aider",
    command: (prompt) => [
      "aider",
      "--no-git",
      "--yes-always",
      "--no-show-model-warnings",
      "--message",
      prompt,
    ],
    says: /^OpenAI\/Python/,
    files: {
      ".aider.conf.yml": "# Of a person.\ndark-mode: true\ncheck-update: false\nanalytics-disable: true\n",
    },
  },
  {
    name: "cline",
    command: (prompt) => ["cline", prompt],
    says: /^ai-sdk\//,
    files: {
      ".cline/data/settings/providers.json":
        '{\n  "version": 1,\n  "lastUsedProvider": "openrouter",\n  "modes": {},\n  "providers": { "openrouter": { "settings": { "provider": "openrouter", "apiKey": "own-key-of-before", "model": "own" }, "updatedAt": "2026-11-01T00:00:00.000Z", "tokenSource": "manual" } }\n}\n',
    },
  },
];
