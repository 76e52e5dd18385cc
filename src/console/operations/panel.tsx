// The frame of an operation's form: its fields, the button that asks, the call as curl, and what came of it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { gatewayAddress } from "../browser.ts";
import { count, describeCharge } from "../format.ts";
import { Button, Code } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Figures } from "../parts/figures.tsx";
import { Notice } from "../parts/states.tsx";
import { writeCurl } from "../snippets.ts";
import { useRun } from "../use-run.ts";
import { type Asked, askWhole, type Counted, listGiven, type Outcome, type Spent } from "./ask.ts";

export interface PanelProps {
  readonly model: string;
}

interface Props<Answer> extends Asked {
  /** The button's word. */
  readonly action: string;
  readonly isReady: boolean;
  /** Reads the answer; left out: it is JSON. */
  readonly read?: (response: Response) => Promise<Answer>;
  readonly show: (answer: Answer) => ComponentChildren;
  /** Fields of the call that is shown as code, where they differ from those that the page itself needs. */
  readonly shown?: Asked["fields"];
  /** The file in which curl puts an answer that is no text. */
  readonly output?: string;
  readonly children: ComponentChildren;
}

export function Panel<Answer extends Counted>(props: Props<Answer>) {
  const { path, fields, shown = fields, action, isReady, show, output, children } = props;
  const { read = (response: Response): Promise<Answer> => response.json() } = props;
  const { isRunning, stop, start } = useRun();
  const [outcome, setOutcome] = useState<Outcome<Answer> | null>(null);
  const [isCode, setCode] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isRunning) void start(async (signal) => setOutcome(await askWhole({ path, fields }, read, signal)));
  };
  return (
    <form class="card-body stack" onSubmit={submit}>
      {children}
      <div class="row">
        {/* By their keys they are two elements: the press that stops would submit the form through the one that follows. */}
        {isRunning ? (
          <Button key="stop" icon="stop" onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button key="start" kind="main" type="submit" isDisabled={!isReady}>
            {action}
          </Button>
        )}
        <Button icon="code" onClick={() => setCode(true)}>
          View as code
        </Button>
      </div>
      <section class="stack" aria-label="Answer" aria-live="polite" aria-busy={isRunning}>
        {outcome && <Result outcome={outcome} show={show} />}
      </section>
      {isCode && <AsCurl path={path} fields={shown} output={output} onClose={() => setCode(false)} />}
    </form>
  );
}

interface ResultProps<Answer> {
  readonly outcome: Outcome<Answer>;
  readonly show: (answer: Answer) => ComponentChildren;
}

function Result<Answer extends Counted>({ outcome, show }: ResultProps<Answer>) {
  const { answer, error, model, totalMs } = outcome;
  const isStopped = answer === null && error === null;
  const parts = isStopped ? ["stopped"] : describeSpent(answer?.usage ?? {});
  return (
    <>
      {answer && show(answer)}
      {error && <Notice tone="bad">{error}</Notice>}
      <Figures model={model} totalMs={totalMs} parts={parts} />
    </>
  );
}

function describeSpent(spent: Spent): readonly (string | null)[] {
  const read = spent.prompt_tokens ?? spent.input_tokens ?? 0;
  const written = spent.completion_tokens ?? spent.output_tokens ?? 0;
  const tokens = written > 0 ? `${count(read)} → ${count(written)} tokens` : `${count(read)} tokens`;
  return [
    read + written > 0 ? tokens : null,
    spent.seconds === undefined ? null : `${count(spent.seconds)} seconds of sound`,
    describeCharge(spent),
  ];
}

interface AsCurlProps extends Asked {
  readonly output: string | undefined;
  readonly onClose: () => void;
}

function AsCurl({ onClose, output, ...asked }: AsCurlProps) {
  const call = { address: gatewayAddress(), secret: "sk-…", path: asked.path, output };
  return (
    <Dialog title="View as code" isWide onClose={onClose}>
      <Code text={writeCurl(call, Object.fromEntries(listGiven(asked)))} />
      <p class="small faint">In place of sk-… put a key of Settings → Router.</p>
    </Dialog>
  );
}
