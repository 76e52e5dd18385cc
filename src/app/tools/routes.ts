// The routes of tool servers, of those who call tools and of operators.
import type { WritingParts } from "../../http/admin-route.ts";
import { type Answers, directRoutes } from "../../http/door/surface-routes.ts";
import type { DirectRoutes } from "../../http/serve/app.ts";
import { toolAdminRoutes } from "../../http/tools/admin-tools.ts";
import { directToolRoutes, toolRoutes } from "../../http/tools/routes.ts";
import { type AdminParts, createToolAdminParts } from "./admin-parts.ts";
import type { Tools } from "./tools.ts";

interface ToolRouteParts extends AdminParts {
  readonly tools: Tools;
}

/** Returns the handlers that Bun's own router can call: of the surfaces, and of the address of all tool servers. */
export function listDirectRoutes(
  answers: Answers,
  { ports, door }: Pick<Tools, "ports" | "door">,
): DirectRoutes {
  return { ...directRoutes(answers), ...directToolRoutes(ports, door) };
}

export function listToolRoutes(parts: ToolRouteParts, operator: WritingParts) {
  const { ports, door } = parts.tools;
  return [toolRoutes(ports, door), toolAdminRoutes(operator, createToolAdminParts(parts))];
}
