// A filter of a list by the account that its rows belong to.
import { useState } from "preact/hooks";
import { useFound, useNames } from "../frame/names.ts";
import { addChoice, Combobox, unifyChoices } from "./combobox.tsx";

interface AccountFilterProps {
  readonly value: string;
  readonly onChoose: (account: string) => void;
}

/** Shows nothing to those who see one account. */
export function AccountFilter({ value, onChoose }: AccountFilterProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const { accounts, account, isWhole } = useNames();
  const found = useFound(isWhole.accounts ? undefined : "account", typed);
  if (accounts.length < 2 && value === "") return null;
  const known = accounts.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Combobox
      label="Account"
      value={value}
      options={addChoice(unifyChoices([...known, ...found]), value, account(value))}
      placeholder="Any account"
      isClearable
      onType={setTyped}
      onChoose={onChoose}
    />
  );
}
