// The limits of LiteLLM's keys: their own, and their share of those that they have together with other keys.
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { type ForeignRow, readText } from "../columns.ts";
import type { Bound } from "./bounds.ts";
import { addBudget, readLimits } from "./budgets.ts";
import type { ModelNames } from "./config.ts";
import {
  BUDGET_COLUMNS,
  checkColumns,
  checkLimitingMetadata,
  checkPermission,
  USER_COLUMNS,
} from "./key-columns.ts";
import { divideLimits, isTooSmall, isUnlimited, joinLimits, type Limits } from "./limits.ts";
import type { ImportNotes } from "./notes.ts";
import type { ToolServerNames } from "./tool-servers.ts";

interface KeyLimitParts {
  readonly names: ModelNames;
  readonly notes: ImportNotes;
  readonly nowMs: number;
  /** The number of keys that share the limits of a bound, by its name. */
  readonly sharers: ReadonlyMap<string, number>;
  /** Null if they aren't given. */
  readonly permissions: readonly ForeignRow[] | null;
  /** Null if there are no tool servers. */
  readonly toolNames: ToolServerNames | null;
}

/** Its user may look at everything there, and call nothing. */
const VIEWER = "proxy_admin_viewer";

/** `budget` is the row of the key's own budget, if it has one. */
export function readKeyLimits(
  row: ForeignRow,
  budget: ForeignRow | undefined,
  bounds: readonly Bound[],
  { sharers, permissions, toolNames, ...parts }: KeyLimitParts,
): Limits {
  const { notes } = parts;
  const own = readLimits(addBudget(row, budget), { ...parts, where: "", isKey: true });
  const shares = bounds.map((bound) => {
    checkBound(bound, { permissions, toolNames, notes });
    return share(bound, sharers.get(bound.name) ?? 1, parts);
  });
  const limits = shares.reduce(joinLimits, own);
  if (limits.uses.size > KEY_FIELDS.budgets.elementsMax)
    notes.pause(`it would need ${limits.uses.size} budgets, and has up to ${KEY_FIELDS.budgets.elementsMax}`);
  return limits;
}

type CheckParts = Pick<KeyLimitParts, "permissions" | "toolNames" | "notes">;

function checkBound({ name, row }: Bound, { permissions, toolNames, notes }: CheckParts): void {
  const isUser = name.startsWith("user ");
  checkColumns(row, isUser ? USER_COLUMNS : BUDGET_COLUMNS, notes, ` of ${name}`);
  checkLimitingMetadata(row, notes, ` of ${name}`);
  checkPermission(row, permissions, notes, { where: ` of ${name}`, hasTools: toolNames !== null });
  if (isUser && readText(row, "user_role") === VIEWER)
    notes.pause(`user_role of ${name}: a ${VIEWER} calls no models`);
}

function share(
  { name, row }: Bound,
  among: number,
  parts: Omit<KeyLimitParts, "sharers" | "permissions" | "toolNames">,
): Limits {
  const { notes } = parts;
  const limits = readLimits(row, { ...parts, where: ` of ${name}`, isKey: false });
  if (isUnlimited(limits)) return limits;
  if (among === 1) notes.take(`limits of ${name}`, "it is its only key, and has them");
  else notes.narrow(`limits of ${name}`, `${among} keys share them, so each has 1/${among}`);
  const part = divideLimits(limits, among);
  if (isTooSmall(limits, part)) notes.pause(`limits of ${name}: too small to be divided among ${among} keys`);
  return part;
}
