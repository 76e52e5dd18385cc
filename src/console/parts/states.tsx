// The states of loaded content (empty, loading, failed), notices, badges and meters.
import type { ComponentChildren } from "preact";
import type { Resource } from "../frame/resource.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

export type Tone = "ok" | "warn" | "bad" | "accent";

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div class="state">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action && <div class="row">{action}</div>}
    </div>
  );
}

interface FailedProps {
  readonly message: string;
  readonly retry: () => Promise<void>;
}

export function Failed({ message, retry }: FailedProps) {
  const again = <Button label="Try again" icon="refresh" onClick={() => void retry()} />;
  return (
    <Empty icon="warning" title="Loading failed" action={again}>
      {message}
    </Empty>
  );
}

export function Skeleton({ height, width = "100%" }: { readonly height: number; readonly width?: string }) {
  return <span class="skeleton" style={{ height: `${height}px`, width }} />;
}

/** Stands in a cell whose figure is on its way. */
export function LoadingCell() {
  return (
    <span class="skeleton in-cell">
      <span class="hidden-text">loading</span>
    </span>
  );
}

/** Stands in a cell without a figure: one that isn't known yet looks other than one that nobody has. */
export function NoFigure({ isLoading }: { readonly isLoading: boolean }) {
  return isLoading ? <LoadingCell /> : <span class="faint">–</span>;
}

interface LoadedProps<Data> {
  readonly of: Resource<Data>;
  /** The placeholder rows shown while loading. */
  readonly rows?: number | undefined;
  readonly children: (data: Data) => ComponentChildren;
}

/** Shows the data, the error, or placeholders while loading. */
export function Loaded<Data>({ of, rows = 5, children }: LoadedProps<Data>) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error !== null) return <Failed message={of.error} retry={of.reload} />;
  return <Placeholder rows={rows} />;
}

export function Placeholder({ rows }: { readonly rows: number }) {
  return (
    <div class="card-body stack" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={22} width={`${92 - (row % 3) * 11}%`} />
      ))}
    </div>
  );
}

export function Notice({ tone, children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  const icon = tone === "ok" ? "check" : tone === "bad" || tone === "warn" ? "warning" : "info";
  return (
    <div class={`notice ${tone ?? ""}`} role={tone === "bad" ? "alert" : undefined}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}

export function Warnings({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {of.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
    </>
  );
}

interface BadgeProps {
  readonly text: string | number;
  readonly tone?: Tone | undefined;
  readonly hasDot?: boolean;
}

export function Badge({ text, tone, hasDot }: BadgeProps) {
  return (
    <span class={`badge ${tone ?? ""}`}>
      {hasDot && <span class="dot" />}
      {text}
    </span>
  );
}

interface MeterProps {
  readonly share: number;
  readonly label: string;
  readonly warns?: boolean;
}

/** A meter that is full at 1 and warns from 0.8. */
export function Meter({ share, label, warns = true }: MeterProps) {
  const full = Math.min(1, Math.max(0, share));
  const tone = !warns || full < 0.8 ? "" : full < 1 ? "warn" : "bad";
  return (
    <span class={`meter ${tone}`} role="img" aria-label={label} title={label}>
      <span style={{ width: `${full * 100}%` }} />
    </span>
  );
}

export function Live({ isOn }: { readonly isOn: boolean }) {
  return (
    <span class={`small faint live ${isOn ? "on" : ""}`}>
      <span class="dot" />
      {isOn ? "Live" : "Connecting"}
    </span>
  );
}
