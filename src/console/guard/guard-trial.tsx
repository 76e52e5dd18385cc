// A box to try the guard's rules on a text, which is sent to no model and kept nowhere.
import { useState } from "preact/hooks";
import type { GuardTriedView, TriedFinding } from "../../admin/models/guard.ts";
import { describeError, sendChange } from "../frame/api.ts";
import { useNames } from "../frame/names.ts";
import { useRun } from "../frame/task.ts";
import { Button, Code, Segments } from "../parts/button.tsx";
import { Filter, TextField } from "../parts/field.tsx";
import { Card } from "../parts/page.tsx";
import { Notice } from "../parts/states.tsx";
import { type Column, makeColumn, makeHeadColumn, Table } from "../parts/table.tsx";
import { ActionBadge } from "./actions.tsx";

type TrialPlace = "request" | "answer";
const PLACES: readonly { readonly value: TrialPlace; readonly label: string }[] = [
  { value: "request", label: "as a request" },
  { value: "answer", label: "as an answer" },
];

/** The findings in the text that was searched, and the text as it would leave. */
interface TrialResult {
  readonly text: string;
  readonly left: string;
  readonly findings: readonly TriedFinding[];
}

export function TrialCard() {
  const { keys } = useNames();
  const run = useRun();
  const [text, setText] = useState("");
  const [key, setKey] = useState("");
  const [at, setAt] = useState<TrialPlace>("request");
  const [tried, setTried] = useState<TrialResult | string | null>(null);
  const start = async (event: Event) => {
    event.preventDefault();
    await run.start(async () => {
      const body = { text, at, ...(key !== "" && { key_id: key }) };
      const answer = await sendChange<GuardTriedView>("POST", "/guard/try", body).catch(describeError);
      setTried(
        typeof answer === "string" ? answer : { text, left: answer.text ?? text, findings: answer.findings },
      );
    });
  };
  return (
    <Card title="Try a text" note="It is sent to no model, and kept nowhere">
      <form class="stack" onSubmit={(event) => void start(event)}>
        <TextField label="Text" rows={5} placeholder={EXAMPLE} value={text} onInput={setText} />
        <div class="row filters">
          <Segments label="Searched" options={PLACES} value={at} onChange={setAt} />
          <Filter
            label="Key"
            value={key}
            options={[
              { value: "", label: "All rules" },
              ...keys.map(({ id, name }) => ({ value: id, label: `Rules of ${name}` })),
            ]}
            onInput={setKey}
          />
          <Button label="Try it" type="submit" kind="main" isBusy={run.isRunning} isDisabled={text === ""} />
        </div>
        <div role="status">{tried !== null && <Result tried={tried} />}</div>
      </form>
    </Card>
  );
}

const EXAMPLE = "My card is 4532 0151 1283 0366.";

function Result({ tried }: { readonly tried: TrialResult | string }) {
  if (typeof tried === "string") return <Notice tone="bad">{tried}</Notice>;
  const { text, left, findings } = tried;
  const refusal = findings.find(({ action }) => action === "refuse");
  if (findings.length === 0) return <Notice tone="ok">Nothing is found in it.</Notice>;
  const columns: readonly Column<TriedFinding>[] = [
    makeHeadColumn("Found", ({ from, to }) => <span class="strong own-words">{text.slice(from, to)}</span>),
    makeColumn("Detector", ({ detector }) => detector),
    makeColumn("Action", ({ action }) => <ActionBadge action={action} />),
    makeColumn("Rule", ({ rule }) => rule),
  ];
  return (
    <div class="stack">
      <Table label="Found in the text" columns={columns} rows={findings} keyOf={({ from }) => String(from)} />
      {refusal ? (
        <Notice tone="bad">{`It doesn't leave: the rule ${refusal.rule} refuses it.`}</Notice>
      ) : (
        <div>
          <div class="small faint">{left === text ? "It leaves as it is" : "It leaves as"}</div>
          {left !== text && <Code text={left} />}
        </div>
      )}
    </div>
  );
}
