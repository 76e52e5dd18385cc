// POST /admin/v1/playground: a chat completion for the operator, as the console's own key.
import { Elysia } from "elysia";
import { consoleKey } from "../admin/console-key.ts";
import { OPENAI_CHAT } from "../surfaces/openai-chat/surface.ts";
import { options } from "./admin-route.ts";
import { bearerToken } from "./auth.ts";
import { CountingLimit } from "./counting.ts";
import { checkOperator, type OperatorParts } from "./operator.ts";
import type { HttpPorts } from "./ports.ts";
import { serve } from "./serve.ts";

export function playgroundRoutes(operator: OperatorParts, ports: HttpPorts) {
  const counting = new CountingLimit();
  return new Elysia().use(bearerToken()).post(
    "/admin/v1/playground",
    async ({ request, bearer, server, set }) => {
      await checkOperator(operator, { request, bearer, server });
      const identify = () => consoleKey(operator.world);
      return serve(ports, OPENAI_CHAT, { request, identify, server, counting }, set);
    },
    options,
  );
}
