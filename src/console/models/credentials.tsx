// One credential of a provider: its state, its test, its actions and its form.
import { useState } from "preact/hooks";
import type { CredentialView, ProviderView, TestResult } from "../../admin/models/providers.ts";
import { CREDENTIAL_FIELDS } from "../../core/fields/credential.ts";
import { MINUTE_LIMITS } from "../../core/limits/limit-table.ts";
import { describeError, sendChange } from "../frame/api.ts";
import { formatCount, formatDuration, formatPercent, formatRelativeTime } from "../frame/format.ts";
import { may } from "../frame/session.ts";
import { useForm } from "../frame/task.ts";
import { Button } from "../parts/button.tsx";
import { Confirm, Dialog, FormDialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { makeBody, makeDraft, renderFolded } from "../parts/field-form.tsx";
import { Badge, Notice, type Tone } from "../parts/states.tsx";
import { toast } from "../parts/toast.tsx";

interface CredentialProps {
  readonly provider: ProviderView;
  readonly credential: CredentialView;
  /** Its place in the provider's list, from 1. */
  readonly position: number;
  readonly reload: () => Promise<void>;
}

const STATES: Readonly<Record<CredentialView["state"], readonly [word: string, tone?: Tone]>> = {
  active: ["in use", "ok"],
  resting: ["resting", "warn"],
  retired: ["refused by the provider", "bad"],
  disabled: ["paused"],
};

export function CredentialRow({ provider, credential, position, reload }: CredentialProps) {
  const [open, setOpen] = useState<"replace" | "remove" | null>(null);
  const { tested, test, pause, remove } = useCredential({ provider, credential, reload });
  const close = () => setOpen(null);
  return (
    <li class="credential">
      <div class="row between credential-line">
        <Identity credential={credential} position={position} />
        {may("providers.write") && (
          <div class="row">
            <Button
              label={tested === "running" ? "Testing…" : "Test"}
              isTiny
              kind="quiet"
              isBusy={tested === "running"}
              onClick={test}
            />
            {credential.source === "stored" && (
              <Button label="Replace" isTiny kind="quiet" onClick={() => setOpen("replace")} />
            )}
            <Button label={credential.enabled ? "Pause" : "Resume"} isTiny kind="quiet" onClick={pause} />
            {credential.source === "stored" && (
              <Button label="Remove" isTiny kind="quiet" onClick={() => setOpen("remove")} />
            )}
          </div>
        )}
      </div>
      <TestOutcome tested={tested} />
      {open === "replace" && (
        <CredentialForm provider={provider} replaced={credential} onClose={close} onSaved={reload} />
      )}
      {open === "remove" && (
        <Confirm title="Remove this credential?" action="Remove" run={remove} onClose={close}>
          All nodes will stop calling {provider.name} with the key that ends in {credential.last4 ?? "…"}.
        </Confirm>
      )}
    </li>
  );
}

function useCredential({ provider, credential, reload }: Omit<CredentialProps, "position">) {
  const [tested, setTested] = useState<TestResult | string | null>(null);
  const path = `/providers/${provider.name}`;
  const test = async () => {
    setTested("running");
    try {
      setTested(await sendChange<TestResult>("POST", `${path}/test`, { credential_id: credential.id }));
    } catch (error) {
      setTested(describeError(error));
    }
  };
  const pause = async () => {
    try {
      await sendChange("PATCH", path, { credential_id: credential.id, enabled: !credential.enabled });
      await reload();
    } catch (error) {
      toast(describeError(error));
    }
  };
  const remove = async () => {
    await sendChange("DELETE", `${path}?credential_id=${encodeURIComponent(credential.id)}`);
    toast("Credential removed");
    await reload();
  };
  return { tested, test, pause, remove };
}

function Identity({ credential, position }: Pick<CredentialProps, "credential" | "position">) {
  const { state, reason, until, weight, error_rate, source } = credential;
  const isUntried = state === "active" && credential.called_at === null;
  const [word, tone] = isUntried ? (["not called yet"] as const) : nameState(credential);
  const limits = MINUTE_LIMITS.map(({ name, counts }) => {
    const limit = credential[name];
    if (limit === null) return null;
    return counts === "parallel"
      ? `${formatCount(limit)} in parallel`
      : `${formatCount(limit)} ${counts}/min`;
  });
  const details = [
    source === "configured" ? "from the configuration" : "added here",
    weight === 1 ? null : `weight ${weight}`,
    ...limits,
    error_rate === null || error_rate === 0 ? null : `${formatPercent(error_rate)} recent errors`,
    until === null ? null : `until ${formatRelativeTime(until)}`,
    reason,
  ].filter((one) => one !== null);
  return (
    <div class="row">
      <code class="strong">{credential.last4 === null ? `key ${position}` : `••••${credential.last4}`}</code>
      <Badge text={word} tone={tone} hasDot />
      <span class="small faint">{details.join(" · ")}</span>
    </div>
  );
}

/** A credential of which most calls fail isn't well, though it is used. */
function nameState({ state, error_rate }: CredentialView): readonly [word: string, tone?: Tone] {
  const isFailing = state === "active" && error_rate !== null && error_rate >= FAILING_FROM;
  return isFailing ? ["failing", "warn"] : STATES[state];
}

const FAILING_FROM = 0.5;

function TestOutcome({ tested }: { readonly tested: TestResult | string | null }) {
  if (tested === null || tested === "running") return null;
  if (typeof tested === "string") return <Notice tone="bad">{tested}</Notice>;
  if (tested.ok) {
    return (
      <Notice tone="ok">
        It works: {tested.model} answered in {formatDuration(tested.latency_ms ?? 0)}.
      </Notice>
    );
  }
  return (
    <Notice tone="bad">
      {tested.error ?? "The test failed."}
      {tested.status !== null && ` (status ${tested.status})`}
    </Notice>
  );
}

/** Returns how one small call with the credential went, or why it couldn't be made. */
async function tryCredential(provider: string, id: string | undefined): Promise<TestResult | string> {
  try {
    const body = id === undefined ? {} : { credential_id: id };
    return await sendChange<TestResult>("POST", `/providers/${provider}/test`, body);
  } catch (error) {
    return describeError(error);
  }
}

function isRefused(tested: TestResult | string): boolean {
  return typeof tested !== "string" && !tested.ok;
}

function findAdded(before: ProviderView, after: ProviderView): CredentialView | undefined {
  const known = new Set(before.credentials.map(({ id }) => id));
  return after.credentials.find(({ id }) => !known.has(id));
}

/** A key needs nothing else. */
const FOLDING = { main: new Set<never>(), more: "weight, limits, price", isOpen: false };

interface CredentialFormProps {
  readonly provider: ProviderView;
  /** The credential to replace. Missing for a new one. */
  readonly replaced?: CredentialView;
  readonly onClose: () => void;
  readonly onSaved: () => Promise<void>;
}

export function CredentialForm({ provider, replaced, onClose, onSaved }: CredentialFormProps) {
  const [tested, setTested] = useState<TestResult | string | null>(null);
  const form = useForm<string>(
    () => ({ ...makeDraft(CREDENTIAL_FIELDS, replaced), key: "" }),
    async ({ key, ...draft }, opened) => {
      const limits = makeBody(CREDENTIAL_FIELDS, draft, replaced ? opened : {}, replaced);
      const fields = { key: key?.trim(), ...limits };
      const path = `/providers/${provider.name}`;
      const after = replaced
        ? await sendChange<ProviderView>("PATCH", path, { credential_id: replaced.id, ...fields })
        : await sendChange<ProviderView>("POST", path, fields);
      await onSaved();
      const added = replaced ? replaced.id : findAdded(provider, after)?.id;
      setTested(await tryCredential(provider.name, added));
    },
  );
  const title = replaced
    ? `Replace the key ••••${replaced.last4 ?? ""}`
    : `Add a credential to ${provider.name}`;
  if (tested !== null) {
    const foot = <Button label="Done" kind="main" onClick={onClose} />;
    return (
      <Dialog title={replaced ? "Credential replaced" : "Credential added"} onClose={onClose} foot={foot}>
        <TestOutcome tested={tested} />
        {isRefused(tested) && (
          <p class="soft">It was saved anyway. Replace or remove it if it is the wrong one.</p>
        )}
      </Dialog>
    );
  }
  return (
    <FormDialog title={title} action={replaced ? "Replace" : "Add credential"} form={form} onClose={onClose}>
      <TextField
        label={`${provider.name} API key`}
        type="password"
        autocomplete="off"
        hint="Stored encrypted and never shown again"
        isRequired
        isFocused
        {...form.field("key")}
      />
      {renderFolded(CREDENTIAL_FIELDS, form, FOLDING, replaced)}
    </FormDialog>
  );
}
