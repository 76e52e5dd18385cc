// The form of a provider's credential: a new one, or another key in one's place.
import { useState } from "preact/hooks";
import type { CredentialView, ProviderView } from "../admin/providers.ts";
import { change, readMessage } from "./api.ts";
import { FormDialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/field.tsx";
import { toast } from "./parts/toast.tsx";
import { useTask } from "./task.ts";

interface CredentialFormProps {
  readonly provider: ProviderView;
  readonly replaced?: CredentialView;
  readonly onClose: () => void;
  readonly onSaved: () => Promise<void>;
}

export function CredentialForm({ provider, replaced, onClose, onSaved }: CredentialFormProps) {
  const [key, setKey] = useState("");
  const [weight, setWeight] = useState(String(replaced?.weight ?? 1));
  const [requests, setRequests] = useState(writeLimit(replaced?.requests_per_minute));
  const [tokens, setTokens] = useState(writeLimit(replaced?.tokens_per_minute));
  const task = useTask(async () => {
    const limits = { requests_per_minute: readLimit(requests), tokens_per_minute: readLimit(tokens) };
    const fields = {
      ...(key.trim() === "" ? {} : { key: key.trim() }),
      ...{ weight: Number(weight), ...limits },
    };
    const path = `/providers/${provider.name}`;
    if (replaced) await change("PATCH", path, { credential_id: replaced.id, ...fields });
    else await change("POST", path, fields);
    toast(replaced ? "The credential is replaced" : `${provider.name} has a new credential`);
    await onSaved();
    onClose();
  });
  const title = replaced
    ? `Replace the key ••••${replaced.last4 ?? ""}`
    : `Add a credential to ${provider.name}`;
  return (
    <FormDialog title={title} action={replaced ? "Replace" : "Add credential"} task={task} onClose={onClose}>
      <TextField
        label={`API key of ${provider.name}`}
        type="password"
        autocomplete="off"
        hint="Encrypted before it is stored. It is never shown again."
        isRequired
        isFocused
        value={key}
        onInput={setKey}
        error={task.failed === null ? null : readMessage(task.failed)}
      />
      <TextField
        label="Weight"
        type="number"
        min={0}
        step="any"
        hint="Its share of the calls beside the provider's other credentials"
        value={weight}
        onInput={setWeight}
      />
      <Limit label="Requests a minute" value={requests} onInput={setRequests} />
      <Limit label="Tokens a minute" value={tokens} onInput={setTokens} />
    </FormDialog>
  );
}

interface LimitProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function Limit(props: LimitProps) {
  return (
    <TextField type="number" min={1} step={1} hint="That the provider allows it; empty: any" {...props} />
  );
}

function writeLimit(limit: number | null | undefined): string {
  return limit ? String(limit) : "";
}

function readLimit(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
