// The long forms of tests, which `LONG=1` turns on: `npm test` takes a part of their rows, `.ci/run long` all.

export const IS_LONG = Boolean(process.env.LONG);
if (!IS_LONG) console.log("skipped: rows of the long form (LONG=1)");

/** Returns every `step`th row, beginning with the one numbered `first` modulo `step`. In the long form, all of them. */
export function sampleRows<Row>(rows: readonly Row[], step: number, first = 0): readonly Row[] {
  return IS_LONG ? rows : rows.filter((_, at) => at % step === first % step);
}
