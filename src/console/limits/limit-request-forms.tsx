// The forms in which a member asks for more of a limit, and in which somebody else decides.
import type { LimitRequestView } from "../../admin/limits/limit-requests.ts";
import type { LimitView } from "../../admin/limits/limits.ts";
import { change } from "../frame/api.ts";
import { formatDay } from "../frame/format.ts";
import { toDayEnd } from "../frame/local-time.ts";
import { useForm } from "../frame/task.ts";
import { FormDialog } from "../parts/dialog.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { toast } from "../parts/toast.tsx";
import { nameLimit } from "./limit-bars.tsx";

/** A limit of one's own in an account. */
export interface OwnLimit {
  readonly accountId: string;
  readonly limit: LimitView;
}

interface AskFormProps {
  /** At least one. */
  readonly limits: readonly OwnLimit[];
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

export function AskForm({ limits, onClose, onDone }: AskFormProps) {
  const form = useForm(
    () => ({ limit: "0", amount: "", until: "", reason: "" }),
    async ({ limit, ...draft }) => {
      await change("POST", "/limit-requests", makeRequest(limits[Number(limit)], draft));
      toast("A manager of the account will decide");
      await onDone();
      onClose();
    },
  );
  const kind = limits[Number(form.draft.limit)]?.limit.kind;
  return (
    <FormDialog title="Ask for more" action="Ask" form={form} onClose={onClose}>
      <SelectField
        label="Limit"
        options={limits.map(({ limit }, at) => ({ value: String(at), label: nameLimit(limit) }))}
        {...form.field("limit")}
      />
      <div class="two">
        <TextField
          label={kind === "budget" ? "How much more (USD)" : "How many more"}
          type={kind === "budget" ? "amount" : "count"}
          isRequired
          isFocused
          {...form.field("amount")}
        />
        <TextField label="Until" type="date" isRequired hint="The end of this day" {...form.field("until")} />
      </div>
      <TextField label="Reason" isRequired hint="Whoever decides reads it" {...form.field("reason")} />
    </FormDialog>
  );
}

type Draft = Readonly<Record<"amount" | "until" | "reason", string>>;

function makeRequest(own: OwnLimit | undefined, { amount, until, reason }: Draft) {
  if (own === undefined) throw new Error("There is no such limit.");
  const { accountId, limit } = own;
  const { kind, per, models } = limit;
  const asked = kind === "budget" ? { budget: { per, ...(models ? { models } : {}) } } : { limit: kind };
  return { account_id: accountId, ...asked, amount: Number(amount), until: toDayEnd(until), reason };
}

interface DecisionFormProps {
  readonly request: LimitRequestView;
  /** The request in words. */
  readonly what: string;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

const DECISIONS = [
  { value: "grant", label: "Grant it" },
  { value: "refuse", label: "Refuse it" },
];

export function DecisionForm({ request, what, onClose, onDone }: DecisionFormProps) {
  const form = useForm(
    () => ({ grant: "grant", note: "" }),
    async ({ grant, note }) => {
      const body = { grant: grant === "grant", note };
      await change("POST", `/limit-requests/${request.id}/decide`, body);
      toast(body.grant ? "The request was granted" : "The request was refused");
      await onDone();
      onClose();
    },
  );
  return (
    <FormDialog title={what} action="Decide" form={form} onClose={onClose}>
      <p class="soft">
        {request.member_name || request.member_id} asks for it until {formatDay(request.until)}:{" "}
        {request.reason}
      </p>
      <SelectField label="Decision" options={DECISIONS} {...form.field("grant")} />
      <TextField label="Note" hint="Optional. The person reads it" {...form.field("note")} />
    </FormDialog>
  );
}
