// The refusals of a model in plain words, found by the gateway or set by the operator, each with its actions.
import { useState } from "preact/hooks";
import type { ModelRulesView } from "../../admin/models/model-rules.ts";
import { sendChange } from "../frame/api.ts";
import { formatFullTime, formatRelativeTime } from "../frame/format.ts";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { type Column, makeColumn, makeHeadColumn, makeMinorColumn, Table } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";

type ListedLesson = ModelRulesView["lessons"][number];
type LessonAction = "pin" | "forget" | "take back";

interface LessonsProps {
  readonly id: string;
  readonly rules: ModelRulesView;
  readonly canChange: boolean;
  readonly onDone: () => Promise<void>;
}

/** Nothing unless there are some. */
export function Lessons({ id, rules, canChange, onDone }: LessonsProps) {
  const [open, setOpen] = useState<{ readonly action: LessonAction; readonly lesson: ListedLesson } | null>(
    null,
  );
  if (rules.lessons.length === 0) return null;
  const actions: Column<ListedLesson> = {
    label: "Actions",
    as: "narrow",
    cell: (lesson) =>
      listActions(lesson).map((action) => (
        <Button
          key={action}
          label={LABELS[action]}
          about={lesson.refuses}
          isTiny
          onClick={() => setOpen({ action, lesson })}
        />
      )),
  };
  return (
    <>
      <Table
        label="What it refuses"
        columns={canChange ? [...COLUMNS, actions] : COLUMNS}
        rows={rules.lessons}
        keyOf={({ refuses, host }) => `${refuses} ${host}`}
      />
      {open !== null && (
        <ChangeLesson id={id} known={rules.refuses} {...open} onClose={() => setOpen(null)} onDone={onDone} />
      )}
    </>
  );
}

const COLUMNS: readonly Column<ListedLesson>[] = [
  makeHeadColumn("Word", ({ refuses }) => <span class="strong">{refuses}</span>),
  { label: "It refuses", cell: ({ meaning }) => meaning.replaceAll("`", ""), isBare: true },
  makeColumn("Counts for", describeReach),
  makeMinorColumn("Left out", describeConditions),
  makeColumn("Last refused", ({ last_seen }) => (last_seen === null ? "–" : <When at={last_seen} />)),
  makeMinorColumn("Since", ({ first_seen }) => (first_seen === null ? "–" : <When at={first_seen} />)),
  makeMinorColumn("Host", ({ host }) => host ?? "–"),
];

function When({ at }: { readonly at: string }) {
  return <span title={formatFullTime(at)}>{formatRelativeTime(at)}</span>;
}

function describeReach({ pinned, confirmed, known_to }: ListedLesson): string {
  if (pinned) return "everybody (pinned)";
  if (!confirmed) return "those who met it, not confirmed";
  return known_to === "all" ? "everybody" : "those who met it";
}

function describeConditions({ conditions }: ListedLesson): string {
  const all = conditions.map(({ beside, perhaps }) => {
    const needed = beside.length === 0 ? "by itself" : `beside ${beside.join(", ")}`;
    return perhaps === null || perhaps.length === 0
      ? needed
      : `${needed} (with or without ${perhaps.join(", ")})`;
  });
  return all.length === 0 ? "always" : all.join("; or ");
}

const LABELS: { readonly [Each in LessonAction]: string } = {
  pin: "Pin",
  forget: "Forget",
  "take back": "Take back",
};

function listActions({ pinned }: ListedLesson): readonly LessonAction[] {
  return pinned ? ["take back"] : ["pin", "forget"];
}

interface LessonChangeProps {
  readonly id: string;
  readonly known: readonly string[];
  readonly action: LessonAction;
  readonly lesson: ListedLesson;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

function ChangeLesson({ id, known, action, lesson, onClose, onDone }: LessonChangeProps) {
  const { refuses: word } = lesson;
  const run = async () => {
    const others = known.filter((one) => one !== word && one !== `-${word}`);
    const added = { pin: [word], forget: [`-${word}`], "take back": [] }[action];
    await sendChange("PATCH", `/models/${encodeURIComponent(id)}`, { refuses: [...others, ...added] });
    toast(`Changed for ${id}`);
    await onDone();
  };
  return (
    <Confirm title={`${LABELS[action]} ${word}?`} action={LABELS[action]} run={run} onClose={onClose}>
      {EFFECTS[action]}
    </Confirm>
  );
}

const EFFECTS: { readonly [Each in LessonAction]: string } = {
  pin: "Requests of everybody avoid it from now on, without a daily try.",
  forget: "Requests are sent as they come, and the gateway won't learn it again.",
  "take back":
    "Requests are sent as they come. If the model's server refuses it, the gateway learns it again.",
};
