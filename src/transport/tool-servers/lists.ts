// Reads all lists of a tool server, page by page, within bounds.
import { asArray, type JsonObject } from "../../core/json/json.ts";
import { makeBrokenAnswer } from "../../tools/failures.ts";
import { EMPTY_LISTS, type RawLists } from "../../tools/mirror.ts";
import { isOtherEra, isUnknownSession, type ServerFacts } from "../../tools/wire/server-facts.ts";
import type { MessageListener } from "./answer-events.ts";
import type { CallScope } from "./call-scope.ts";
import type { KnownFacts } from "./known-facts.ts";
import type { Peer } from "./peer.ts";

const PAGES_MAX = 100;
/** The bound of all pages together. A server's tools take 4 MB at most, and the rest is left out. */
const BYTES_MAX = 32 * 1024 * 1024;
const NO_META: JsonObject = Object.freeze({});

interface ListsTerms {
  readonly peer: Peer;
  readonly known: KnownFacts;
  readonly scope: CallScope;
}

/** The server has forgotten the session or speaks another era: asking once more helps. */
class StaleFacts extends Error {}

/** Rejects with a fault of the table. */
export async function readLists(terms: ListsTerms): Promise<RawLists> {
  try {
    return await readOnce(terms);
  } catch (thrown) {
    if (!(thrown instanceof StaleFacts)) throw thrown;
    return await readOnce(terms).catch((again: unknown) => {
      if (!(again instanceof StaleFacts)) throw again;
      throw makeBrokenAnswer(terms.peer.terms.server.name, "no list in either era");
    });
  }
}

async function readOnce(terms: ListsTerms): Promise<RawLists> {
  const { peer, known, scope } = terms;
  const facts = await scope.wait(known.get(peer));
  const session = await scope.wait(known.open(peer, facts));
  const pages = new PageReader(terms, facts, session);
  const { resources: showsResources, prompts: showsPrompts } = peer.terms.server;
  const tools = facts.hasTools ? await pages.read("tools/list", "tools") : EMPTY_LISTS.tools;
  const hasPrompts = showsPrompts && facts.hasPrompts;
  const prompts = hasPrompts ? await pages.read("prompts/list", "prompts") : EMPTY_LISTS.prompts;
  if (!showsResources || !facts.hasResources) return { ...EMPTY_LISTS, tools, prompts };
  const resources = await pages.read("resources/list", "resources");
  const templates = await pages.read("resources/templates/list", "resourceTemplates", true);
  return { tools, prompts, resources, templates };
}

class PageReader {
  readonly #terms: ListsTerms;
  readonly #facts: ServerFacts;
  readonly #session: string | null;
  #bytes = 0;

  constructor(terms: ListsTerms, facts: ServerFacts, session: string | null) {
    this.#terms = terms;
    this.#facts = facts;
    this.#session = session;
  }

  /** A list that is `optional` is empty where the server doesn't know the method. */
  async read(method: string, field: string, optional = false): Promise<readonly unknown[]> {
    const entries: unknown[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < PAGES_MAX; page++) {
      const result = await this.#readPage(method, cursor, optional);
      for (const entry of asArray(result[field])) entries.push(entry);
      const { nextCursor } = result;
      if (typeof nextCursor !== "string" || nextCursor === "" || nextCursor === cursor) return entries;
      cursor = nextCursor;
    }
    return entries;
  }

  async #readPage(method: string, cursor: string | null, optional: boolean): Promise<JsonObject> {
    const { peer, scope } = this.#terms;
    const { name } = peer.terms.server;
    const { status, received } = await peer.request(this.#facts, {
      id: peer.terms.ids.next(),
      method,
      params: cursor === null ? {} : { cursor },
      meta: NO_META,
      hasProgress: false,
      parameters: [],
      session: this.#session,
      scope,
      listener: this.#listen(),
      lists: true,
    });
    this.#bytes += received?.bytes ?? 0;
    if (this.#bytes > BYTES_MAX) throw makeBrokenAnswer(name, "lists of more than 32 MB");
    const { result = null, error = null } = received?.response ?? {};
    if (result !== null) return result;
    this.#checkFacts({ status, error });
    if (optional && error !== null) return {};
    throw makeBrokenAnswer(name, `${method}: ${error?.message ?? `status ${status}`}`);
  }

  #checkFacts(signs: Parameters<typeof isOtherEra>[0]): void {
    const { known } = this.#terms;
    const isForgotten = isUnknownSession(signs, this.#facts.era);
    if (isForgotten && this.#session !== null) known.forgetSession(this.#session);
    else if (isForgotten || isOtherEra(signs, this.#facts.era)) known.forget(this.#facts);
    else return;
    throw new StaleFacts();
  }

  #listen(): MessageListener {
    const { peer } = this.#terms;
    const { version } = this.#facts;
    return {
      notify() {},
      request: (id, method) => peer.refuse(version, this.#session, id, method),
    };
  }
}
