// Settings files as the agents write them: each change is where a person would have made it, and no other byte is new.
import { expect, test } from "bun:test";
import type { SettingChange } from "../../../../src/cli/setup/formats/format.ts";
import { FORMATS } from "../../../../src/cli/setup/formats/formats.ts";
import { changeSettings } from "../../../../src/cli/setup/formats/guard.ts";

const URL = "http://127.0.0.1:8080";
const set = (path: string, value: unknown): SettingChange => ({ kind: "set", path: path.split("/"), value });
const remove = (path: string): SettingChange => ({ kind: "remove", path: path.split("/") });

interface Row {
  readonly format: keyof typeof FORMATS;
  readonly changes: readonly SettingChange[];
  /** Lines that begin with + are added, those with - taken out; all others begin with a space. */
  readonly difference: string;
}

const ROWS: Readonly<Record<string, Row>> = {
  "Claude Code's permissions and hooks": {
    format: "json",
    changes: [
      set("apiKeyHelper", "cat '/home/a/key'"),
      set("env/ANTHROPIC_BASE_URL", URL),
      remove("env/ANTHROPIC_API_KEY"),
      remove("env/ANTHROPIC_AUTH_TOKEN"),
    ],
    difference: `
 {
   "$schema": "https://json.schemastore.org/claude-code-settings.json",
   "permissions": {
     "allow": ["Bash(npm run test:*)", "Read(//etc/{hosts,passwd})"],
     "deny": []
   },
   "env": {
-    "ANTHROPIC_API_KEY": "sk-ant-1",
-    "DISABLE_TELEMETRY": "1"
+    "DISABLE_TELEMETRY": "1",
+    "ANTHROPIC_BASE_URL": "${URL}"
   },
   "hooks": {
     "PostToolUse": [{ "matcher": "Edit", "hooks": [{ "type": "command", "command": "echo \\"{\\"" }] }]
-  }
+  },
+  "apiKeyHelper": "cat '/home/a/key'"
 }
`,
  },
  "Codex's projects and tool servers": {
    format: "toml",
    changes: [
      set("model", "Router#best"),
      set("model_provider", "poundkey"),
      set("model_providers/poundkey", {
        name: "Poundkey",
        base_url: `${URL}/v1`,
        auth: { command: "cat", args: ["/home/a/key"] },
      }),
    ],
    difference: `
 # Mine.
-model = "gpt-5.4"   # the default
+model = "Router#best"   # the default
 approval_policy = "on-request"
+model_provider = "poundkey"
 
 [projects."/home/a/my [odd] project"]
 trust_level = "trusted"
 
 [mcp_servers.files]
 command = "npx"
 args = [
   "-y", # without asking
   "files # not a comment",
 ]
 
-[model_providers.poundkey]
-name = "Old"
-base_url = "http://127.0.0.1:1/v1"
-
-[model_providers.poundkey.auth]
-command = "echo"
+[model_providers.poundkey]
+name = "Poundkey"
+base_url = "${URL}/v1"
+
+[model_providers.poundkey.auth]
+command = "cat"
+args = ["/home/a/key"]
 
 # Kept apart.
 [tui]
 notifications = true
`,
  },
  "a Codex of which only the tables are there": {
    format: "toml",
    changes: [set("model_provider", "poundkey"), set("model_providers/poundkey", { name: "Poundkey" })],
    difference: `
+model_provider = "poundkey"
+
 # My project.
 [projects."/home/a"]
 trust_level = "trusted"
+
+[model_providers.poundkey]
+name = "Poundkey"
`,
  },
  "Zed's comments and trailing commas": {
    format: "json",
    changes: [set("language_models/openai_compatible/Poundkey", { api_url: `${URL}/v1` })],
    difference: `
 // Zed settings
 //
 // For information on how to configure Zed, see the documentation: "{"
 {
   "theme": {
     "mode": "system", // or "dark"
     "light": "One Light",
   },
   /* "vim_mode": true, */
   "language_models": {
     "ollama": {
       "api_url": "http://localhost:11434",
     },
+    "openai_compatible": {
+      "Poundkey": {
+        "api_url": "${URL}/v1"
+      }
+    },
   },
   // "buffer_font_size": 16
 }
`,
  },
  "Continue's models": {
    format: "yaml",
    changes: [
      {
        kind: "first",
        path: ["models"],
        value: { name: "Poundkey", provider: "openai", model: "Router#best", roles: ["chat", "edit"] },
        same: ["name"],
      },
    ],
    difference: `
 name: Local Assistant
 version: 1.0.0
 schema: v1
 models:
+  - name: "Poundkey"
+    provider: "openai"
+    model: "Router#best"
+    roles:
+      - "chat"
+      - "edit"
   # On this machine.
   - name: Llama
     provider: ollama
     model: llama3.1:8b # small
-  - name: Poundkey
-    model: "Old#one"
   - uses: anthropic/claude
     with: { ANTHROPIC_API_KEY: "\${{ secrets.KEY }}" }
 rules:
 - |
   Answer: briefly.
     - no lists
`,
  },
  "aider's flags": {
    format: "yaml",
    changes: [set("openai-api-base", `${URL}/v1`), set("model", "openai/Router#best"), remove("weak-model")],
    difference: `
 ## The main model
-model: sonnet # for now
+model: "openai/Router#best" # for now
-weak-model: haiku
 dark-mode: true
 read: [CONVENTIONS.md, "a: b"]
+openai-api-base: "${URL}/v1"
`,
  },
  "Qwen Code's providers, indented by tabs": {
    format: "json",
    changes: [
      {
        kind: "first",
        path: ["modelProviders", "openai"],
        value: { id: "Router#best", baseUrl: `${URL}/v1` },
        same: ["id", "baseUrl"],
      },
      set("model/name", "Router#best"),
    ],
    difference: `
 {
 	"modelProviders": {
 		"openai": [
+			{
+				"id": "Router#best",
+				"baseUrl": "${URL}/v1"
+			},
 			{
 				"id": "Router#best",
 				"baseUrl": "http://127.0.0.1:1/v1"
 			}
 		]
 	},
-	"model": {"name": "qwen3"},
+	"model": {"name": "Router#best"},
 	"$version": 3
 }
`,
  },
  "Gemini CLI's variables": {
    format: "dotenv",
    changes: [set("GEMINI_API_KEY", "sk-test"), set("GOOGLE_GEMINI_BASE_URL", URL)],
    difference: `
 # Keys
-export GEMINI_API_KEY = "AIza # old" # mine
+export GEMINI_API_KEY = sk-test # mine
 
 OTHER='it has a # in it'
+GOOGLE_GEMINI_BASE_URL=${URL}
`,
  },
};

function readSide(difference: string, mark: "+" | "-"): string {
  const lines = difference.slice(1, -1).split("\n");
  return lines.flatMap((line) => (line[0] === " " || line[0] === mark ? `${line.slice(1)}\n` : [])).join("");
}

test.each(Object.entries(ROWS))("%s", (_, { format, changes, difference }) => {
  const before = readSide(difference, "-");
  const after = readSide(difference, "+");
  expect(changeSettings(FORMATS[format], before, changes)).toBe(after);
  expect(changeSettings(FORMATS[format], after, changes)).toBe(after);
  const onWindows = (text: string) => `\uFEFF${text.replaceAll("\n", "\r\n")}`;
  expect(changeSettings(FORMATS[format], onWindows(before), changes)).toBe(onWindows(after));
});
