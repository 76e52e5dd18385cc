// The SDKs of each major: the newest are the project's own, the earlier ones are installed by .ci/run.
import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../../harness/tools.ts";

/** True if the earlier majors are installed. */
const HAS_MODULES = existsSync(join(import.meta.dir, "node_modules"));
export const INSTALLED = !isMissing("no earlier majors of the SDKs", HAS_MODULES);

/** Loads a module as if it were another major of it: the tests use only what both have. */
async function load<Module>(name: string): Promise<Module> {
  return (await import(name)) as Module;
}

interface AiSdk {
  readonly ai: typeof import("ai");
  readonly openai: typeof import("@ai-sdk/openai");
  readonly anthropic: typeof import("@ai-sdk/anthropic");
  readonly google: typeof import("@ai-sdk/google");
  readonly compatible: typeof import("@ai-sdk/openai-compatible");
}

/** Loads the AI SDK with its providers. `prefix` is the earlier major's alias. */
async function loadAi(prefix: string | null): Promise<AiSdk> {
  const name = (provider: string) => (prefix === null ? `@ai-sdk/${provider}` : `${prefix}-${provider}`);
  return {
    ai: await load(prefix ?? "ai"),
    openai: await load(name("openai")),
    anthropic: await load(name("anthropic")),
    google: await load(name("google")),
    compatible: await load(name("openai-compatible")),
  };
}

export const AI_SDKS: Readonly<Record<string, () => Promise<AiSdk>>> = {
  "AI SDK 5": () => loadAi("ai-5"),
  "AI SDK 6": () => loadAi("ai-6"),
  "AI SDK 7": () => loadAi(null),
};

export const OPENAI_SDKS: Readonly<Record<string, () => Promise<typeof import("openai")>>> = {
  "openai 5": () => load("openai-5"),
  "openai 6": () => load("openai-6"),
  "openai 7": () => load("openai"),
};

export const ANTHROPIC_SDKS: Readonly<Record<string, () => Promise<typeof import("@anthropic-ai/sdk")>>> = {
  "@anthropic-ai/sdk 0": () => load("anthropic-0"),
  "@anthropic-ai/sdk 1": () => load("@anthropic-ai/sdk"),
};

export const GOOGLE_SDKS: Readonly<Record<string, () => Promise<typeof import("@google/genai")>>> = {
  "@google/genai 1": () => load("genai-1"),
  "@google/genai 2": () => load("genai-2"),
  "@google/genai 3": () => load("@google/genai"),
};

interface KnownFailure {
  /** The client and the reading, `AI SDK 5, anthropic: OpenAI#gpt-4.1, refusal`. */
  readonly where: RegExp;
  readonly why: string;
}

/** The answers that a client reads. */
export class Readings {
  readonly #client: string;
  readonly #known: readonly KnownFailure[];
  readonly #failures: string[] = [];
  #count = 0;
  #explained = 0;

  constructor(client: string, known: readonly KnownFailure[] = []) {
    this.#client = client;
    this.#known = known;
  }

  /** Runs one reading. It must throw if it is known to fail, and must not otherwise. */
  async read(name: string, work: () => Promise<void>): Promise<void> {
    this.#count++;
    const isKnown = this.#known.some(({ where }) => where.test(`${this.#client}: ${name}`));
    try {
      await work();
      if (isKnown) this.#failures.push(`${name}: was read, against expectation`);
    } catch (thrown) {
      const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
      if (isKnown) this.#explained++;
      else this.#failures.push(`${name}: ${text.slice(0, 600)}`);
    }
  }

  /** Shows the counts, and fails unless all answers were read but for the known ones. */
  expectRead(): void {
    const read = this.#count - this.#explained - this.#failures.length;
    const left = this.#explained > 0 ? `, ${this.#explained} not for a known reason` : "";
    console.log(`${this.#client}: ${read} of ${this.#count} answers read${left}`);
    expect(this.#failures).toEqual([]);
  }
}
