// The keys that may call a tool.
import { Type } from "@sinclair/typebox";
import { isLive } from "../../core/keys/key.ts";
import type { Store } from "../../core/store.ts";
import { isToolAllowed } from "../../core/tools/patterns.ts";
import type { ListedTool } from "../../core/tools/tool-directory.ts";
import { readPages } from "../../core/world/read-pages.ts";
import type { Clock } from "../../core/world/world.ts";
import type { Access } from "../../people/access.ts";
import { text, type View } from "../schema.ts";
import { findKeyLevels } from "./sight.ts";
import type { ToolServerParts } from "./tool-servers.ts";

const USERS_MAX = 100;
/** If a store has more keys, the newest are looked at. */
const KEYS_MAX = 2000;
const KEYS_AT_ONCE = 200;

export const toolUsersSchema = Type.Array(Type.Object({ key_id: text, name: text, account_id: text }), {
  description: `The keys that may call it, the newest first, at most ${USERS_MAX} of the newest ${KEYS_MAX}.`,
});

interface UserParts extends ToolServerParts {
  readonly store: ToolServerParts["store"] & Pick<Store, "keys">;
  readonly clock: Pick<Clock, "nowMs">;
}

interface ToolUsers {
  readonly users: View<typeof toolUsersSchema>;
  /** False if there may be more. */
  readonly isComplete: boolean;
}

/** Returns the keys within the sender's sight that may call the tool and that are neither revoked nor expired. */
export async function findUsers(
  parts: UserParts,
  { fullName }: Pick<ListedTool, "fullName">,
  access: Access,
): Promise<ToolUsers> {
  const { store, clock } = parts;
  const nowMs = clock.nowMs();
  const scope = access.scope("keys.read");
  const users: ToolUsers["users"][number][] = [];
  let seen = 0;
  const pages = readPages((page) => store.keys(page, { isRevoked: false, nowMs, scope }), KEYS_AT_ONCE);
  for await (const keys of pages) {
    for (const key of keys) {
      if (users.length === USERS_MAX || seen++ === KEYS_MAX) return { users, isComplete: false };
      if (!isLive(key, nowMs) || !isToolAllowed(await findKeyLevels(parts, key), fullName)) continue;
      users.push({ key_id: key.id, name: key.name, account_id: key.accountId });
    }
  }
  return { users, isComplete: true };
}
