// Google's routes that this gateway leaves out, with what to do instead.
export const FILES_UNSERVED =
  "Files are not served in Google's form: send a file's content in the request itself, as `inlineData`, or upload it at POST /v1/files in OpenAI's or Anthropic's form.";
export const BATCHES_UNSERVED =
  "Batches in Google's form are not served here: upload a file of requests at POST /v1/files and name it at POST /v1/batches, in OpenAI's form.";

const FILES = /^\/v1beta\/files(\/|:|$)|^\/(upload|download)\/(v1|v1beta)\/files(\/|:|$)/;
const BATCHES =
  /^\/v1beta\/batches(\/|:|$)|^\/v1(beta)?\/models\/.*:(batchGenerateContent|asyncBatchEmbedContent)$/;

/** Returns the sentence for a path of such a route. Null for all others. */
export function explainUnserved(path: string): string | null {
  if (FILES.test(path)) return FILES_UNSERVED;
  return BATCHES.test(path) ? BATCHES_UNSERVED : null;
}
