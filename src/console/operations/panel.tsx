// A playground operation: its form from the schema of its route, the curl command and the result.
import type { ComponentType } from "preact";
import { useErrorBoundary, useState } from "preact/hooks";
import { getGatewayUrl } from "../browser.ts";
import { ROUTES } from "../frame/api.ts";
import { describeCharge, formatCount } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { useRun } from "../frame/task.ts";
import { Button, Code, RunButton } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField } from "../parts/field.tsx";
import { Figures } from "../parts/figures.tsx";
import {
  type FormField,
  findError,
  isMissing,
  listFields,
  type OpenApi,
  toRequest,
  type Values,
} from "../parts/request-fields.ts";
import { type FormStyle, RequestForm } from "../parts/request-form.tsx";
import { writeCurl } from "../parts/snippets.ts";
import { Loaded, Notice } from "../parts/states.tsx";
import {
  type AnswerSpending,
  makeBody,
  type Outcome,
  type PanelRequest,
  sendRequest,
  type WithUsage,
} from "./ask.ts";

/** The values that a panel asks for beside the fields of its form. */
export interface ExtraFields {
  readonly values: Values;
  readonly onValues: (values: Values) => void;
}

interface PanelDefinition<Answer> extends FormStyle {
  /** The button's label. */
  readonly action: string;
  /** The routes, by the name of what they do. */
  readonly tasks: Readonly<Record<string, string>>;
  /** Fields that may be one text, but are taken as lists. */
  readonly lists?: readonly string[];
  readonly own?: PanelRequest["own"];
  /** The output file in the curl example, if the answer isn't text. */
  readonly name?: (values: Values) => string;
  /** Reads the answer. Missing if it is JSON or text. */
  readonly read?: (response: Response) => Promise<Answer>;
  readonly Show: ComponentType<{ readonly answer: Answer }>;
  /** Fields that a form can't have, such as objects. */
  readonly Extra?: ComponentType<ExtraFields>;
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
  const routes = useResource<OpenApi>(ROUTES);
  const { tasks, lists = [], first, own, name, action, read = readAnswer, Show, Extra } = definition;
  const names = Object.keys(tasks).map((one) => ({ value: one, label: one }));
  const [task = "", setTask] = useState(names[0]?.value);
  const [values, setValues] = useState(first);
  const [isBroken, setBroken] = useState(false);
  const { isRunning, stop, start } = useRun();
  const [outcome, setOutcome] = useState<Outcome<Answer> | null>(null);
  const [isCode, setCode] = useState(false);
  const path = tasks[task] ?? "";
  const fields = routes.data ? listFields(routes.data, path, lists) : [];
  const request = toRequest(fields, values);
  const isWrong = (field: FormField) => isMissing(field, request) || findError(field, request[field.name]);
  const isReady = fields.length > 0 && !isBroken && !fields.some(isWrong);
  const asked = { path, fields: { model, ...request }, own, output: name?.(request) };
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isRunning && isReady)
      void start(async (signal) => setOutcome(await sendRequest(asked, read, signal)));
  };
  const onValues = (next: Values | null) => {
    setBroken(next === null);
    if (next !== null) setValues(next);
  };
  return (
    <form class="card-body stack" noValidate onSubmit={submit}>
      {names.length > 1 && <SelectField label="Task" value={task} options={names} onInput={setTask} />}
      <Loaded of={routes}>
        {() => <RequestForm {...definition} fields={fields} values={values} onValues={onValues} />}
      </Loaded>
      {Extra && <Extra values={values} onValues={onValues} />}
      <div class="row">
        <RunButton label={action} isRunning={isRunning} onStop={stop} isDisabled={!isReady} />
        <Button label="View as code" icon="code" isDisabled={!isReady} onClick={() => setCode(true)} />
      </div>
      <section class="stack" aria-label="Answer" aria-live="polite" aria-busy={isRunning}>
        {outcome && <Result outcome={outcome} Show={Show} />}
      </section>
      {isCode && <AsCurl asked={asked} onClose={() => setCode(false)} />}
    </form>
  );
}

/** Some formats of transcripts are plain text. */
async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const isJson = response.headers.get("content-type")?.includes("json");
  return (isJson ? response : Response.json({ text: await response.text() })).json();
}

interface ResultProps<Answer> extends Pick<PanelDefinition<Answer>, "Show"> {
  readonly outcome: Outcome<Answer>;
}

function Result<Answer extends WithUsage>({ outcome, Show }: ResultProps<Answer>) {
  const { answer, error, model, totalMs } = outcome;
  const isStopped = answer === null && error === null;
  return (
    <>
      {answer && <Shown key={totalMs} answer={answer} Show={Show} />}
      {error && <Notice tone="bad">{error}</Notice>}
      <Figures
        model={model}
        totalMs={totalMs}
        parts={isStopped ? ["stopped"] : describeSpending(answer?.usage ?? {})}
      />
    </>
  );
}

interface ShownProps<Answer> extends Pick<PanelDefinition<Answer>, "Show"> {
  readonly answer: Answer;
}

/** A request edited as JSON may be answered in another form, which is shown as it came. */
function Shown<Answer extends WithUsage>({ answer, Show }: ShownProps<Answer>) {
  const [error] = useErrorBoundary();
  return error ? <Code text={JSON.stringify(answer, null, 2)} /> : <Show answer={answer} />;
}

function describeSpending(spent: AnswerSpending): readonly (string | null)[] {
  const read = spent.prompt_tokens ?? spent.input_tokens ?? spent.total_input_tokens ?? 0;
  const written = spent.completion_tokens ?? spent.output_tokens ?? spent.total_output_tokens ?? 0;
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
      <Code text={writeCurl(call, makeBody(asked.fields))} />
      <p class="small faint">Replace sk-… with a key from Keys.</p>
    </Dialog>
  );
}
