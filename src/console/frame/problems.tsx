// The banner above every page, which names the problems of a gateway that serves. Each can be put away for an hour.

import { useEffect, useState } from "preact/hooks";
import type { ProblemView } from "../../admin/events/problems.ts";
import type { ListPage } from "../../admin/list.ts";
import { nowMs, readStored, runAfter, writeStored } from "../browser.ts";
import { Button } from "../parts/button.tsx";
import { Notice } from "../parts/states.tsx";
import { formatFullTime } from "./format.ts";
import { useResource } from "./resource.ts";
import { makeHref } from "./route.ts";

const EVERY_MS = 15_000;
const AWAY = "problems-away";
const AWAY_MS = 3_600_000;

export function Problems() {
  const problems = useResource<ListPage<ProblemView>>("/problems", EVERY_MS);
  const { isAway, putAway } = useAway();
  const shown = (problems.data?.data ?? []).filter((problem) => !isAway(problem));
  if (shown.length === 0) return null;
  return (
    <section class="stack problems" aria-label="Problems">
      {shown.map((problem) => (
        <Notice key={nameProblem(problem)} tone={problem.kind === "provider" ? "warn" : "bad"}>
          <Problem problem={problem} onPutAway={() => putAway(problem)} />
        </Notice>
      ))}
    </section>
  );
}

interface ProblemProps {
  readonly problem: ProblemView;
  readonly onPutAway: () => void;
}

function Problem({ problem, onPutAway }: ProblemProps) {
  const { kind, since, message, provider } = problem;
  return (
    <div class="row between">
      <span class="grow">
        {message}{" "}
        <span class="small">
          Since <time dateTime={since}>{formatFullTime(since)}</time>
        </span>{" "}
        {kind !== "store" && <a href={findCause(problem)}>{LINKS[kind]}</a>}
      </span>
      <Button
        label="Hide for an hour"
        about={provider ?? `the ${kind}`}
        isTiny
        kind="quiet"
        onClick={onPutAway}
      />
    </div>
  );
}

const LINKS = { provider: "Why?", configuration: "The one in use", payment: "Accounts" } as const;

const PAGES: Readonly<Record<ProblemView["kind"], string>> = {
  provider: "/settings/providers",
  configuration: "/settings/limits",
  payment: "/settings/accounts",
  store: "/settings/limits",
};

/** Returns the page that shows the cause. A provider has its own, since others may be listed above it. */
export function findCause({ kind, provider }: Pick<ProblemView, "kind" | "provider">): string {
  const page = PAGES[kind];
  return makeHref(provider === null ? page : `${page}/${encodeURIComponent(provider)}`);
}

/** A provider that fails and recovers in turns is one problem, whenever it began. */
function nameProblem({ kind, message }: ProblemView): string {
  return `${kind} ${message}`;
}

/** The problems put away in this browser, until when. The bell tells of them all the same. */
function useAway() {
  const [until, setUntil] = useState(readAway);
  const now = nowMs();
  const next = Math.min(...Object.values(until));
  useEffect(() => {
    if (Number.isFinite(next)) return runAfter(next - now, () => setUntil(readAway()));
  }, [next]);
  const putAway = (problem: ProblemView) => {
    const later = { ...readAway(), [nameProblem(problem)]: nowMs() + AWAY_MS };
    writeStored(AWAY, JSON.stringify(later));
    setUntil(later);
  };
  return { putAway, isAway: (problem: ProblemView) => (until[nameProblem(problem)] ?? 0) > now };
}

/** Leaves out those whose hour is over. */
function readAway(): Readonly<Record<string, number>> {
  try {
    const stored: unknown = JSON.parse(readStored(AWAY) ?? "{}");
    const known: readonly (readonly [string, unknown])[] = Object.entries(stored ?? {});
    const left = known.filter(([, until]) => typeof until === "number" && until > nowMs());
    return Object.fromEntries(left.map(([name, until]) => [name, Number(until)]));
  } catch {
    return {};
  }
}
