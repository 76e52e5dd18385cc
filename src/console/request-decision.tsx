// A selector's reasons for its choice: what the request looked like, and how the candidates compared.

import type { DecisionView } from "../admin/request-schema.ts";
import { percent, span, usd } from "./format.ts";
import { Card } from "./parts/page.tsx";
import { Badge, Meter } from "./parts/states.tsx";
import { type Column, Table } from "./parts/table.tsx";

type Candidate = DecisionView["candidates"][number];

interface RequestDecisionProps {
  readonly decision: DecisionView;
  readonly used: string | null;
}

export function RequestDecision({ decision, used }: RequestDecisionProps) {
  const { features, candidates, removed = {}, pinned } = decision;
  const kinds = Object.entries(features.categories).slice(0, 6);
  const gone = Object.entries(removed).map(([why, many]) => `${many} ${why.replaceAll("_", " ")}`);
  const columns: readonly Column<Candidate>[] = [
    {
      name: "model",
      label: "Candidate",
      isHead: true,
      cell: ({ model }) => (
        <span class="row">
          <span class="strong">{model}</span>
          {model === decision.choice && <Badge tone="ok">chosen</Badge>}
          {model === used && used !== decision.choice && <Badge tone="accent">answered</Badge>}
        </span>
      ),
    },
    {
      name: "quality",
      label: "Chance of a good answer",
      cell: ({ quality }) => (
        <div class="gauge">
          <span>{percent(quality)}</span>
          <Meter share={quality} warns={false} label={`quality ${percent(quality)}`} />
        </div>
      ),
    },
    {
      name: "cost",
      label: "Cost",
      isNumber: true,
      cell: ({ cost_usd }) => (cost_usd === null ? "–" : usd(cost_usd)),
    },
    { name: "time", label: "Time", isNumber: true, cell: ({ latency_ms }) => span(latency_ms) },
    { name: "score", label: "Score", isNumber: true, cell: ({ score }) => score.toFixed(3) },
  ];
  return (
    <Card title="Why this model" isFlush>
      <div class="card-body stack">
        <p class="soft">
          Taken to be{" "}
          {kinds.map(([kind, share], at) => (
            <span key={kind}>
              {at > 0 && ", "}
              <span class="strong">{kind}</span> {percent(share)}
            </span>
          ))}
          ; difficulty {percent(features.difficulty)}, an answer of about {features.output_tokens} tokens.
          {pinned && ` The configuration pins ${pinned}.`}
          {gone.length > 0 && ` Left out: ${gone.join(", ")}.`}
        </p>
      </div>
      <Table label="Candidates" columns={columns} rows={candidates} keyOf={({ model }) => model} />
    </Card>
  );
}
