// The question to which provider a key is added, where no row of one was pressed.
import { useState } from "preact/hooks";
import type { ProviderView } from "../../admin/models/providers.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField } from "../parts/field.tsx";

interface ChoiceProps {
  readonly of: readonly ProviderView[];
  readonly onChosen: (provider: ProviderView) => void;
  readonly onClose: () => void;
}

export function ProviderChoice({ of, onChosen, onClose }: ChoiceProps) {
  const [name, setName] = useState(of[0]?.name ?? "");
  const next = () => {
    const chosen = of.find((provider) => provider.name === name);
    onClose();
    if (chosen) onChosen(chosen);
  };
  return (
    <Dialog
      title="Add a provider's key"
      onClose={onClose}
      foot={<Button label="Next" kind="main" onClick={next} />}
    >
      <SelectField
        label="Provider"
        value={name}
        options={of.map((provider) => ({ value: provider.name, label: provider.name }))}
        onInput={setName}
      />
    </Dialog>
  );
}
