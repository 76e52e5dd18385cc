// The banner above every page, which names the problems of a gateway that serves.

import type { ProblemView } from "../../admin/events/problems.ts";
import type { ListPage } from "../../admin/list.ts";
import { Notice } from "../parts/states.tsx";
import { formatFullTime } from "./format.ts";
import { useResource } from "./resource.ts";
import { makeHref } from "./route.ts";

const EVERY_MS = 15_000;

export function Problems() {
  const problems = useResource<ListPage<ProblemView>>("/problems", EVERY_MS);
  const data = problems.data?.data ?? [];
  if (data.length === 0) return null;
  return (
    <section class="stack problems" aria-label="Problems">
      {data.map(({ kind, since, message }) => (
        <Notice key={`${kind} ${message}`} tone={kind === "provider" ? "warn" : "bad"}>
          {message}{" "}
          <span class="small">
            Since <time dateTime={since}>{formatFullTime(since)}</time>
          </span>
          {kind === "provider" && (
            <>
              {" "}
              <a href={makeHref("/settings/providers")}>Why?</a>
            </>
          )}
        </Notice>
      ))}
    </section>
  );
}
