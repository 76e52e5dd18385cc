// The states of a place for data: nothing yet, still loading, failed; notices, badges and bars.
import type { ComponentChildren } from "preact";
import type { Resource } from "../resource.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

export type Tone = "ok" | "warn" | "bad" | "accent";

export function Empty({
  icon,
  title,
  children,
  action,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  return (
    <div class="state">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action && <div class="row">{action}</div>}
    </div>
  );
}

export function Failed({
  message,
  retry,
}: {
  readonly message: string;
  readonly retry: () => Promise<void>;
}) {
  return (
    <Empty
      icon="warning"
      title="This could not be loaded"
      action={
        <Button icon="refresh" onClick={() => void retry()}>
          Try again
        </Button>
      }
    >
      {message}
    </Empty>
  );
}

export function Skeleton({
  height = 20,
  width = "100%",
}: {
  readonly height?: number;
  readonly width?: string;
}) {
  return <span class="skeleton" style={{ height: `${height}px`, width }} />;
}

export function SkeletonRows({ rows = 5 }: { readonly rows?: number }) {
  return (
    <div class="card-body stack" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={22} width={`${92 - (row % 3) * 11}%`} />
      ))}
    </div>
  );
}

/** The data once it is there; until then that it is loading, or why it isn't there. */
export function Loaded<Data>({
  of,
  rows,
  children,
}: {
  readonly of: Resource<Data>;
  readonly rows?: number;
  readonly children: (data: Data) => ComponentChildren;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error !== null) return <Failed message={of.error} retry={of.reload} />;
  return <SkeletonRows rows={rows} />;
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

export function Badge({
  tone,
  hasDot,
  children,
}: {
  readonly tone?: Tone | undefined;
  readonly hasDot?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <span class={`badge ${tone ?? ""}`}>
      {hasDot && <span class="dot" />}
      {children}
    </span>
  );
}

/** A bar that is full at 1; it warns when little is left. */
export function Meter({
  share,
  label,
  warns = true,
}: {
  readonly share: number;
  readonly label: string;
  readonly warns?: boolean;
}) {
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
    <span class={isOn ? "live on" : "live"}>
      <span class="dot" />
      {isOn ? "Live" : "Connecting"}
    </span>
  );
}
