// Sampling: models answer the same prompts side by side, without names, and the operator or a judge model scores them.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Sampling } from "../../admin/models/sampling.ts";
import { describeError, sendChange } from "../frame/api.ts";
import { formatUsd } from "../frame/format.ts";
import { useModels } from "../frame/names.ts";
import { useForm } from "../frame/task.ts";
import { Button, Segments } from "../parts/button.tsx";
import { Combobox } from "../parts/combobox.tsx";
import { TextField } from "../parts/field.tsx";
import { ModelsField } from "../parts/models-field.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Notice } from "../parts/states.tsx";
import { makeColumn, makeHeadColumn, makeNumberColumn, Table } from "../parts/table.tsx";

type AnswerOf<Name extends keyof Sampling> = Awaited<ReturnType<Sampling[Name]>>;
type SamplingPlanView = AnswerOf<"plan">;
type SamplingAnswers = AnswerOf<"ask">["answers"];
type ModelScore = AnswerOf<"score">["models"][number];

const LETTERS = "ABCDEFGH";
/** The scores of the keys 1 to 5. */
const SCORES = ["0", "0.25", "0.5", "0.75", "1"] as const;

interface SamplingSetup {
  readonly plan: SamplingPlanView;
  readonly budget: number;
  /** Empty if the operator scores. */
  readonly judge: string;
}

export function SamplingPage() {
  const [setup, setSetup] = useState<SamplingSetup | null>(null);
  const [isStarted, setStarted] = useState(false);
  return (
    <>
      <PageHead title="Sampling">
        Models answer the same prompts. Your scores of the answers teach the selectors which model to choose.
      </PageHead>
      <div class="stack">
        {!isStarted && <SetupForm onPlanned={setSetup} />}
        {setup && !isStarted && <PlanCard {...setup} onStart={() => setStarted(true)} />}
        {setup && isStarted && <Session {...setup} />}
      </div>
    </>
  );
}

function SetupForm({ onPlanned }: { readonly onPlanned: (setup: SamplingSetup) => void }) {
  const [models, setModels] = useState<readonly string[]>([]);
  const [judge, setJudge] = useState("");
  const form = useForm(
    () => ({ prompts: "20", budget: "1", own: "" }),
    async ({ prompts, budget, own }) => {
      const lines = own.split("\n").filter((line) => line.trim() !== "");
      const plan = await sendChange<SamplingPlanView>("POST", "/samples/plan", {
        prompts: Number(prompts),
        ...(judge === "" ? {} : { judge }),
        ...(models.length === 0 ? {} : { models }),
        ...(lines.length === 0 ? {} : { messages: lines.map((content) => [{ role: "user", content }]) }),
      });
      onPlanned({ plan, budget: Number(budget), judge });
    },
  );
  return (
    <Card title="What to sample">
      <form class="stack" onSubmit={form.start}>
        <div class="two">
          <TextField label="Prompts" type="count" {...form.field("prompts")} />
          <TextField label="Budget in USD" type="amount" {...form.field("budget")} />
        </div>
        <ModelsField
          label="Models"
          hint="2 to 8. If there are none, the four that the selectors would choose most."
          placeholder="Part of a model's name"
          chosen={models}
          onChange={setModels}
        />
        <JudgeField value={judge} onChoose={setJudge} />
        <TextField
          label="Prompts of your own, one per line"
          hint="If empty, the newest prompts in the log, which needs log.content."
          rows={4}
          {...form.field("own")}
        />
        {form.otherError() !== null && <Notice tone="bad">{form.otherError()}</Notice>}
        <div class="row">
          <Button label="Show the cost" type="submit" isBusy={form.isBusy} />
        </div>
      </form>
    </Card>
  );
}

interface JudgeFieldProps {
  readonly value: string;
  readonly onChoose: (judge: string) => void;
}

function JudgeField({ value, onChoose }: JudgeFieldProps) {
  const { on } = useModels();
  return (
    <Combobox
      label="Judge"
      placeholder="Judge: nobody, you score them yourself"
      value={value}
      options={on.map(({ id }) => ({ value: id, label: id }))}
      isClearable
      onChoose={onChoose}
    />
  );
}

function PlanCard({ plan, budget, judge, onStart }: SamplingSetup & { readonly onStart: () => void }) {
  const { prompts, models, known, cost_usd } = plan;
  return (
    <Card title="Before it starts">
      <div class="stack">
        <p>
          {prompts.length} prompts to {models.join(", ")};{" "}
          {judge === "" ? "you score" : `${judge} scores, in both orders`}.
          {known > 0 && ` ${known} were left out, as they are scored already.`}
        </p>
        <p>
          Expected cost: {formatUsd(cost_usd)}, at most {formatUsd(budget)}.
        </p>
        <div class="row">
          <Button label="Start" kind="main" isDisabled={prompts.length === 0} onClick={onStart} />
        </div>
      </div>
    </Card>
  );
}

