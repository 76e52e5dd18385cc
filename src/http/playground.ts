// POST /admin/v1/playground: a chat completion for the operator, as the console's own key.
import { Elysia } from "elysia";
import { consoleKey } from "../admin/console-key.ts";
import { OPENAI_CHAT } from "../surfaces/openai-chat/surface.ts";
import { CountingLimit } from "./counting.ts";
import { checkOperator, type OperatorParts } from "./operator.ts";
import type { HttpPorts } from "./ports.ts";
import { tell, tellAnswer } from "./route-schema.ts";
import { serve } from "./serve.ts";

export function playgroundRoutes(operator: OperatorParts, ports: HttpPorts) {
  const counting = new CountingLimit();
  return new Elysia().post(
    "/admin/v1/playground",
    async ({ request, server, set }) => {
      await checkOperator(operator, { request, server });
      const identify = () => consoleKey(operator.world);
      return serve(ports, OPENAI_CHAT, { request, identify, server, counting }, set);
    },
    {
      parse: "none",
      ...tell("Chat", "playground", "Create a chat completion as the console's own key", {
        responses: tellAnswer("As for `POST /v1/chat/completions`."),
      }),
    },
  );
}
