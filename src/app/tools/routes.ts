// The routes of tool servers, of those who call tools and of operators.
import type { WritingParts } from "../../http/admin-route.ts";
import { toolAdminRoutes } from "../../http/tools/admin-tools.ts";
import { toolRoutes } from "../../http/tools/routes.ts";
import { type AdminParts, createToolAdminParts } from "./admin-parts.ts";
import type { Tools } from "./tools.ts";

interface ToolRouteParts extends AdminParts {
  readonly tools: Tools;
}

export function listToolRoutes(parts: ToolRouteParts, operator: WritingParts) {
  const { ports, door } = parts.tools;
  return [toolRoutes(ports, door), toolAdminRoutes(operator, createToolAdminParts(parts))];
}
