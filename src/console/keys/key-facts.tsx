// The facts of a key: the allowance that may refuse it, every field that is set, and what to do about a leaked secret.
import type { ComponentChildren } from "preact";
import type { CheckedKeyDetailView } from "../../admin/keys/key-warnings.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { formatTags } from "../../core/fields/tags-text.ts";
import { formatCount, formatFullTime, formatRelativeTime, formatUsd } from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { makeHref } from "../frame/route.ts";
import { may, mayWriteKey } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";
import { Meter, Notice, Warnings } from "../parts/states.tsx";
import type { OpenDialog } from "./keys.tsx";

interface KeyProps {
  readonly of: CheckedKeyDetailView;
}

/** The daily allowance, which refuses a key's requests before any other limit is looked at. */
export function Allowance({ of }: KeyProps) {
  const { allowance, state, warnings = [], paused_by } = of;
  const { limit, used, resets_at } = allowance;
  if (state !== "active") {
    const who = paused_by.length > 0 ? ` by ${paused_by.join(", ")}` : "";
    return <Notice tone="warn">{`This key is ${state}${who}: its requests are refused.`}</Notice>;
  }
  const isUsedUp = limit !== null && used >= limit && limit > 0;
  return (
    <>
      <Warnings of={warnings} />
      {isUsedUp && <Notice tone="bad">{describeUsedUp(limit, allowance)}</Notice>}
      {limit !== null && limit > 0 && (
        <Card title="Allowance today" note="Requests that cost the account nothing">
          <div class="limit-bar">
            <span>{`${formatCount(used)} of ${formatCount(limit)} requests`}</span>
            <Meter share={used / limit} label={`Allowance today: ${used} of ${limit}`} />
            {resets_at && <span class="small faint">starts over {formatRelativeTime(resets_at)}</span>}
          </div>
        </Card>
      )}
    </>
  );
}

/** A balance pays for what is beyond the allowance; without one, the throttle lets a free request through now and then. */
function describeUsedUp(
  limit: number,
  { resets_at, next_slot_at, paid_by_balance }: KeyProps["of"]["allowance"],
): string {
  const count = limit === 1 ? "1 request" : `${formatCount(limit)} requests`;
  const used = `The daily allowance of ${count} is used up, and starts over ${formatRelativeTime(resets_at)}.`;
  if (paid_by_balance) return `${used} Until then the account's balance pays.`;
  const next = next_slot_at && formatRelativeTime(next_slot_at);
  const free =
    next === null
      ? "requests are refused"
      : `one free request at a time is let through, the next ${next.startsWith("in ") ? next : "now"}`;
  return `${used} Until then a balance would pay; without one, ${free}.`;
}

const EVERYTHING = "all";

/** The fields that are plain texts, as their rows label them. */
function listTexts(
  of: CheckedKeyDetailView,
): readonly (readonly [label: string, text: string | undefined])[] {
  const values = new Map<string, unknown>(Object.entries(of));
  return Object.entries(KEY_FIELDS).flatMap(([name, field]) => {
    const text = values.get(name);
    if (field.kind !== "text" || !("control" in field) || typeof text !== "string") return [];
    return [[field.control.label, text] as const];
  });
}

/** Every field that somebody set stands here; the others are left out but for those that everybody asks about. */
export function KeyFacts({ of }: KeyProps) {
  const names = useNames();
  const rows: readonly (readonly [label: string, value: ComponentChildren])[] = [
    ["Allowed models", of.allowed_models?.join(", ") ?? EVERYTHING],
    ["Allowed addresses", of.allowed_addresses?.join(", ") ?? EVERYTHING],
    ["Expires", of.expires_at ? formatFullTime(of.expires_at) : "never"],
    ["Created", formatFullTime(of.created_at)],
    ["Last used", of.last_used_at ? formatFullTime(of.last_used_at) : "never"],
    ["Spend limit", of.spend_limit_usd === null ? null : formatUsd(of.spend_limit_usd)],
    ["Tags", of.tags ? formatTags(of.tags).replaceAll(",", ", ") : null],
    ["Hooks", of.hooks?.join(", ")],
    ["Guard", of.guard?.join(", ")],
    ["Whose", of.member_id && <Person id={of.member_id} accountId={of.account_id} />],
    ["Old secret works until", of.old_secret_expires_at && formatFullTime(of.old_secret_expires_at)],
    ...listTexts(of),
    ["ID", of.id],
    ["Account", `${names.account(of.account_id)} (${of.account_id})`],
  ];
  return (
    <Card title="Details">
      <dl class="facts">
        {rows.map(
          ([label, value]) =>
            value && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Card>
  );
}

function Person({ id, accountId }: { readonly id: string; readonly accountId: string }) {
  if (!may("members.read", accountId)) return <span>{id}</span>;
  return <a href={makeHref(`/settings/people/${id}`)}>{id}</a>;
}

interface LeakedProps extends KeyProps {
  readonly onOpen: (dialog: OpenDialog) => void;
}

/** For somebody who pasted the whole secret in the search. */
export function Leaked({ of, onOpen }: LeakedProps) {
  const isOver = of.state === "revoked";
  return (
    <Notice tone="bad">
      <p>
        {isOver
          ? "The secret that you pasted was this key's, which is revoked: nobody can use it."
          : "The secret that you pasted is this key's. If a stranger may have seen it, rotate or revoke the key, and look at the addresses below that you don't know."}
      </p>
      {!isOver && mayWriteKey(of) && (
        <div class="row tight">
          <Button label="Rotate" kind="danger-main" onClick={() => onOpen({ kind: "leaked", key: of })} />
          <Button label="Revoke" onClick={() => onOpen({ kind: "revoke", key: of })} />
        </div>
      )}
    </Notice>
  );
}
