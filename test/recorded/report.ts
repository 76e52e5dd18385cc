// The count of what ran, passed and was skipped and why, printed when the suite is over.

export class Report {
  readonly #ran = new Map<string, { ran: number; passed: number }>();
  readonly #skipped = new Map<string, number>();

  count(question: string, passed: boolean): void {
    const row = this.#ran.get(question) ?? { ran: 0, passed: 0 };
    row.ran += 1;
    if (passed) row.passed += 1;
    this.#ran.set(question, row);
  }

  skip(what: string, reason: string): void {
    const key = `${what}: ${reason}`;
    this.#skipped.set(key, (this.#skipped.get(key) ?? 0) + 1);
  }

  table(): string {
    const rows = [...this.#ran].map(([question, { ran, passed }]) => {
      return `${question.padEnd(34)} ${String(ran).padStart(6)} ${String(passed).padStart(7)}`;
    });
    const reasons = [...this.#skipped].sort(([, a], [, b]) => b - a);
    const skips = reasons.map(([reason, count]) => `${String(count).padStart(5)}  ${reason}`);
    const head = `${"recorded traffic".padEnd(34)} ${"ran".padStart(6)} ${"passed".padStart(7)}`;
    return ["", head, ...rows, "", "skipped", ...skips].join("\n");
  }
}
