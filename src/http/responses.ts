// The routes of the Responses API beside its POST: nothing is kept here, and nothing is spoken over a WebSocket.
import { Elysia } from "elysia";
import { Fault } from "../core/fault.ts";
import { OPENAI_RESPONSES } from "../surfaces/openai-responses/surface.ts";
import { refusalAnswer } from "./answers.ts";
import { bearerToken, findSecret } from "./auth.ts";
import type { HttpPorts } from "./ports.ts";

/** Codex falls back to POST at once on a 426; after a 404 it retries for eight seconds. */
const UPGRADE_REFUSED = 426;

export function responseRoutes(ports: HttpPorts) {
  const refuseStored = async (bearer: string | undefined, request: Request) => {
    await ports.authenticate(findSecret(bearer, request.headers));
    throw new Fault("not_found", "There is no response with that id: responses are not kept here.", {
      param: "id",
    });
  };
  return new Elysia()
    .use(bearerToken())
    .get("/v1/responses", ({ request }) => refuseUpgrade(request))
    .get("/responses", ({ request }) => refuseUpgrade(request))
    .get("/v1/responses/:id", ({ bearer, request }) => refuseStored(bearer, request))
    .delete("/v1/responses/:id", ({ bearer, request }) => refuseStored(bearer, request))
    .get("/v1/responses/:id/input_items", ({ bearer, request }) => refuseStored(bearer, request));
}

function refuseUpgrade({ headers }: Request): Response {
  const isUpgrade = headers.get("upgrade")?.toLowerCase() === "websocket";
  const message = isUpgrade
    ? "This gateway speaks HTTP here, not WebSocket: use POST /v1/responses with stream: true."
    : "This URL takes POST, not GET.";
  const fault = new Fault("method_not_supported", message, { allow: "POST" });
  const refusal = OPENAI_RESPONSES.refuse(fault, "");
  return refusalAnswer(fault, isUpgrade ? { ...refusal, status: UPGRADE_REFUSED } : refusal);
}
