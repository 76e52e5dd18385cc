// The parts of the admin routes of tool servers.
import type { ToolParts } from "../../admin/tools/tools.ts";
import type { Settings } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import { clock } from "../world.ts";
import { createToolDirectory } from "./directory.ts";
import type { Tools } from "./tools.ts";

export interface AdminParts {
  readonly opened: { readonly store: Store };
  readonly live: { readonly settings: Settings };
  readonly tools: Pick<Tools, "servers">;
}

export function createToolAdminParts({ opened, live, tools }: AdminParts): ToolParts {
  return {
    store: opened.store,
    clock,
    limitRules: () => live.settings.ownerLimits,
    directory: createToolDirectory(tools.servers),
  };
}
