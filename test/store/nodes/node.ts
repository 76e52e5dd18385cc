// A node in a separate process: started, given jobs, killed.
import { join } from "node:path";

/** Many nodes share a small machine here, and their durations are not asserted. */
export const PATIENCE_MS = 30_000;

/** A batch of requests. */
export interface Job {
  readonly name: string;
  readonly keyId: string;
  readonly times: number;
  readonly atOnce: number;
  /** True if the balance pays, false if the allowance does. */
  readonly isPaid: boolean;
  /** The worst cost of each request, and its actual cost. */
  readonly costNanoUsd: number;
  /** False if they stay held. */
  readonly settles: boolean;
}

export interface Counts {
  readonly granted: number;
  readonly refused: number;
  readonly failed: number;
}

export interface Node {
  /** Its id in the store, once it is registered there. Rejects if it ends before. */
  readonly id: Promise<string>;
  run(job: Job): Promise<Counts & { readonly tookMs: number }>;
  /** Sends SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Shuts it down in order. */
  end(): Promise<void>;
}

export function startNode(url: string): Node {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "node.process.ts"), url], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = linesOf(child.stdout);
  const next = async () => {
    const { value } = await lines.next();
    if (value === undefined) throw new Error("the node ended");
    return JSON.parse(value);
  };
  const id = next().then(({ node }) => String(node));
  id.catch(() => {});
  return {
    id,
    async run(job) {
      child.stdin.write(`${JSON.stringify(job)}\n`);
      child.stdin.flush();
      return next();
    },
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
    async end() {
      child.stdin.end();
      await child.exited;
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const [...lines] = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
