// The trace of a request as its row has it.
import type { Fault } from "../core/fault.ts";
import type { Trace } from "../core/trace.ts";
import type { Amounts } from "../core/units.ts";
import type { Bill } from "./counted.ts";

interface Traced extends Pick<Trace, "admittedMs" | "attempts" | "markup"> {
  readonly bill: Bill;
  readonly implausible: Amounts | null;
  readonly fault: Fault | null;
}

export function writeTrace({ admittedMs, attempts, markup, bill, implausible, fault }: Traced): string {
  const usageImplausible = implausible
    ? { promptTokens: implausible.prompt, completionTokens: implausible.completion }
    : null;
  const message = fault && fault.row.blame !== "client" ? fault.message : null;
  const trace: Trace = { admittedMs, attempts, bill: bill.lines, markup, usageImplausible, message };
  return JSON.stringify(trace);
}
