// The routes of tool servers, of those who call tools and of operators.

import type { Settings } from "../../core/settings.ts";
import type { WritingParts } from "../../http/admin-route.ts";
import { toolAdminRoutes } from "../../http/tools/admin-tools.ts";
import { toolRoutes } from "../../http/tools/routes.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { clock } from "../world.ts";
import { createToolDirectory } from "./directory.ts";
import type { Tools } from "./tools.ts";

interface ToolRouteParts {
  readonly opened: Pick<OpenedStore, "store">;
  readonly live: { readonly settings: Settings };
  readonly tools: Tools;
}

export function listToolRoutes({ opened, live, tools }: ToolRouteParts, operator: WritingParts) {
  const admin = {
    store: opened.store,
    clock,
    limitRules: () => live.settings.ownerLimits,
    directory: createToolDirectory(tools.servers),
  };
  return [toolRoutes(tools.ports, tools.door), toolAdminRoutes(operator, admin)];
}
