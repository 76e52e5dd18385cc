// Several rows of a list at once: they are chosen, and changed together after a question with their number.
import { useState } from "preact/hooks";
import { describeError } from "../frame/api.ts";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import type { IconName } from "../parts/icon.tsx";
import { toast } from "../parts/toast.tsx";

interface RowsAction<Row> {
  readonly label: string;
  readonly icon: IconName;
  readonly past: string;
  readonly warning: string;
  readonly concerns: (row: Row) => boolean;
  /** Each row is a change of its own, with its own entry in the audit log. */
  readonly run: (row: Row) => Promise<unknown>;
}

/** The rows of a list that can be chosen, and what is done to them. */
export interface Choice<Row> {
  readonly one: string;
  readonly many: string;
  readonly nameOf: (row: Row) => string;
  readonly mayChoose: (row: Row) => boolean;
  readonly actions: readonly RowsAction<Row>[];
}

function countRows({ one, many }: Pick<Choice<never>, "one" | "many">, count: number): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}

export interface ChosenRows {
  readonly ids: ReadonlySet<string>;
  readonly choose: (ids: readonly string[]) => void;
}

export function useChosen(): ChosenRows {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return { ids, choose: (next) => setIds(new Set(next)) };
}

interface BoxProps<Row> {
  readonly of: Row;
  readonly choice: Choice<Row>;
  readonly chosen: ChosenRows;
}

/** Shows nothing in a row that can't be chosen. */
export function ChoiceBox<Row extends { readonly id: string }>({
  of,
  choice,
  chosen: { ids, choose },
}: BoxProps<Row>) {
  if (!choice.mayChoose(of)) return null;
  const turn = (isOn: boolean) => choose(isOn ? [...ids, of.id] : [...ids].filter((id) => id !== of.id));
  return (
    <input
      type="checkbox"
      aria-label={`Select ${choice.nameOf(of)}`}
      checked={ids.has(of.id)}
      onChange={(event) => turn(event.currentTarget.checked)}
    />
  );
}

interface ChosenBarProps<Row> {
  readonly choice: Choice<Row>;
  readonly chosen: ChosenRows;
  readonly shown: readonly Row[];
  readonly reload: () => Promise<void>;
}

/** Rows that the list no longer shows aren't among those that are changed. */
export function ChosenBar<Row extends { readonly id: string }>(props: ChosenBarProps<Row>) {
  const { choice, shown } = props;
  const { ids, choose } = props.chosen;
  const [asked, setAsked] = useState<RowsAction<Row> | null>(null);
  const open = shown.filter(choice.mayChoose);
  const chosen = open.filter(({ id }) => ids.has(id));
  if (chosen.length === 0) return null;
  return (
    <section class="row controls" aria-label={`Selected ${choice.many}`}>
      <span role="status">{countRows(choice, chosen.length)} selected</span>
      {choice.actions
        .filter(({ concerns }) => chosen.some(concerns))
        .map((action) => (
          <Button
            key={action.label}
            label={action.label}
            icon={action.icon}
            onClick={() => setAsked(action)}
          />
        ))}
      {chosen.length < open.length && (
        <Button
          label={`Select all ${open.length} shown`}
          kind="quiet"
          onClick={() => choose(open.map(({ id }) => id))}
        />
      )}
      <Button label="Clear the selection" kind="quiet" onClick={() => choose([])} />
      {asked && (
        <Question
          {...props}
          action={asked}
          rows={chosen.filter(asked.concerns)}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  );
}

interface QuestionProps<Row> extends ChosenBarProps<Row> {
  readonly action: RowsAction<Row>;
  readonly rows: readonly Row[];
  readonly onClose: () => void;
}

/** Changes one after the other, and stops at the first that fails. */
function Question<Row>({ choice, action, rows, chosen, reload, onClose }: QuestionProps<Row>) {
  const run = async () => {
    let done = 0;
    try {
      for (const row of rows) {
        await action.run(row);
        done++;
      }
      toast(`${countRows(choice, done)} ${action.past}`);
      chosen.choose([]);
    } catch (error) {
      throw new Error(`${done} of ${rows.length} ${action.past}: ${describeError(error)}`);
    } finally {
      await reload();
    }
  };
  const words = `${action.label} ${countRows(choice, rows.length)}`;
  return (
    <Confirm title={`${words}?`} action={words} run={run} onClose={onClose}>
      {action.warning}
    </Confirm>
  );
}
