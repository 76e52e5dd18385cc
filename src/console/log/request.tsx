// One request: its timeline, its cost, the selector's decision, and any errors.

import type { RequestDetailView } from "../../admin/log/request-schema.ts";
import { showInvisible } from "../../core/text/names.ts";
import {
  describeUnits,
  describeUsage,
  formatCount,
  formatDuration,
  formatFullTime,
  formatUsd,
} from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { CopyButton } from "../parts/button.tsx";
import { type Fact, Facts, Vitals } from "../parts/figures.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Badge, Loaded, Notice } from "../parts/states.tsx";
import { Findings } from "./findings.tsx";
import { describeMarks, describeMends, describeMove, describeRemoved } from "./left-out.ts";
import { RequestActions } from "./request-actions.tsx";
import { chooseTone, UNKNOWN_MODEL } from "./request-columns.tsx";
import { RequestContent } from "./request-content.tsx";
import { RequestDecision } from "./request-decision.tsx";
import { RelatedCards } from "./session-card.tsx";
import { Timeline } from "./timeline.tsx";

export function RequestPage({ id }: { readonly id: string }) {
  const request = useResource<RequestDetailView>(`/requests/${encodeURIComponent(id)}`);
  return (
    <>
      <PageHead
        back={{ path: "/activity", label: "Activity" }}
        title="Request"
        actions={request.data && <RequestActions request={request.data} />}
      />
      <Loaded of={request}>{(data) => <Detail request={data} />}</Loaded>
    </>
  );
}

/** The same beside a list, for a look without leaving it. */
export function RequestPeek({ id }: { readonly id: string }) {
  const request = useResource<RequestDetailView>(`/requests/${encodeURIComponent(id)}`);
  return <Loaded of={request}>{(data) => <Detail request={data} />}</Loaded>;
}

interface RequestSection {
  readonly request: RequestDetailView;
}

function Detail({ request }: RequestSection) {
  return (
    <div class="stack">
      <Summary request={request} />
      <p class="soft">{showInvisible(describeCourse(request))}</p>
      {request.error && (
        <Notice tone="bad">
          <span class="strong">{request.error.code ?? request.error.type}</span>: {request.error.message}
        </Notice>
      )}
      <Card title="Timeline">
        {request.timeline ? (
          <Timeline timeline={request.timeline} />
        ) : (
          <p class="faint">This request's timeline was not recorded.</p>
        )}
      </Card>
      <div class="charts">
        <Cost request={request} />
        <FactsCard request={request} />
      </div>
      {request.decision && <RequestDecision decision={request.decision} used={request.model_used} />}
      <RelatedCards request={request} />
      {request.content && <RequestContent content={request.content} />}
    </div>
  );
}

/** Says in a sentence what became of the request. */
function describeCourse({ timeline, model_used, model_asked, selector, outcome, stream }: RequestDetailView) {
  const failed = timeline?.attempts.filter((attempt) => attempt.outcome === "failed") ?? [];
  const chosen = selector === model_asked ? selector : `${model_asked}, by ${selector},`;
  const asked = selector ? `${chosen} chose the model` : `${model_asked} was asked for`;
  const troubles = failed.map(({ model, error_code }) => `${model} failed (${error_code ?? "unknown"})`);
  const after = troubles.length === 0 ? "" : ` after ${troubles.join(", then ")}`;
  if (outcome === "answered" && model_used) return `${asked}: ${model_used} answered${after}.`;
  if (outcome === "left") return `${asked}: the client left before the answer's end${after}.`;
  if (outcome === "refused") return `${asked}: a step of the gateway refused the request.`;
  return `${asked}: nobody answered${after}.${stream ? " The stream ended with an error." : ""}`;
}

/** Seconds. A shorter time says nothing about the speed. */
const MEASURED_FROM = 0.25;

