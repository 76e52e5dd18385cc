// Finds the models of the operator's own servers (Ollama, vLLM, LM Studio) in the background, by asking each for its list.
import { makeUnlistedCard } from "../../catalogue/unlisted.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asNumber, asObject, asString } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { ProviderSetup } from "../../core/settings.ts";
import type { Fetch, Log } from "../../core/world/world.ts";
import { readShortText } from "../../transport/short-text.ts";

/** A server that doesn't answer within this time is asked again later. */
const LIST_MS = 5000;
/** The longest list in bytes. Such servers have tens of models, at about 500 bytes each. */
const LIST_BYTES_MAX = 2 * 1024 * 1024;
const MODELS_MAX = 1000;
const NAME = /^[^\s\p{C}]{1,200}$/u;
const TOKENS_MAX = 100_000_000;
const RERANKER = /rerank/i;
const EMBEDDER = /embed|(^|[/-])(bge|gte|e5|minilm|all-minilm)-/i;

interface DiscoveryPorts {
  readonly fetch: Fetch;
  readonly log: Log;
  /** Called when the set of found models has changed. */
  readonly onChange: () => void;
}

/** The models found so far, and the servers that have yet to answer. */
export class Discovery {
  readonly #ports: DiscoveryPorts;
  readonly #found = new Map<string, ServerCards>();
  readonly #waiting = new Map<string, ProviderSetup>();
  readonly #asked = new Set<ProviderSetup>();

  constructor(ports: DiscoveryPorts) {
    this.#ports = ports;
  }

  get cards(): readonly ModelCard[] {
    return [...this.#found.values()].flatMap(({ cards }) => cards);
  }

  /** Sets the enabled providers. New ones are queried at the next `refresh`. */
  follow(providers: readonly ProviderSetup[]): void {
    const servers = new Map(providers.filter(({ discovers }) => discovers).map((one) => [one.name, one]));
    for (const [name, { baseUrl }] of this.#found) {
      if (servers.get(name)?.baseUrl !== baseUrl) this.#found.delete(name);
    }
    for (const name of this.#waiting.keys()) if (!servers.has(name)) this.#waiting.delete(name);
    for (const [name, setup] of servers) {
      if (!this.#found.has(name) || this.#waiting.has(name)) this.#waiting.set(name, setup);
    }
  }

  /** Like `follow`, but asks all of them again. Their models stay listed until they answer. */
  expect(providers: readonly ProviderSetup[]): void {
    this.follow(providers);
    for (const setup of providers) if (setup.discovers) this.#waiting.set(setup.name, setup);
  }

  /** Asks the servers that have not answered yet. Never rejects, and ends within LIST_MS. */
  async refresh(): Promise<void> {
    const due = [...this.#waiting.values()].filter((setup) => !this.#asked.has(setup));
    const changes = await Promise.all(due.map((setup) => this.#ask(setup)));
    if (changes.includes(true)) this.#ports.onChange();
  }

  /** Returns true if the server's models have changed. */
  async #ask(setup: ProviderSetup): Promise<boolean> {
    const { name, baseUrl } = setup;
    this.#asked.add(setup);
    try {
      const cards = await listModels(setup, this.#ports.fetch);
      // A reload may have removed or moved the server in the meantime.
      if (this.#waiting.get(name)?.baseUrl !== baseUrl) return false;
      this.#waiting.delete(name);
      const before = this.#found.get(name)?.cards ?? [];
      this.#found.set(name, { baseUrl, cards });
      return JSON.stringify(cards) !== JSON.stringify(before);
    } catch (error) {
      const cause = error instanceof Error ? error.name : "unreadable";
      this.#ports.log({ event: "discovery_failed", level: "warn", provider: name, cause });
      return false;
    } finally {
      this.#asked.delete(setup);
    }
  }
}

interface ServerCards {
  readonly baseUrl: string;
  readonly cards: readonly ModelCard[];
}

/** Returns a card for each model that the server lists at `GET {base}/models`. Rejects if it doesn't answer with a list. */
export async function listModels(setup: ProviderSetup, fetch: Fetch): Promise<readonly ModelCard[]> {
  const secret = setup.credentials[0]?.secret ?? null;
  const response = await fetch(`${setup.baseUrl}/models`, {
    headers: { ...(secret === null ? {} : { authorization: `Bearer ${secret}` }), ...setup.headers },
    redirect: "manual",
    signal: AbortSignal.timeout(LIST_MS),
    network: setup.network,
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error("refused");
  }
  const text = await readShortText(response, LIST_BYTES_MAX);
  if (text === null) throw new Error("the list is too long");
  return parseList(text, setup.name);
}

/** Reads a model's context length: vLLM's `max_model_len` or llama.cpp's `meta.n_ctx`. Ollama lists none. */
function parseList(text: string, provider: string): readonly ModelCard[] {
  const { data } = asObject(parseReceived(text));
  if (!Array.isArray(data)) throw new Error("not a list of models");
  const names = new Set<string>();
  return asArray(data)
    .slice(0, MODELS_MAX)
    .flatMap((row): readonly ModelCard[] => {
      const { id, max_model_len: length, meta } = asObject(row);
      const name = asString(id) ?? "";
      if (!NAME.test(name) || names.has(name)) return [];
      names.add(name);
      const card = makeUnlistedCard(provider, name, parseTokens(length) ?? parseTokens(asObject(meta).n_ctx));
      return [{ ...card, ...readOperations(name) }];
    });
}

/** Such servers list models that only make vectors beside the others, told apart by name alone. */
function readOperations(name: string): Pick<ModelCard, "operations"> {
  if (RERANKER.test(name)) return { operations: new Set(["rerank"]) };
  return EMBEDDER.test(name) ? { operations: new Set(["embeddings"]) } : {};
}

function parseTokens(value: unknown): number | null {
  const tokens = asNumber(value);
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens > 0 && tokens <= TOKENS_MAX
    ? tokens
    : null;
}
