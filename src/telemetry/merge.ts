// Several processes' metrics as one text: each series is the sum over them.

interface Family {
  readonly kind: string;
  /** By name and labels, as they stand in the text. */
  readonly series: Map<string, number>;
}

/**
 * Adds up texts in the form of `Metrics.render`. Of processes that have `ended`, what they counted still counts, so that no
 * counter falls; their gauges told only how it was.
 */
export function mergeMetrics(living: readonly string[], ended: readonly string[] = []): string {
  const families = new Map<string, Family>();
  for (const text of living) addTo(families, text, () => true);
  for (const text of ended) addTo(families, text, (kind) => kind !== "gauge");
  const lines = [...families].flatMap(([name, { kind, series }]) => [
    `# TYPE ${name} ${kind}`,
    ...[...series].map(([labelled, value]) => `${labelled} ${value}`),
  ]);
  return `${lines.join("\n")}\n`;
}

function addTo(families: Map<string, Family>, text: string, counts: (kind: string) => boolean): void {
  let family: Family | null = null;
  for (const line of text.split("\n")) {
    const [, name, kind] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined && kind !== undefined) {
      family = counts(kind) ? familyOf(families, name, kind) : null;
      continue;
    }
    // A label's value may hold spaces; the number is behind the last one.
    const cut = line.lastIndexOf(" ");
    if (family === null || cut < 0) continue;
    const labelled = line.slice(0, cut);
    family.series.set(labelled, (family.series.get(labelled) ?? 0) + Number(line.slice(cut + 1)));
  }
}

function familyOf(families: Map<string, Family>, name: string, kind: string): Family {
  const known = families.get(name);
  if (known) return known;
  const family = { kind, series: new Map<string, number>() };
  families.set(name, family);
  return family;
}
