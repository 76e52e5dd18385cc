// The guard's findings on a request's page: detectors, how many values each found and where, and the rule.
import type { RequestDetailView } from "../../admin/log/request-schema.ts";
import { makeHref } from "../frame/route.ts";
import { ActionBadge, DONE } from "../guard/actions.tsx";

type Finding = RequestDetailView["guard"][number];

export function Findings({ guard }: Pick<RequestDetailView, "guard">) {
  return (
    <>
      {guard.map((finding) => (
        <div key={`${finding.detector} ${finding.action} ${finding.at}`}>
          <a href={makeHref("/activity", { finding: finding.detector })}>{finding.detector}</a>
          {describeFinding(finding)} {finding.action !== "report" && <ActionBadge action={finding.action} />}
        </div>
      ))}
    </>
  );
}

function describeFinding({ action, at, count, rule }: Finding): string {
  const values = `${count} ${count === 1 ? "value" : "values"}`;
  return `: ${values} in the ${at}, ${DONE[action]} by ${rule}`;
}
