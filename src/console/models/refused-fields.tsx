// The refusals of a model: fields that its provider refused, each with a button that has it left out, and lessons.
import { useState } from "preact/hooks";
import type { ModelRulesView } from "../../admin/models/model-rules.ts";
import { sendChange } from "../frame/api.ts";
import { formatCount } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { may } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Facts } from "../parts/figures.tsx";
import { Card } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { Lessons } from "./lessons.tsx";

type RefusedFieldView = ModelRulesView["refused_fields"][number];

const ROWS_MAX = 20;

export function RefusedFields({ id }: { readonly id: string }) {
  const rules = useResource<ModelRulesView>(`/models/${encodeURIComponent(id)}`);
  const [open, setOpen] = useState<RefusedFieldView | null>(null);
  if (!rules.data) return null;
  const { refuses, refused_fields: fields, lessons, source } = rules.data;
  if (refuses.length + fields.length + lessons.length === 0) return null;
  const isOpen = may("models.write") && source !== "configured";
  const rows = fields.slice(0, ROWS_MAX).map((one) => {
    const isLeftOut = one.refuses !== null && refuses.includes(one.refuses);
    const canLeaveOut = isOpen && one.refuses !== null && !isLeftOut;
    const action = canLeaveOut && (
      <Button label="Leave it out from now on" about={one.field} isTiny onClick={() => setOpen(one)} />
    );
    return [one.field, [formatTimes(one.count), isLeftOut ? " · left out now" : " ", action]] as const;
  });
  return (
    <Card title="What it refuses">
      <Facts rows={[["Set", refuses.length === 0 ? "nothing" : refuses.join(", ")], ...rows]} />
      <Lessons id={id} rules={rules.data} canChange={isOpen} onDone={rules.reload} />
      {open !== null && (
        <LeaveOut id={id} known={refuses} field={open} onClose={() => setOpen(null)} onDone={rules.reload} />
      )}
    </Card>
  );
}

function formatTimes(count: number): string {
  return count === 1 ? "refused once" : `refused ${formatCount(count)} times`;
}

interface LeaveOutProps {
  readonly id: string;
  readonly known: readonly string[];
  readonly field: RefusedFieldView;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

function LeaveOut({ id, known, field: { field, refuses }, onClose, onDone }: LeaveOutProps) {
  const run = async () => {
    await sendChange("PATCH", `/models/${encodeURIComponent(id)}`, { refuses: [...known, refuses] });
    toast(`${field} is left out for ${id}`);
    await onDone();
  };
  return (
    <Confirm title={`Leave ${field} out?`} action="Leave it out" run={run} onClose={onClose}>
      Requests to {id} will be sent without it, and their answers will name it in a header.
    </Confirm>
  );
}
