// POST /v1/metrics, /v1/logs and /v1/traces: where coding agents send telemetry of their own. It is taken and dropped.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { describeResponse, describeRoute } from "../openapi/route-schema.ts";
import type { SenderPorts } from "../ports.ts";
import { createResponse } from "../serve/answers.ts";
import { identifyCaller } from "../serve/auth.ts";
import type { Peers } from "../serve/client-address.ts";

export function agentTelemetryRoutes(ports: SenderPorts) {
  return new Elysia()
    .post("/v1/metrics", ({ request, server }) => drop(ports, request, server), describe("metrics"))
    .post("/v1/logs", ({ request, server }) => drop(ports, request, server), describe("logs"))
    .post("/v1/traces", ({ request, server }) => drop(ports, request, server), describe("traces"));
}

/** The body is not read. An agent that got an error would show it, or send the same again. */
async function drop(ports: SenderPorts, request: Request, server: Peers | null): Promise<Response> {
  await identifyCaller(ports, { request, server });
  const type = request.headers.get("content-type") ?? "";
  // An answer without fields has no bytes in protobuf.
  if (/protobuf/i.test(type)) return createResponse(200, "", { "content-type": "application/x-protobuf" });
  return createResponse(200, "{}");
}

function describe(signal: string) {
  return {
    parse: "none" as const,
    ...describeRoute(
      "Key",
      `drop_${signal}`,
      `Take an agent's own telemetry (OTLP ${signal}) and drop it`,
      describeResponse("Taken.", Type.Object({})),
      Type.Object({}, { description: "As OpenTelemetry's exporters send it. It is not read." }),
    ),
  };
}
