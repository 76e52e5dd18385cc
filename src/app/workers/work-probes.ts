// Answers the probes of a gateway that hasn't started yet because its store is away, or being copied or migrated.

export interface ProbeAddress {
  readonly hostname: string;
  readonly port: number;
  /** True if other processes listen there too. */
  readonly reusePort: boolean;
}

export type WorkStatus = "migrating" | "waiting";

interface WorkState {
  readonly status: WorkStatus;
  /** In words. */
  readonly work: string;
  /** From 0 to 1. Null if it can't be known. */
  readonly share: number | null;
}

const ALIVE = ["/healthz", "/health/liveliness", "/health/liveness"];

/** It is alive and not ready, so that nobody ends it and nobody sends it requests. */
export class WorkProbes {
  readonly #server: Bun.Server<undefined> | null;
  #shown: WorkState = { status: "migrating", work: "starting", share: null };

  constructor({ hostname, port, reusePort }: ProbeAddress) {
    try {
      this.#server = Bun.serve({ hostname, port, reusePort, fetch: ({ url }) => this.#answer(new URL(url)) });
    } catch {
      // The gateway says itself that it can't listen there.
      this.#server = null;
    }
  }

  show(shown: WorkState): void {
    this.#shown = shown;
  }

  stop(): void {
    this.#server?.stop(true);
  }

  #answer({ pathname }: URL): Response {
    const { status, work, share } = this.#shown;
    if (ALIVE.includes(pathname)) return Response.json({ status, work, share });
    const headers = { "retry-after": "10" };
    return Response.json({ status: "not ready", problems: [`store: ${work}`] }, { status: 503, headers });
  }
}
