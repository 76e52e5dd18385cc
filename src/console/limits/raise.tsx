// A button that raises the budget of a key, a person or an account until a time, by half unless another amount is given.
import { useState } from "preact/hooks";
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import type { NearingView } from "../../admin/limits/nearing.ts";
import { getText, sendChange } from "../frame/api.ts";
import { toDayEnd } from "../frame/local-time.ts";
import { may, type SessionPermission, session } from "../frame/session.ts";
import { useForm } from "../frame/task.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { toast } from "../parts/toast.tsx";
import { nameLimit } from "./limit-bars.tsx";
import { makeRequest, suggestMore } from "./limit-request-forms.tsx";

const PERMISSIONS = {
  key: "keys.write",
  member: "members.limit",
  account: "accounts.limit",
} as const satisfies Readonly<Record<NearingView["scope"], SessionPermission>>;

/** The owner of a budget. */
type RaisedOwner = Pick<NearingView, "scope" | "id" | "name" | "account_id" | "limit">;

interface RaiseProps {
  readonly owner: RaisedOwner;
  readonly onDone: () => Promise<void>;
}

/** Nothing for those who may not, since nobody decides about their own. */
export function Raise({ owner, onDone }: RaiseProps) {
  const [isOpen, setOpen] = useState(false);
  const { scope, id, name, account_id } = owner;
  if (!may(PERMISSIONS[scope], account_id) || id === session.value?.actor.id) return null;
  return (
    <>
      <Button label="Raise" about={`the budget of ${name}`} icon="up" isTiny onClick={() => setOpen(true)} />
      {isOpen && <RaiseForm owner={owner} onDone={onDone} onClose={() => setOpen(false)} />}
    </>
  );
}

function RaiseForm({ owner, onDone, onClose }: RaiseProps & { readonly onClose: () => void }) {
  const { name, limit } = owner;
  const form = useForm(
    () => ({ ...suggestMore(limit), reason: "It is nearly used up" }),
    async (draft) => {
      await raise(owner, draft);
      toast(`The budget of ${name} was raised`);
      await onDone();
      onClose();
    },
  );
  return (
    <FormDialog title={`Raise the budget of ${name}`} action="Raise" form={form} onClose={onClose}>
      <p class="soft">{nameLimit(limit)}</p>
      <div class="two">
        <TextField label="How much more (USD)" type="amount" isRequired isFocused {...form.field("amount")} />
        <TextField label="Until" type="date" isRequired hint="The end of this day" {...form.field("until")} />
      </div>
      {owner.scope === "member" && <TextField label="Reason" isRequired {...form.field("reason")} />}
    </FormDialog>
  );
}

type RaiseDraft = Parameters<typeof makeRequest>[1];

/** The part of a key or an account that has its budgets. Accounts have no limit in total besides. */
type RaisedBudgets = Pick<KeyInUseView, "budgets"> & Partial<Pick<KeyInUseView, "spend_limit_usd">>;

async function raise(
  { scope, id, account_id: accountId, limit }: RaisedOwner,
  draft: RaiseDraft,
): Promise<void> {
  if (scope === "member") {
    await sendChange("POST", "/limit-requests", {
      ...makeRequest({ accountId, limit }, draft),
      member_id: id,
    });
    return;
  }
  const path = scope === "key" ? `/keys/${id}` : `/accounts/${id}`;
  const owner: RaisedBudgets = JSON.parse(await getText(path));
  await sendChange("PATCH", path, makeRaise(owner, limit, draft));
}

/** A key's limit in total may be one of its own, beside its budgets. An earlier addition is kept. */
function makeRaise(
  { budgets, spend_limit_usd }: RaisedBudgets,
  { per, models, limit }: RaisedOwner["limit"],
  { amount, until }: RaiseDraft,
) {
  const names = (models ?? []).toSorted().join(" ");
  const own = budgets === "default" || budgets === null ? [] : budgets;
  const same = own.find((one) => one.per === per && (one.models ?? []).toSorted().join(" ") === names);
  const isOfKey = same === undefined && per === "total" && names === "" && spend_limit_usd != null;
  if (isOfKey) return { spend_limit_usd: limit + Number(amount) };
  const added = { extra_usd: Number(amount) + (same?.extra_usd ?? 0), extra_until: toDayEnd(until) };
  return { budgets: [{ per, ...(models ? { models } : {}), ...added }] };
}
