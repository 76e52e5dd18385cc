// POST /admin/v1/playground: a chat completion for the operator, as the console's own key.
import { Elysia } from "elysia";
import { consoleKey } from "../admin/console-key.ts";
import { options } from "./admin-route.ts";
import { bearerToken } from "./auth.ts";
import { chat } from "./chat.ts";
import { checkOperator, type OperatorParts } from "./operator.ts";
import type { HttpPorts } from "./ports.ts";

export function playgroundRoutes(operator: OperatorParts, ports: HttpPorts) {
  return new Elysia().use(bearerToken()).post(
    "/admin/v1/playground",
    async ({ request, bearer, server, set }) => {
      await checkOperator(operator, { request, bearer, server });
      return chat(ports, request, () => consoleKey(operator.world), server, set);
    },
    options,
  );
}
