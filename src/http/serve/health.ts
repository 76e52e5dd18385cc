// Health routes: liveness, readiness, metrics, and the configuration's schema. Only metrics may require a token.
import { Elysia } from "elysia";
import { toFault } from "../../core/faults/fault.ts";
import { describeResponse, describeRoute } from "../openapi/route-schema.ts";
import type { HttpPorts } from "../ports.ts";
import { createJsonResponse } from "./answers.ts";
import { bearerToken } from "./auth.ts";

interface HealthPorts extends Pick<HttpPorts, "snapshot" | "draining"> {
  /** Throws if the store is unusable. Returns the parts of it that are missing. */
  readonly storeReady: () => Promise<readonly string[]>;
  /** Returns what is wrong although requests are served, in words that anyone may read. */
  readonly problems: () => readonly string[];
  /** The version of the guard's rules. Null if there are none. */
  readonly guardVersion: () => string | null;
  /** Throws if the bearer may not read the metrics. */
  readonly checkScraper: (bearer: string | undefined) => void;
  /** Returns the metrics as Prometheus text. */
  readonly metrics: () => string | Promise<string>;
  readonly configSchema: () => object;
}

const METRICS_HEADERS = {
  "content-type": "text/plain; version=0.0.4; charset=utf-8",
  "cache-control": "no-store",
};

const TAG = "Operation";
const READINESS = {
  ...describeResponse(
    "It can. If part of the store is unavailable, or a changed configuration was refused, `problems` says so. `guard` has the version of the guard's rules, if there are any.",
  ),
  503: { description: "It can't. `problems` says why." },
};
const METRICS = {
  ...describeResponse("The metrics, which name no key, and no account but those in `metrics.balances`."),
  401: { description: "The bearer token is missing, or is not the one in `metrics.token`." },
};

const ALIVE = { status: "ok" };

function describeProbe(operationId: string, path: string) {
  return describeRoute(TAG, operationId, `The same as ${path}, by LiteLLM's name`, "As there.");
}

export function healthRoutes(given: HealthPorts) {
  const ports = { ...given, storeReady: shared(given.storeReady) };
  let configSchema: object | undefined;
  return (
    new Elysia()
      .get(
        "/healthz",
        () => createJsonResponse(200, ALIVE),
        describeRoute(TAG, "health", "Check that the process is alive", "It is."),
      )
      .get(
        "/readyz",
        () => ready(ports),
        describeRoute(TAG, "ready", "Check that the gateway can serve requests", READINESS),
      )
      // LiteLLM's names for the two, which the probes of those who come from it have.
      .get(
        "/health/liveliness",
        () => createJsonResponse(200, ALIVE),
        describeProbe("liveliness", "/healthz"),
      )
      .get("/health/liveness", () => createJsonResponse(200, ALIVE), describeProbe("liveness", "/healthz"))
      .get("/health/readiness", () => ready(ports), describeProbe("readiness", "/readyz"))
      .get(
        "/config.schema.json",
        () => {
          configSchema ??= ports.configSchema();
          return createJsonResponse(200, configSchema);
        },
        describeRoute(TAG, "configSchema", "Get the configuration file's JSON Schema", "The schema."),
      )
      .use(bearerToken())
      .get(
        "/metrics",
        async ({ bearer }) => {
          ports.checkScraper(bearer);
          return new Response(await ports.metrics(), { headers: METRICS_HEADERS });
        },
        describeRoute(TAG, "metrics", "Get the metrics in Prometheus text format", METRICS),
      )
  );
}

/** Shares one answer between concurrent calls: the check takes the store's lock briefly, and anyone may call it. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | null = null;
  return () => {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
}

/**
 * Ready means not shutting down, with a provider enabled and the store usable; the answer names what is missing. A
 * partly missing store still answers 200: with no node in service, no account at all would be served. So does a refused
 * configuration, since the one before it is in use.
 */
async function ready(ports: HealthPorts): Promise<Response> {
  const reasons: string[] = [];
  const missing: string[] = [];
  if (ports.draining()) reasons.push("shutting down");
  if (ports.snapshot().upstreams.size === 0) reasons.push("no provider is enabled");
  try {
    missing.push(...(await ports.storeReady()));
  } catch (thrown) {
    const { details, message } = toFault(thrown);
    reasons.push(`store: ${details.reason ?? message}`);
  }
  const problems = [...reasons, ...missing.map((part) => `store: ${part}`), ...ports.problems()];
  if (reasons.length > 0)
    return createJsonResponse(503, { status: "not ready", problems }, { "retry-after": "1" });
  const version = ports.guardVersion();
  return createJsonResponse(200, {
    status: missing.length > 0 ? "partly ready" : "ready",
    ...(problems.length > 0 && { problems }),
    ...(version !== null && { guard: { version } }),
  });
}
