// A request and the spans that a collector got of it.
import { expect } from "bun:test";
import type { UnderTest } from "../harness/harness.ts";
import { until } from "../whole/world/until.ts";
import type { Collector } from "./collector.ts";
import type { ReadSpan } from "./otlp.ts";

export interface Traced {
  readonly status: number;
  readonly headers: Headers;
  readonly server: ReadSpan;
  /** The spans below the server's, in the order of their starts. */
  readonly below: readonly ReadSpan[];
}

/** Asks, reads the whole answer, and waits for the request's spans. */
export async function sendTraced(
  { gateway, collector }: { gateway: Pick<UnderTest, "url" | "secret">; collector: Collector },
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Traced> {
  const id = `req-${crypto.randomUUID()}`;
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${gateway.secret}`,
      "x-request-id": id,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  await response.text();
  return { status: response.status, headers: response.headers, ...(await findTrace(collector, id)) };
}

export async function findTrace(collector: Collector, id: string): Promise<Pick<Traced, "server" | "below">> {
  const spans = await until("its spans arrive", () => {
    const found = collector.of(id);
    return found.length > 0 ? found : null;
  });
  const server = spans.find(({ kind }) => kind === "server");
  if (server === undefined) throw new Error("no server span");
  const below = spans.filter((one) => one !== server);
  for (const one of below) {
    expect(one.traceId).toBe(server.traceId);
    expect(one.startNanos).toBeGreaterThanOrEqual(server.startNanos);
  }
  return {
    server,
    below: below.toSorted((one, other) => Number(one.startNanos - other.startNanos)),
  };
}
