// Names for files that a client sends inline without one, as Messages and Gemini clients do. OpenAI refuses those with 400
// "Missing required parameter: 'messages[0].content[1].file.file_id'" (openai-agents-python, pull request 1513, August 2025).
import type { FilePart } from "../form.ts";
import { splitDataUrl } from "./data-url.ts";

type File = FilePart["file"];

/** A file without a type is a PDF. */
const PDF = "pdf";
const OFFICE = "application/vnd.openxmlformats-officedocument";
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["application/json", "json"],
  ["application/xml", "xml"],
  ["text/csv", "csv"],
  ["text/html", "html"],
  ["text/markdown", "md"],
  ["text/xml", "xml"],
  [`${OFFICE}.wordprocessingml.document`, "docx"],
  [`${OFFICE}.spreadsheetml.sheet`, "xlsx"],
  [`${OFFICE}.presentationml.presentation`, "pptx"],
]);

/** Returns an inline file with a name. The same object if it has one, or if the provider has or fetches the file. */
export function withFileName(file: File): File {
  if (file.filename || typeof file.file_data !== "string" || isFetched(file)) return file;
  return { ...file, filename: `file.${findExtension(file)}` };
}

export function isFetched({ file_data: data }: File): boolean {
  return /^https?:/i.test(data);
}

function findExtension({ file_data: data }: File): string {
  const type = splitDataUrl(data)?.mediaType ?? "";
  return EXTENSIONS.get(type) ?? (type.startsWith("text/") ? "txt" : PDF);
}
