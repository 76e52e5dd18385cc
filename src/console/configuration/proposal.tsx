// A change of the configuration as YAML to copy, with the gateway's verdict. Nothing is applied.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { VerdictView } from "../../admin/models/configuration.ts";
import { runAfter } from "../browser.ts";
import { describeError, sendChange } from "../frame/api.ts";
import { may } from "../frame/session.ts";
import { Button, Code, type Option } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Notice } from "../parts/states.tsx";
import { useOrigins } from "./origin.tsx";
import { type Tree, writeYaml } from "./yaml.ts";

interface ProposalField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /** Missing if it is typed. */
  readonly options?: readonly Option<string>[];
}

export interface ConfigurationProposal {
  readonly title: string;
  /** The advice above the fields. */
  readonly about?: ComponentChildren;
  readonly fields: readonly ProposalField[];
  /** Returns the change, or null until enough is typed. Fields that weren't touched are empty. */
  readonly write: (draft: ProposalDraft) => Tree | null;
}

type ProposalDraft = Readonly<Record<string, string>>;

interface ProposalButtonProps {
  readonly label: string;
  readonly proposal: ConfigurationProposal;
}

export function ProposalButton({ label, proposal }: ProposalButtonProps) {
  const [isOpen, setOpen] = useState(false);
  if (!may("settings.check")) return null;
  return (
    <>
      <Button label={label} onClick={() => setOpen(true)} />
      {isOpen && <ProposalDialog proposal={proposal} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ProposalDialogProps {
  readonly proposal: ConfigurationProposal;
  readonly onClose: () => void;
}

function ProposalDialog({ proposal: { title, about, fields, write }, onClose }: ProposalDialogProps) {
  const [draft, setDraft] = useState<ProposalDraft>({});
  const { fileName } = useOrigins();
  const tree = write(draft);
  const text = tree === null ? "" : writeYaml(tree);
  return (
    <Dialog title={title} isWide onClose={onClose} foot={<Button label="Done" onClick={onClose} />}>
      {about && <p class="soft">{about}</p>}
      <div class="two">
        {fields.map(({ name, options, ...field }) => {
          const bound = {
            ...field,
            value: draft[name] ?? "",
            onInput: (typed: string) => setDraft({ ...draft, [name]: typed }),
          };
          return options ? (
            <SelectField key={name} {...bound} options={options} />
          ) : (
            <TextField key={name} {...bound} autocomplete="off" />
          );
        })}
      </div>
      {text !== "" && (
        <>
          <p class="small faint">
            Not applied: copy it into {fileName}. The gateway takes a changed file within a second.
          </p>
          <Code text={text} />
        </>
      )}
      <VerdictStatus text={text} />
    </Dialog>
  );
}

/** Typing has paused that long. */
const PAUSE_MS = 400;

/** A string is why there is none. */
function useVerdict(text: string): VerdictView | string | null {
  const [known, setKnown] = useState<{ readonly of: string; readonly verdict: VerdictView | string }>();
  useEffect(() => {
    if (text === "") return;
    let isOver = false;
    const ask = async () => {
      const verdict = await sendChange<VerdictView>("POST", "/configuration/check", { text }).catch(
        describeError,
      );
      if (!isOver) setKnown({ of: text, verdict });
    };
    const cancel = runAfter(PAUSE_MS, () => void ask());
    return () => {
      isOver = true;
      cancel();
    };
  }, [text]);
  return known?.of === text ? known.verdict : null;
}

function VerdictStatus({ text }: { readonly text: string }) {
  const verdict = useVerdict(text);
  return <div role="status">{verdict !== null && <Verdict verdict={verdict} />}</div>;
}

function Verdict({ verdict }: { readonly verdict: VerdictView | string }) {
  if (typeof verdict === "string") return <Notice tone="warn">It couldn't be checked: {verdict}</Notice>;
  const { ok, errors, warnings } = verdict;
  return (
    <div class="stack">
      {ok && <Notice tone="ok">The check finds no mistake.</Notice>}
      {errors.length > 0 && (
        <Notice tone="bad">
          <Mistakes of={errors} />
        </Notice>
      )}
      {warnings.length > 0 && (
        <Notice tone="warn">
          <Mistakes of={warnings} />
        </Notice>
      )}
    </div>
  );
}

function Mistakes({ of }: { readonly of: VerdictView["errors"] }) {
  return (
    <ul class="plain">
      {of.map(({ line, column, field, message }) => (
        <li key={`${line} ${column} ${message}`}>
          Line {line}: <code>{field}</code> {message}
        </li>
      ))}
    </ul>
  );
}
