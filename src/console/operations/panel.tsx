// A playground operation: its form from a list of fields, the curl command and the result.
import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { getGatewayUrl } from "../browser.ts";
import { describeCharge, formatCount } from "../format.ts";
import { Button, Code, RunButton } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Figures } from "../parts/figures.tsx";
import { FileField } from "../parts/file-field.tsx";
import { Notice } from "../parts/states.tsx";
import { writeCurl } from "../snippets.ts";
import { useRun } from "../task.ts";
import {
  makeBody,
  type Outcome,
  type PanelRequest,
  type Spending,
  sendRequest,
  type Values,
  type WithUsage,
} from "./ask.ts";

interface FieldRow {
  readonly name: string;
  readonly label: string;
  /** The initial value. */
  readonly first?: string;
  readonly isOptional?: boolean;
  readonly hint?: string;
  readonly placeholder?: string;
  /** The height of a multi-line text field. Missing if it has one line. */
  readonly rows?: number;
  /** The values to choose from; "" leaves the choice to the model. */
  readonly options?: readonly string[];
  /** The file types. Missing if the field isn't a file. */
  readonly accept?: string;
}

interface PanelDefinition<Answer> {
  /** The button's label. */
  readonly action: string;
  readonly rows: readonly FieldRow[];
  readonly ask: (values: Values) => PanelRequest;
  /** Reads the answer. Missing if it is JSON. */
  readonly read?: (response: Response) => Promise<Answer>;
  readonly Show: ComponentType<{ readonly answer: Answer }>;
}

interface PanelProps {
  readonly model: string;
}

export type OperationPanel = ComponentType<PanelProps>;

export function makePanel<Answer extends WithUsage>(definition: PanelDefinition<Answer>): OperationPanel {
  return ({ model }) => <Panel definition={definition} model={model} />;
}

interface PanelViewProps<Answer> extends PanelProps {
  readonly definition: PanelDefinition<Answer>;
}

function Panel<Answer extends WithUsage>({ definition, model }: PanelViewProps<Answer>) {
  const { rows, action, read = (response: Response): Promise<Answer> => response.json() } = definition;
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(rows.map(({ name, first = "" }) => [name, first])),
  );
  const { isRunning, stop, start } = useRun();
  const [outcome, setOutcome] = useState<Outcome<Answer> | null>(null);
  const [isCode, setCode] = useState(false);
  const isReady = rows.every(
    ({ name, isOptional, options }) => isOptional || options || isGiven(values[name]),
  );
  const asked = definition.ask({ ...values, model });
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isRunning && isReady)
      void start(async (signal) => setOutcome(await sendRequest(asked, read, signal)));
  };
  return (
    <form class="card-body stack" onSubmit={submit}>
      <div class="two asking">
        {rows.map((row) => (
          <Field
            key={row.name}
            row={row}
            value={String(values[row.name])}
            onInput={(value) => setValues((before) => ({ ...before, [row.name]: value ?? "" }))}
          />
        ))}
      </div>
      <div class="row">
        <RunButton label={action} isRunning={isRunning} onStop={stop} isDisabled={!isReady} />
        <Button label="View as code" icon="code" onClick={() => setCode(true)} />
      </div>
      <section class="stack" aria-label="Answer" aria-live="polite" aria-busy={isRunning}>
        {outcome && <Result outcome={outcome} Show={definition.Show} />}
      </section>
      {isCode && <AsCurl asked={asked} onClose={() => setCode(false)} />}
    </form>
  );
}

function isGiven(value: Values[string] | undefined): boolean {
  return value instanceof File || (value ?? "").trim() !== "";
}

interface FieldProps {
  readonly row: FieldRow;
  readonly value: string;
  readonly onInput: (value: string | File | null) => void;
}

function Field({ row, value, onInput }: FieldProps) {
  const { name: _name, first: _first, isOptional, accept, options, rows, label, ...rest } = row;
  const around = { ...rest, label: isOptional ? `${label} (optional)` : label, value, onInput };
  if (accept) return <FileField label={around.label} accept={accept} onFile={onInput} />;
  if (!options) return <TextField {...around} rows={rows} />;
  const choices = options.map((one) => ({ value: one, label: one === "" ? "model default" : one }));
  return <SelectField {...around} options={choices} />;
}

interface ResultProps<Answer> extends Pick<PanelDefinition<Answer>, "Show"> {
  readonly outcome: Outcome<Answer>;
}

function Result<Answer extends WithUsage>({ outcome, Show }: ResultProps<Answer>) {
  const { answer, error, model, totalMs } = outcome;
  const isStopped = answer === null && error === null;
  return (
    <>
      {answer && <Show answer={answer} />}
      {error && <Notice tone="bad">{error}</Notice>}
      <Figures
        model={model}
        totalMs={totalMs}
        parts={isStopped ? ["stopped"] : describeSpending(answer?.usage ?? {})}
      />
    </>
  );
}

function describeSpending(spent: Spending): readonly (string | null)[] {
  const read = spent.prompt_tokens ?? spent.input_tokens ?? 0;
  const written = spent.completion_tokens ?? spent.output_tokens ?? 0;
  const tokens =
    written > 0 ? `${formatCount(read)} → ${formatCount(written)} tokens` : `${formatCount(read)} tokens`;
  return [
    read + written > 0 ? tokens : null,
    spent.seconds === undefined ? null : `${formatCount(spent.seconds)} seconds of audio`,
    describeCharge(spent),
  ];
}

function AsCurl({ asked, onClose }: { readonly asked: PanelRequest; readonly onClose: () => void }) {
  const call = { ...asked, address: getGatewayUrl(), secret: "sk-…" };
  return (
    <Dialog title="View as code" isWide onClose={onClose}>
      <Code text={writeCurl(call, makeBody(asked.shown ?? asked.fields))} />
      <p class="small faint">Replace sk-… with a key from Settings → Router.</p>
    </Dialog>
  );
}
