// The reasons for a selector's choice: the request's features and how the candidates compared.

import type { DecisionView } from "../../admin/log/request-schema.ts";
import { formatCount, formatDuration, formatPercent, formatUsd } from "../frame/format.ts";
import { Card } from "../parts/page.tsx";
import { Badge, Meter } from "../parts/states.tsx";
import {
  type Column,
  giveWay,
  makeColumn,
  makeHeadColumn,
  makeNumberColumn,
  Table,
} from "../parts/table.tsx";

type DecisionCandidate = DecisionView["candidates"][number];

/** The number of candidates shown with their uncertainty. */
const UNCERTAIN_ROWS_MAX = 3;

interface EstimateProps {
  readonly value: number;
  /** Not shown if it is missing or null. */
  readonly high: number | null | undefined;
  readonly format: (value: number) => string;
}

/** A figure and its upper bound, each on a line of its own where both don't fit. */
function Estimate({ value, high, format }: EstimateProps) {
  return (
    <span class="figures">
      <span>{format(value)}</span>
      {high !== null && high !== undefined && (
        <>
          {" "}
          <span>(to {format(high)})</span>
        </>
      )}
    </span>
  );
}

function describeBasis({ familiar, labelled }: NonNullable<DecisionView["basis"]>): string {
  const topics = labelled.map(({ topic, prompts }) => `${prompts} of ${topic.replaceAll("_", " ")}`);
  const leaned = topics.length > 0 ? `Similar labelled prompts: ${topics.join(", ")}.` : "";
  return familiar ? leaned : `Few known prompts are similar. ${leaned}`;
}

interface RequestDecisionProps {
  readonly decision: DecisionView;
  readonly used: string | null;
}

function makeColumns({ decision, used }: RequestDecisionProps): readonly Column<DecisionCandidate>[] {
  const uncertain = new Set(decision.candidates.slice(0, UNCERTAIN_ROWS_MAX).map(({ model }) => model));
  const isUncertain = (model: string) => uncertain.has(model);
  return [
    makeHeadColumn("Candidate", ({ model }) => (
      <span class="row">
        <span class="strong">{model}</span>
        {model === decision.choice && <Badge text="chosen" tone="ok" />}
        {model === used && used !== decision.choice && <Badge text="answered" tone="accent" />}
      </span>
    )),
    makeColumn("Chance of a good answer", ({ model, quality, quality_low }) => (
      <div class="gauge">
        <span>
          {formatPercent(quality)}
          {isUncertain(model) && quality_low !== undefined && ` (from ${formatPercent(quality_low)})`}
        </span>
        <Meter share={quality} warns={false} label={`quality ${formatPercent(quality)}`} />
      </div>
    )),
    giveWay(
      3,
      makeColumn("Source", ({ source, source_date }) => <Known source={source} day={source_date} />),
    ),
    makeNumberColumn("Cost", ({ model, cost_usd, cost_usd_high }) =>
      cost_usd === null ? (
        "–"
      ) : (
        <Estimate value={cost_usd} high={isUncertain(model) ? cost_usd_high : null} format={formatUsd} />
      ),
    ),
    makeNumberColumn("Time", ({ model, latency_ms, latency_ms_high }) => (
      <Estimate
        value={latency_ms}
        high={isUncertain(model) ? latency_ms_high : null}
        format={formatDuration}
      />
    )),
    makeNumberColumn("Score", ({ score }) => score.toFixed(3)),
  ];
}

interface KnownProps {
  readonly source: DecisionCandidate["source"];
  readonly day: string | null | undefined;
}

/** Decisions logged by earlier versions have no source. */
function Known({ source, day }: KnownProps) {
  if (source === undefined) return <span class="soft">–</span>;
  if (source === "guess") return <Badge text="guess" tone="warn" />;
  return <span>{day ? `${source}, ${day}` : source}</span>;
}

type Stays = Exclude<NonNullable<DecisionView["stays"]>, boolean>;

const STAY_WORDS: Readonly<Record<Stays["because"], string>> = {
  tool_loop: "The newest message is the result of a call, so the model that made it goes on.",
  cache: "The conversation stays with the model that has cached its prompt.",
  thinking: "The conversation stays with the model that can read its thinking.",
  opening:
    "The conversation stays with the choice for its opening, since this process hasn't seen its later turns.",
};

/** Decisions logged by earlier versions give no reason: they knew but one. */
function describeStays(stays: true | Stays): string {
  if (stays === true) return STAY_WORDS.cache;
  const { because, cached_tokens: cached, thinking_tokens: thinking } = stays;
  const counts = [
    ...(cached > 0 ? [`about ${formatCount(cached)} tokens of the prompt are probably cached`] : []),
    ...(thinking > 0 ? [`about ${formatCount(thinking)} tokens of thinking would be lost on another`] : []),
  ];
  return [STAY_WORDS[because], ...(counts.length === 0 ? [] : [`(${counts.join("; ")})`])].join(" ");
}

export function RequestDecision({ decision, used }: RequestDecisionProps) {
  const { features, candidates, removed = {}, pinned } = decision;
  const kinds = Object.entries(features.categories).slice(0, 6);
  const gone = Object.entries(removed).map(([why, many]) => `${many} ${why.replaceAll("_", " ")}`);
  const columns = makeColumns({ decision, used });
  return (
    <Card title="Why this model" isFlush>
      <div class="card-body stack">
        {decision.why && <p>{decision.why}.</p>}
        <p class="soft">
          Classified as{" "}
          {kinds.map(([kind, share], at) => (
            <span key={kind}>
              {at > 0 && ", "}
              <span class="strong">{kind}</span> {formatPercent(share)}
            </span>
          ))}
          ; difficulty {formatPercent(features.difficulty)}; expected answer: about {features.output_tokens}{" "}
          tokens.
          {pinned && ` The configuration pins the model for ${pinned}.`}
          {decision.stays && ` ${describeStays(decision.stays)}`}
          {decision.basis && ` ${describeBasis(decision.basis)}`}
          {gone.length > 0 && ` Excluded models: ${gone.join(", ")}.`}
          {!pinned && !decision.stays && " The model with the highest score is chosen."}
        </p>
      </div>
      <Table label="Candidates" columns={columns} rows={candidates} keyOf={({ model }) => model} />
    </Card>
  );
}
