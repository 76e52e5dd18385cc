// The columns of the log that somebody chose to see. They stay in this browser.
import { useState } from "preact/hooks";
import { readStored, writeStored } from "../browser.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Check } from "../parts/field.tsx";
import { COLUMN_LABELS, COLUMN_NAMES, type ColumnName, USUAL_COLUMNS } from "./request-columns.tsx";

const STORED = "activity.columns";

/** Names of columns that are no longer there are none. */
function readChosen(): readonly ColumnName[] {
  const stored = readStored(STORED);
  if (stored === null) return USUAL_COLUMNS;
  const names = stored.split(",");
  return COLUMN_NAMES.filter((name) => names.includes(name));
}

interface ChosenColumns {
  readonly shown: readonly ColumnName[];
  readonly choose: (shown: readonly ColumnName[]) => void;
}

export function useChosenColumns(): ChosenColumns {
  const [shown, setShown] = useState(readChosen);
  const choose = (next: readonly ColumnName[]) => {
    writeStored(STORED, next.join(","));
    setShown(next);
  };
  return { shown, choose };
}

/** Each box takes effect at once. */
export function ColumnsButton({ shown, choose }: ChosenColumns) {
  const [isOpen, setOpen] = useState(false);
  const turn = (name: ColumnName, isOn: boolean) =>
    choose(isOn ? [...shown, name] : shown.filter((one) => one !== name));
  const foot = (
    <>
      <Button label="Usual columns" onClick={() => choose(USUAL_COLUMNS)} />
      <Button label="Done" kind="main" onClick={() => setOpen(false)} />
    </>
  );
  return (
    <>
      <Button label="Columns" icon="columns" onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title="Columns" onClose={() => setOpen(false)} foot={foot}>
          <fieldset class="choices" aria-label="Columns shown">
            {COLUMN_NAMES.map((name) => (
              <Check
                key={name}
                label={COLUMN_LABELS[name]}
                isOn={shown.includes(name)}
                onChange={(isOn) => turn(name, isOn)}
              />
            ))}
          </fieldset>
          <p class="small faint">Time and model always stay. The choice is kept in this browser.</p>
        </Dialog>
      )}
    </>
  );
}
