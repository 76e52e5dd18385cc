// A collector for tests: it reads what arrives strictly, keeps it, and can answer badly.
import { type ReadLog, type ReadSpan, readLogs, readSpans } from "./otlp.ts";

export interface Collector {
  readonly url: string;
  readonly spans: ReadSpan[];
  readonly logs: ReadLog[];
  readonly resources: Readonly<Record<string, unknown>>[];
  readonly headers: Headers[];
  /** The reasons why a body could not be read. */
  readonly errors: string[];
  /** The number of calls so far, by path. */
  readonly calls: Map<string, number>;
  /** Answers instead of 200, once the body was read. Null for 200. */
  answer: ((path: string) => Response | Promise<Response> | null) | null;
  /** The spans of a request, by its id in the answer. */
  of(requestId: string): readonly ReadSpan[];
  stop(): Promise<void>;
}

export function startCollector(): Collector {
  const collector: Omit<Collector, "url" | "stop" | "of"> = {
    spans: [],
    logs: [],
    resources: [],
    headers: [],
    errors: [],
    calls: new Map(),
    answer: null,
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      collector.calls.set(pathname, (collector.calls.get(pathname) ?? 0) + 1);
      collector.headers.push(request.headers);
      const body: unknown = await request.json();
      const answer = (await collector.answer?.(pathname)) ?? null;
      if (answer !== null && !answer.ok) return answer;
      try {
        if (request.headers.get("content-type") !== "application/json") throw new Error("not JSON");
        take(collector, pathname, body);
      } catch (error) {
        collector.errors.push(String(error));
      }
      return answer ?? Response.json({});
    },
  });
  return Object.assign(collector, {
    url: `http://127.0.0.1:${server.port}`,
    of(requestId: string) {
      const own = collector.spans.find(({ attributes }) => attributes["poundkey.request_id"] === requestId);
      const isOwn = (span: ReadSpan) => span === own || span.parentSpanId === own?.spanId;
      return own === undefined ? [] : collector.spans.filter(isOwn);
    },
    stop: () => server.stop(true),
  });
}

function take(to: Omit<Collector, "url" | "stop" | "of">, path: string, body: unknown): void {
  if (path === "/v1/traces") {
    const { resource, items } = readSpans(body);
    to.resources.push(resource);
    to.spans.push(...items);
  } else if (path === "/v1/logs") {
    const { resource, items } = readLogs(body);
    to.resources.push(resource);
    to.logs.push(...items);
  } else throw new Error(`unknown path ${path}`);
}
