// The account that pays for a key, chosen from those in which one may have keys, found by a part of its name.
import { useState } from "preact/hooks";
import { useFound, useNames } from "../frame/names.ts";
import { may } from "../frame/session.ts";
import { addChoice, Combobox, unifyChoices } from "../parts/combobox.tsx";
import { Field, type LabelProps } from "../parts/field.tsx";

interface AccountFieldProps extends LabelProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
}

export function AccountField({ value, onInput, ...around }: AccountFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const { accounts, account, isWhole } = useNames();
  const known = accounts.map(({ id, name }) => ({ value: id, label: name }));
  const found = useFound(isWhole.accounts ? undefined : "account", typed);
  const payers = unifyChoices([...known, ...found]).filter((one) => may("own.keys.write", one.value));
  return (
    <Field {...around}>
      {(tied) => (
        <Combobox
          {...{ tied, value }}
          label={around.label}
          options={addChoice(payers, value, account(value))}
          onType={setTyped}
          onChoose={onInput}
        />
      )}
    </Field>
  );
}
