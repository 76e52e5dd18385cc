// Listens to a tool server that announces changes of its lists, as long as somebody wants to hear of them.
import { makeUnavailable } from "../../tools/failures.ts";
import type { ServerFacts } from "../../tools/wire/server-facts.ts";
import type { MessageListener } from "./answer-events.ts";
import { CallScope } from "./call-scope.ts";
import type { MirrorSource } from "./mirror-source.ts";
import type { Peer } from "./peer.ts";

const CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** The time between two requests for lists that a server's announcements cause. */
const BETWEEN_MS = 1_000;
/** A stream that lasted this long worked: the next one is opened soon. */
const WORKING_MS = 10_000;

export class Listening {
  readonly #peer: Peer;
  readonly #source: MirrorSource;
  #scope: CallScope | null = null;
  #isOn = false;
  #pauseMs = FIRST_PAUSE_MS;
  #cancelPause: () => void = () => {};
  #cancelAsk: () => void = () => {};
  /** True while the lists are asked for, or will be. */
  #isWaiting = false;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(peer: Peer, source: MirrorSource) {
    this.#peer = peer;
    this.#source = source;
  }

  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#pauseMs = FIRST_PAUSE_MS;
    void this.#hear();
  }

  stop(): void {
    this.#isOn = false;
    this.#cancelPause();
    this.#cancelAsk();
    this.#isWaiting = false;
    this.#scope?.close();
    this.#scope = null;
  }

  /** Opens one stream, and the next after a pause once it ends. */
  async #hear(): Promise<void> {
    const { ports, server } = this.#peer.terms;
    const { deadlines } = ports;
    const sinceMs = deadlines.nowMs();
    const scope = new CallScope(deadlines, Number.POSITIVE_INFINITY, () => makeUnavailable(server.name));
    this.#scope = scope;
    const isServed = await this.#open(scope).catch(() => true);
    scope.close();
    this.#source.known.endUnkept(this.#peer);
    if (!this.#isOn || this.#scope !== scope) return;
    if (deadlines.nowMs() - sinceMs > WORKING_MS) this.#pauseMs = FIRST_PAUSE_MS;
    this.#pause(isServed ? this.#pauseMs : LONGEST_PAUSE_MS);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #pause(forMs: number): void {
    this.#cancelPause = this.#peer.terms.ports.clock.after(forMs, () => {
      if (this.#isOn) void this.#hear();
    });
  }

  /** Resolves when the stream ends. False if the server has no changes to announce, or no stream for them. */
  async #open(scope: CallScope): Promise<boolean> {
    const facts = await scope.wait(this.#source.known.get(this.#peer));
    if (!facts.announces) return false;
    const session = await scope.wait(this.#source.known.open(this.#peer, facts));
    if (this.#scope !== scope) return true;
    // No stream announces the changes between two streams.
    this.#refresh();
    return facts.era === "newer" ? this.#subscribe(facts, scope) : this.#hearOlder(facts, session, scope);
  }

  async #subscribe(facts: ServerFacts, scope: CallScope): Promise<boolean> {
    const wanted = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const { status } = await this.#peer.request(facts, {
      id: this.#peer.terms.ids.next(),
      method: "subscriptions/listen",
      params: { notifications: wanted },
      meta: {},
      hasProgress: false,
      parameters: [],
      session: null,
      scope,
      listener: this.#listen(facts.version, null),
    });
    return status < 400;
  }

  async #hearOlder({ version }: ServerFacts, session: string | null, scope: CallScope): Promise<boolean> {
    const { status } = await this.#peer.hearOlder(version, session, scope, this.#listen(version, session));
    // Servers refuse an unknown session by either status.
    const isForgotten = (status === 404 || status === 400) && session !== null;
    if (isForgotten) this.#source.known.forgetSession(session);
    return status < 400 || isForgotten;
  }

  #listen(version: string, session: string | null): MessageListener {
    return {
      notify: (method) => {
        if (CHANGED.test(method)) this.#refresh();
      },
      request: (id, method) => this.#peer.refuse(version, session, id, method),
    };
  }

  /** Asks for the lists at once, and then once a second at most, however often a change is announced. */
  #refresh(): void {
    this.#source.markOutdated();
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const { clock, deadlines } = this.#peer.terms.ports;
    const waitMs = this.#askedAtMs + BETWEEN_MS - deadlines.nowMs();
    if (waitMs <= 0) void this.#ask();
    else this.#cancelAsk = clock.after(waitMs, () => void this.#ask());
  }

  async #ask(): Promise<void> {
    this.#askedAtMs = this.#peer.terms.ports.deadlines.nowMs();
    await this.#source.refresh(this.#peer);
    this.#isWaiting = false;
    // It was announced while the lists were read, or a list was under way.
    if (this.#isOn && this.#source.isOutdated && this.#source.fault === null) this.#refresh();
  }
}
