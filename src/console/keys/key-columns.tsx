// The columns that short lists of keys share.
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import { formatRelativeTime } from "../frame/format.ts";
import { makeHref } from "../frame/route.ts";
import { Badge } from "../parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn } from "../parts/table.tsx";

export const KEY_NAME: Column<KeyInUseView> = makeHeadColumn("Name", ({ id, name, last4, state }) => (
  <div class="row tight">
    <a class="strong clip name" href={makeHref(`/settings/router/${id}`)}>
      {name}
    </a>
    <code class="faint">…{last4}</code>
    {state !== "active" && <Badge text={state} tone="warn" />}
  </div>
));

export const LAST_USED: Column<KeyInUseView> = makeColumn("Last used", ({ last_used_at }) =>
  last_used_at ? formatRelativeTime(last_used_at) : <span class="faint">never</span>,
);
