// The numbers of run, passed and skipped recordings with the reasons, printed at the end of the suite.

export class Report {
  readonly #ran = new Map<string, { ran: number; passed: number }>();
  /** Counts by reason, then by the skipped item. */
  readonly #skipped = new Map<string, Map<string, number>>();

  count(question: string, passed: boolean): void {
    const row = this.#ran.get(question) ?? { ran: 0, passed: 0 };
    row.ran += 1;
    if (passed) row.passed += 1;
    this.#ran.set(question, row);
  }

  skip(what: string, reason: string): void {
    const counts = this.#skipped.get(reason) ?? new Map<string, number>();
    counts.set(what, (counts.get(what) ?? 0) + 1);
    this.#skipped.set(reason, counts);
  }

  table(): string {
    const head = line("recorded traffic", "ran", "passed");
    const rows = [...this.#ran].map(([question, { ran, passed }]) => line(question, ran, passed));
    const skips = [...this.#skipped].map(([reason, counts]) => {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const most = [...counts].sort(([, a], [, b]) => b - a).map(([what, count]) => `${what} ${count}`);
      return `${String(total).padStart(5)}  ${reason}: ${most.join(", ")}`;
    });
    return ["", head, ...rows, "", "skipped", ...skips, ""].join("\n");
  }
}

function line(question: string, ran: number | string, passed: number | string): string {
  return `${question.padEnd(34)} ${String(ran).padStart(6)} ${String(passed).padStart(7)}`;
}
