// Names for files that a client sends inline without one, as Messages and Gemini clients do, or without an ending, as Bedrock's
// form demands. OpenAI refuses the former with 400 "Missing required parameter: 'messages[0].content[1].file.file_id'"
// (openai-agents-python, pull request 1513, August 2025), Bedrock's Responses API the latter with "Unsupported file type"
// (strands-agents/harness-sdk, pull request 3912, August 2026).
import type { FilePart } from "../form.ts";
import { splitDataUrl } from "./data-url.ts";

type PromptFile = FilePart["file"];

const OFFICE = "application/vnd.openxmlformats-officedocument";
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["application/pdf", "pdf"],
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

const ENDING = /\.\w{1,10}$/;

/** Returns an inline file with a name and its ending. The same object if it has both, or if the provider has or fetches the file. */
export function withFileName(file: PromptFile): PromptFile {
  const { filename, file_data: data } = file;
  if ((filename && ENDING.test(filename)) || typeof data !== "string" || isFetched(file)) return file;
  const extension = findExtension(file);
  // A file without a type is a PDF, but one that has a name may be anything.
  if (!filename) return { ...file, filename: `file.${extension ?? "pdf"}` };
  return extension === null ? file : { ...file, filename: `${filename}.${extension}` };
}

export function isFetched({ file_data: data }: PromptFile): boolean {
  return /^https?:/i.test(data);
}

function findExtension({ file_data: data }: PromptFile): string | null {
  const type = splitDataUrl(data)?.mediaType ?? "";
  return EXTENSIONS.get(type) ?? (type.startsWith("text/") ? "txt" : null);
}