function Summary({ request }: RequestSection) {
  const { tokens } = request;
  const seconds = (request.total_ms - (request.first_token_ms ?? 0)) / 1000;
  const speed =
    request.stream && seconds >= MEASURED_FROM && tokens.completion > 1 ? tokens.completion / seconds : null;
  const figures: readonly Fact[] = [
    ["Duration", formatDuration(request.total_ms)],
    ["First token", request.first_token_ms === null ? "–" : formatDuration(request.first_token_ms)],
    [describeUnits(request.units) === null ? "Tokens" : "Usage", describeUsage(tokens, request.units)],
    ["Speed", speed === null ? "–" : `${Math.round(speed)} tokens/s`],
    ["Cost", formatUsd(request.cost_usd)],
  ];
  return (
    <section class="card stack summary-card" aria-label="Summary">
      <div class="row">
        <Badge
          text={`${request.status} ${ENDINGS[request.ended] ?? request.ended}`}
          tone={chooseTone(request)}
          hasDot
        />
        <h2>
          {showInvisible(request.model_used ?? request.model_tried ?? request.model_asked ?? UNKNOWN_MODEL)}
        </h2>
        {request.selector && <span class="soft">chosen by {request.selector}</span>}
        {request.operation !== "chat" && <span class="soft">{request.operation}</span>}
        <span class="faint">{formatFullTime(request.at)}</span>
      </div>
      <Vitals rows={figures} />
    </section>
  );
}

const ENDINGS: Readonly<Record<string, string>> = {
  done: "answered",
  client_gone: "client disconnected",
  upstream_failed: "provider failed",
  broken_off: "incomplete",
  timeout: "timed out",
  refused: "refused",
  lost: "lost",
};

/** The lines' labels, with true for what is priced per unit and not per million. */
const COST_LINES: Readonly<Record<string, readonly [label: string, isPerUnit?: true]>> = {
  input: ["Prompt"],
  "cached input": ["Cached prompt"],
  "cache write": ["Cache write"],
  output: ["Answer"],
  reasoning: ["Reasoning"],
  request: ["Calls", true],
  search: ["Searches", true],
  "cache write for an hour": ["Cache write (1 hour)"],
  "audio input": ["Audio input"],
  "image input": ["Image input"],
  "audio output": ["Audio output"],
  "image output": ["Image output"],
  image: ["Images", true],
  second: ["Seconds", true],
  character: ["Characters"],
  "search unit": ["Search units", true],
  page: ["Pages", true],
};

function Cost({ request }: RequestSection) {
  const { cost } = request;
  return (
    <Card title="Cost">
      {cost ? (
        <table class="bill">
          <caption class="hidden-text">Cost by line</caption>
          <tbody>
            {cost.lines.map(({ what, count: many, usd_per_million, usd: amount }) => (
              <tr key={what}>
                <th scope="row">{COST_LINES[what]?.[0] ?? what}</th>
                <td class="faint">
                  {formatCount(many)} ×{" "}
                  {COST_LINES[what]?.[1]
                    ? formatUsd(usd_per_million / 1e6)
                    : `${formatUsd(usd_per_million)} per million`}
                </td>
                <td>{formatUsd(amount)}</td>
              </tr>
            ))}
            {cost.markup !== 1 && (
              <tr>
                <th scope="row">Markup</th>
                <td class="faint">× {cost.markup}</td>
                <td />
              </tr>
            )}
            <tr class="bill-sum">
              <th scope="row">Total</th>
              <td />
              <td>{formatUsd(cost.total_usd)}</td>
            </tr>
          </tbody>
        </table>
      ) : (
        <p>{formatUsd(request.cost_usd)}</p>
      )}
      {request.like !== null && (
        <p class="small faint">
          No list had this model, so it was priced like{" "}
          <a href={makeModelHref(request.like)}>{request.like}</a>, its nearest relative.
        </p>
      )}
      <p class="small faint bill-note">{describeBilling(request)}</p>
    </Card>
  );
}

function makeModelHref(id: string): string {
  return makeHref(`/models/${encodeURIComponent(id)}`);
}

