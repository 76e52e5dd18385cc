// POST /v1/metrics, /v1/logs and /v1/traces: where coding agents send telemetry of their own. It is taken and dropped.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { createResponse } from "./answers.ts";
import { identify } from "./auth.ts";
import type { HttpPorts } from "./ports.ts";
import { describeResponse, describeRoute } from "./route-schema.ts";

const SIGNALS = ["metrics", "logs", "traces"] as const;

/** The body is not read. An agent that got an error would show it, or send the same again. */
export function agentTelemetryRoutes(ports: Pick<HttpPorts, "authenticate" | "readOrigin">) {
  const app = new Elysia();
  for (const signal of SIGNALS) {
    app.post(
      `/v1/${signal}`,
      async ({ request, server }) => {
        await identify(ports, { request, server });
        const type = request.headers.get("content-type") ?? "";
        // An answer without fields has no bytes in protobuf.
        if (/protobuf/i.test(type))
          return createResponse(200, "", { "content-type": "application/x-protobuf" });
        return createResponse(200, "{}");
      },
      {
        parse: "none",
        ...describeRoute(
          "Key",
          `drop_${signal}`,
          `Take an agent's own telemetry (OTLP ${signal}) and drop it`,
          describeResponse("Taken.", Type.Object({})),
          Type.Object({}, { description: "As OpenTelemetry's exporters send it. It is not read." }),
        ),
      },
    );
  }
  return app;
}