/** Asks prompt by prompt. Each score is learned at once, so leaving the page loses none. */
function useSession({ plan, budget, judge }: SamplingSetup) {
  const [at, setAt] = useState(0);
  const [answers, setAnswers] = useState<SamplingAnswers | null>(null);
  const [scored, setScored] = useState<readonly ModelScore[]>([]);
  const [end, setEnd] = useState<string | null>(null);
  const spent = useRef(0);
  const messages = plan.prompts[at]?.messages;
  const left = () => Math.max(0, budget - spent.current);
  const learn = async (scores: readonly { readonly answer: string; readonly score: number }[]) => {
    if (scores.length > 0) {
      const { models } = await sendChange<AnswerOf<"score">>("POST", "/samples/scores", { messages, scores });
      setScored((before) => [...before, ...models]);
    }
    setAnswers(null);
    setAt(at + 1);
  };
  const judgeAll = async (given: SamplingAnswers) => {
    const texts = given.flatMap(({ answer, text }) => (text === null ? [] : [{ answer, text }]));
    if (texts.length < 2) return learn([]);
    const body = { messages, judge, answers: texts, max_cost_usd: left() };
    const { scores, cost_usd } = await sendChange<AnswerOf<"judge">>("POST", "/samples/judge", body);
    spent.current += cost_usd;
    if (scores.length === 0 && cost_usd === 0) return setEnd("The budget is used up.");
    return learn(scores.flatMap(({ answer, score }) => (score === null ? [] : [{ answer, score }])));
  };
  const ask = async () => {
    if (messages === undefined) return setEnd("All prompts were asked.");
    const body = { messages, models: plan.models, max_cost_usd: left() };
    const { answers: given, cost_usd } = await sendChange<AnswerOf<"ask">>("POST", "/samples/ask", body);
    spent.current += cost_usd;
    if (given.length === 0) return setEnd("The budget is used up.");
    return judge === "" ? setAnswers(given) : judgeAll(given);
  };
  useEffect(() => {
    ask().catch((failed: unknown) => setEnd(describeError(failed)));
  }, [at]);
  const onScored: ScoringProps["onScored"] = (scores) =>
    learn(scores).catch((failed) => setEnd(describeError(failed)));
  return { at, messages, answers, scored, end, spentUsd: spent.current, onScored };
}

function Session(setup: SamplingSetup) {
  const { at, messages, answers, scored, end, spentUsd, onScored } = useSession(setup);
  const shown = (answers ?? []).filter(({ text }) => text !== null);
  return (
    <>
      <Card
        title={end ?? `Prompt ${at + 1} of ${setup.plan.prompts.length}`}
        note={`${formatUsd(spentUsd)} so far`}
      >
        {end === null && messages !== undefined && (
          <div class="answer">
            <p>{formatMessages(messages)}</p>
          </div>
        )}
      </Card>
      {end === null && answers !== null && <Scoring key={at} answers={shown} onScored={onScored} />}
      {end !== null && <Results scored={scored} judge={setup.judge} />}
    </>
  );
}

interface ScoringProps {
  readonly answers: SamplingAnswers;
  readonly onScored: (scores: readonly { readonly answer: string; readonly score: number }[]) => void;
}

/** The keys 1 to 5 score the first answer without a score; s skips the prompt. */
function Scoring({ answers, onScored }: ScoringProps) {
  const [given, setGiven] = useState<readonly string[]>([]);
  const give = (place: number, score: string) => {
    const next = answers.map((_, at) => (at === place ? score : (given[at] ?? "")));
    setGiven(next);
    if (next.every((one) => one !== ""))
      onScored(answers.map(({ answer }, at) => ({ answer, score: Number(next[at]) })));
  };
  useEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (target instanceof HTMLInputElement) return;
      if (key === "s") onScored([]);
      const score = SCORES[Number(key) - 1];
      const place = answers.findIndex((_, at) => (given[at] ?? "") === "");
      if (score !== undefined && place >= 0) give(place, score);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
  return (
    <>
      {answers.map(({ answer, text }, place) => (
        <Card key={answer} title={LETTERS[place]}>
          <div class="stack">
            <div class="answer">
              <p>{text}</p>
            </div>
            <Segments
              label={`Score of ${LETTERS[place]}`}
              options={SCORES.map((value, at) => ({ value, label: String(at + 1) }))}
              value={given[place] ?? ""}
              onChange={(score) => give(place, score)}
            />
          </div>
        </Card>
      ))}
      <div class="row">
        <span class="small faint">Press 1 (useless) to 5 (could not be better) for each answer in turn.</span>
        <Button label="Skip this prompt" onClick={() => onScored([])} />
      </div>
    </>
  );
}

/** Only now are the models named: who knows them would no longer score the answers alone. */
function Results({ scored, judge }: { readonly scored: readonly ModelScore[]; readonly judge: string }) {
  const rows = [...Map.groupBy(scored, ({ model }) => model)].map(([model, own]) => ({
    model,
    mean: own.reduce((sum, { score }) => sum + score, 0) / own.length,
    answers: own.length,
  }));
  const columns = [
    makeHeadColumn<(typeof rows)[number]>("Model", ({ model }) => model),
    makeNumberColumn<(typeof rows)[number]>("Mean score", ({ mean }) => mean.toFixed(2)),
    makeNumberColumn<(typeof rows)[number]>("Answers", ({ answers }) => answers),
    makeColumn<(typeof rows)[number]>("Scored by", () => (judge === "" ? "you" : `${judge}, in both orders`)),
  ];
  return (
    <Card title="Scores" isFlush>
      <Table label="Scores by model" columns={columns} rows={rows} keyOf={({ model }) => model} />
    </Card>
  );
}

function formatMessages(messages: SamplingPlanView["prompts"][number]["messages"]): string {
  return messages
    .map(({ role, content }) => {
      const text = typeof content === "string" ? content : JSON.stringify(content);
      return messages.length === 1 ? text : `[${role}] ${text}`;
    })
    .join("\n");
}
