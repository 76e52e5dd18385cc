// LangChain's standard tests over the gateway, by hand: `bun test/python/langchain-standard.ts VENV [words of pytest]`.
import { join } from "node:path";
import { startUnderTest } from "../harness/harness.ts";

const MODELS = [
  "OpenAI#gpt-4.1-mini",
  "Responses#gpt-6.1-sol",
  "Anthropic#claude-haiku-4-5",
  "Google#gemini-3.5-flash",
];
const SCRIPT = join(import.meta.dir, "langchain_standard.py");

const [venv, ...words] = process.argv.slice(2);
if (venv === undefined) {
  console.error(
    "VENV is a folder with langchain-tests, langchain-openai, langchain-anthropic and pytest-asyncio.",
  );
  process.exit(2);
}
const under = await startUnderTest();
const child = Bun.spawn(
  [
    join(venv, "bin/python"),
    "-m",
    "pytest",
    SCRIPT,
    "-q",
    "-p",
    "no:cacheprovider",
    "-o",
    "asyncio_mode=auto",
    "-o",
    "asyncio_default_test_loop_scope=session",
    "-o",
    "asyncio_default_fixture_loop_scope=session",
    "--tb=short",
    ...words,
  ],
  {
    cwd: under.directory,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: under.directory,
      PYTHONDONTWRITEBYTECODE: "1",
      POUNDKEY_URL: under.url,
      POUNDKEY_KEY: under.secret,
      POUNDKEY_MODELS: MODELS.join(","),
    },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  },
);
const code = await child.exited;
await under.stop();
process.exit(code);