function describeBilling({
  charged_usd,
  hold_usd,
  cost_usd,
  status,
  cached_from,
  saved_usd,
}: RequestDetailView): string {
  if (cached_from)
    return `Nothing was charged: the answer was kept from an earlier request, which cost ${formatUsd(saved_usd)}.`;
  if (charged_usd > 0)
    return `${formatUsd(charged_usd)} was charged, of ${formatUsd(hold_usd)} that was held.`;
  if (hold_usd > 0) return `Nothing was charged, and the ${formatUsd(hold_usd)} held were released.`;
  if (status >= 400 && cost_usd === 0) return "Nothing was charged: the request failed.";
  return cost_usd > 0
    ? "Nothing was charged: the request was within the allowance."
    : "Nothing was charged: the request cost nothing.";
}

const SOURCES: Readonly<Record<string, string>> = {
  provider: "counted by the provider",
  estimate: "estimated, because the provider reported none",
  none: "nothing to count",
};

function FactsCard({ request }: RequestSection) {
  const names = useNames();
  const { key_id, account_id, id, provider, address, session, trace_id, socket_id, batch_id, moved } =
    request;
  const { cached_from, tags, constraints, mends, reasoning_removed: removed, cache_marked: marked } = request;
  const { guard } = request;
  const found = (what: string, filter: string, value: string | null | undefined): readonly Fact[] =>
    value ? [[what, <a href={makeHref("/activity", { [filter]: value })}>{value}</a>]] : [];
  const facts: readonly Fact[] = [
    ["Key", <a href={makeHref("/activity", { key_id })}>{names.key(key_id)}</a>],
    ["Account", <a href={makeHref(`/settings/accounts/${account_id}`)}>{names.account(account_id)}</a>],
    ["Requested", showInvisible(describeRequested(request))],
    ...found("Provider", "provider", provider),
    ["API", request.surface],
    ...found("From", "address", address),
    ...found("Session", "session", session),
    ...found("WebSocket", "socket", socket_id),
    ...found("Trace", "trace_id", trace_id),
    ...found("Batch", "batch", batch_id),
    ...(tags ? [["Tags", <TagLinks tags={tags} />] as const] : []),
    ...(constraints.length > 0 ? [["Constraints", constraints.join(", ")] as const] : []),
    ...(guard.length > 0 ? [["Guard", <Findings guard={guard} />] as const] : []),
    ...(mends.length > 0 ? [["Mended", describeMends(mends)] as const] : []),
    ...(removed.length > 0 ? [["Thinking not shown", describeRemoved(removed)] as const] : []),
    ...(marked ? [["Cache", describeMarks(marked)] as const] : []),
    ...(moved ? [["Moved", describeMove(moved)] as const] : []),
    ...(cached_from
      ? [["Cached from", <a href={makeHref(`/activity/${cached_from}`)}>{cached_from}</a>] as const]
      : []),
    ["Tokens", SOURCES[request.usage_source] ?? request.usage_source],
    ["ID", <Copyable text={id} label="Copy ID" />],
    ...(request.request_id
      ? [["Request ID", <Copyable text={request.request_id} label="Copy request ID" />] as const]
      : []),
  ];
  return (
    <Card title="Details">
      <Facts rows={facts} />
    </Card>
  );
}

function describeRequested({ model_asked, compaction, transport, stream }: RequestDetailView): string {
  const way = transport === "ws" ? "by WebSocket" : stream ? "streamed" : "not streamed";
  return `${model_asked}, ${compaction ? "a summary of the conversation, " : ""}${way}`;
}

function TagLinks({ tags }: { readonly tags: NonNullable<RequestDetailView["tags"]> }) {
  const all = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
  return (
    <span class="row tight">
      {all.map((tag) => (
        <a key={tag} href={makeHref("/activity", { tag })}>
          {tag}
        </a>
      ))}
    </span>
  );
}

function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="row tight">
      <code>{text}</code>
      <CopyButton text={text} isIconOnly label={label} />
    </div>
  );
}
