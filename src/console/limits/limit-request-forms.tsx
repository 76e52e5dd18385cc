// The forms in which a member asks for more of a limit, and in which somebody else decides.
import type { LimitRequestView } from "../../admin/limits/limit-requests.ts";
import type { LimitView } from "../../admin/limits/limits.ts";
import { nowMs } from "../browser.ts";
import { sendChange } from "../frame/api.ts";
import { formatDay } from "../frame/format.ts";
import { toDayEnd, toLocalDay } from "../frame/local-time.ts";
import { reloadOpenRequests } from "../frame/open-requests.ts";
import { useForm } from "../frame/task.ts";
import { FormDialog } from "../parts/dialog.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { toast } from "../parts/toast.tsx";
import { nameLimit } from "./limit-bars.tsx";

/** A limit of one's own in an account. */
export interface PersonalLimit {
  readonly accountId: string;
  readonly limit: LimitView;
}

interface AskFormProps {
  /** At least one. The first is chosen, so it should be the one that is in the way. */
  readonly limits: readonly PersonalLimit[];
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

export function AskForm({ limits, onClose, onDone }: AskFormProps) {
  const form = useForm(
    () => ({ limit: "0", ...suggestMore(limits[0]?.limit), reason: "" }),
    async ({ limit, ...draft }) => {
      await sendChange("POST", "/limit-requests", makeRequest(limits[Number(limit)], draft));
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
          {...form.field("amount")}
        />
        <TextField label="Until" type="date" isRequired hint="The end of this day" {...form.field("until")} />
      </div>
      <TextField
        label="Reason"
        isRequired
        isFocused
        hint="Whoever decides reads it"
        {...form.field("reason")}
      />
    </FormDialog>
  );
}

/** Half as much again, until the limit starts over, or for a week. */
export function suggestMore(of: LimitView | undefined): Pick<LimitRequestDraft, "amount" | "until"> {
  const { limit = 0, resets_at = null } = of ?? {};
  const amount = Math.max(1, Math.round(limit / 2));
  const end = resets_at ?? new Date(nowMs() + WEEK_MS).toISOString();
  return { amount: String(amount), until: toLocalDay(end) };
}

const WEEK_MS = 7 * 86_400_000;

type LimitRequestDraft = Readonly<Record<"amount" | "until" | "reason", string>>;

export function makeRequest(own: PersonalLimit | undefined, { amount, until, reason }: LimitRequestDraft) {
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

interface GivenDecision {
  readonly grant: boolean;
  readonly amount?: number;
  readonly note?: string;
}

export async function sendDecision({ id }: LimitRequestView, decision: GivenDecision): Promise<void> {
  await sendChange("POST", `/limit-requests/${id}/decide`, decision);
  await reloadOpenRequests();
  toast(decision.grant ? "The request was granted" : "The request was refused");
}

export function DecisionForm({ request, what, onClose, onDone }: DecisionFormProps) {
  const isBudget = request.limit === undefined;
  const form = useForm(
    () => ({ grant: "grant", amount: String(request.amount), note: "" }),
    async ({ grant, amount, note }, opened) => {
      const isGranted = grant === "grant";
      const changed = isGranted && amount !== opened.amount ? { amount: Number(amount) } : {};
      await sendDecision(request, { grant: isGranted, ...changed, note });
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
      <div class="two">
        <SelectField label="Decision" options={DECISIONS} {...form.field("grant")} />
        {form.draft.grant === "grant" && (
          <TextField
            label={isBudget ? "How much more (USD)" : "How many more"}
            type={isBudget ? "amount" : "count"}
            max={request.amount}
            isRequired
            {...form.field("amount")}
          />
        )}
      </div>
      <TextField label="Note" hint="Optional. The person reads it" {...form.field("note")} />
    </FormDialog>
  );
}
