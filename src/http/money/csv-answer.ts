// Answers that are a file of comma-separated values.

/** The end of a path that asks for one. */
export const CSV = ".csv";

export function sendCsv(text: string, name: string): Response {
  return new Response(text, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-disposition": `attachment; filename="${name}.csv"`,
    },
  });
}
