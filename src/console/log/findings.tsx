// The guard's findings on a request's page: detectors, how many values each found and where, and the rule.
import type { RequestDetailView } from "../../admin/log/request-schema.ts";
import { makeHref } from "../frame/route.ts";

type Finding = RequestDetailView["guard"][number];

/** The word for each action. */
const DONE: Readonly<Record<Finding["action"], string>> = {
  report: "reported",
  mask: "masked",
  swap: "swapped",
  refuse: "refused",
};

export function Findings({ guard }: Pick<RequestDetailView, "guard">) {
  return (
    <>
      {guard.map((finding) => (
        <div key={`${finding.detector} ${finding.action} ${finding.at}`}>
          <a href={makeHref("/activity", { finding: finding.detector })}>{finding.detector}</a>
          {describeFinding(finding)}
        </div>
      ))}
    </>
  );
}

function describeFinding({ action, at, count, rule }: Finding): string {
  const values = `${count} ${count === 1 ? "value" : "values"}`;
  return `: ${values} in the ${at}, ${DONE[action]} by ${rule}`;
}
