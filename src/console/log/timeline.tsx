// A request's phases as bars on one time scale.
import type { ComponentChildren } from "preact";
import type { AttemptView, HookView, RequestDetailView } from "../../admin/log/request-schema.ts";
import { formatDuration } from "../frame/format.ts";
import { Badge, type Tone } from "../parts/states.tsx";
import { describeFailure } from "./failure.tsx";

type TimelineTimes = NonNullable<RequestDetailView["timeline"]>;

const OUTCOMES: Readonly<Record<AttemptView["outcome"], { readonly tone?: Tone; readonly word: string }>> = {
  answered: { tone: "ok", word: "answered" },
  failed: { tone: "bad", word: "failed" },
  outrun: { word: "another attempt was faster" },
  left: { tone: "warn", word: "client disconnected" },
};

export function Timeline({ timeline }: { readonly timeline: TimelineTimes }) {
  const wholeMs = Math.max(timeline.end_ms, 1);
  return (
    <div class="timeline">
      {timeline.admitted_ms !== null && (
        <Bar
          label="Admitted"
          note={formatDuration(timeline.admitted_ms)}
          wholeMs={wholeMs}
          parts={[{ kind: "queue", fromMs: 0, toMs: timeline.admitted_ms }]}
        />
      )}
      {timeline.hooks.map((hook) => (
        <HookBar key={`${hook.start_ms} ${hook.name}`} hook={hook} wholeMs={wholeMs} />
      ))}
      {timeline.attempts.map((attempt, at) => (
        <AttemptBar
          key={`${attempt.start_ms} ${attempt.model}`}
          attempt={attempt}
          number={at + 1}
          wholeMs={wholeMs}
        />
      ))}
      <div class="timeline-scale small faint" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share} style={{ left: `${share * 100}%` }}>
            {formatTick(share * wholeMs, wholeMs)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Below this, ticks in whole milliseconds would repeat. */
const WHOLE_TICKS_FROM_MS = 20;

function formatTick(ms: number, wholeMs: number): string {
  return wholeMs < WHOLE_TICKS_FROM_MS ? `${Number(ms.toFixed(1))} ms` : formatDuration(ms);
}

const ACTIONS: Readonly<Record<HookView["action"], Tone | undefined>> = {
  passed: "ok",
  changed: "ok",
  blocked: "warn",
  failed: "bad",
};

function HookBar({ hook, wholeMs }: { readonly hook: HookView; readonly wholeMs: number }) {
  const { name, at, action, start_ms: fromMs, end_ms: toMs } = hook;
  const label = (
    <span class="row">
      <span class="strong">{name}</span>
      <span class="small soft">hook at the {at}</span>
      <Badge text={action} tone={ACTIONS[action]} />
    </span>
  );
  const kind = action === "failed" ? "bad" : "queue";
  return (
    <Bar
      label={label}
      note={formatDuration(toMs - fromMs)}
      parts={[{ kind, fromMs, toMs }]}
      wholeMs={wholeMs}
    />
  );
}

interface AttemptBarProps {
  readonly attempt: AttemptView;
  readonly number: number;
  readonly wholeMs: number;
}

function AttemptBar({ attempt, number, wholeMs }: AttemptBarProps) {
  const endMs = attempt.end_ms;
  const firstMs = attempt.first_token_ms;
  const { tone, word } = OUTCOMES[attempt.outcome];
  const label = (
    <span class="row">
      <span class="strong">
        {number}. {attempt.model}
      </span>
      {attempt.credential && <code class="faint">{attempt.credential}</code>}
      <Badge text={word} tone={tone} />
      {attempt.error_code && <span class="small soft">{attempt.error_code}</span>}
      {attempt.outcome === "failed" && <span class="small faint">{describeFailure(attempt)}</span>}
    </span>
  );
  const note =
    firstMs === null
      ? formatDuration(endMs - attempt.start_ms)
      : `first token after ${formatDuration(firstMs - attempt.start_ms)}, ${formatDuration(endMs - attempt.start_ms)} in total`;
  const isBad = attempt.outcome === "failed";
  const parts: readonly Segment[] = [
    { kind: isBad ? "bad" : "wait", fromMs: attempt.start_ms, toMs: firstMs ?? endMs },
    ...(firstMs === null ? [] : [{ kind: isBad ? "bad" : "flow", fromMs: firstMs, toMs: endMs } as const]),
  ];
  return <Bar label={label} note={note} parts={parts} wholeMs={wholeMs} />;
}

interface Segment {
  readonly kind: "queue" | "wait" | "flow" | "bad";
  readonly fromMs: number;
  readonly toMs: number;
}

interface TimelineBarProps {
  readonly label: ComponentChildren;
  readonly note: string;
  readonly parts: readonly Segment[];
  readonly wholeMs: number;
}

function Bar({ label, note, parts, wholeMs }: TimelineBarProps) {
  return (
    <div class="timeline-row">
      <div class="timeline-label">
        {label}
        <span class="small faint">{note}</span>
      </div>
      <div class="timeline-track">
        {parts.map(({ kind, fromMs, toMs }) => (
          <span
            key={kind}
            class={`timeline-bar ${kind}`}
            style={{
              left: `${(fromMs / wholeMs) * 100}%`,
              width: `${Math.max(0.4, ((toMs - fromMs) / wholeMs) * 100)}%`,
            }}
          />
        ))}
      </div>
    </div>
  );
}
