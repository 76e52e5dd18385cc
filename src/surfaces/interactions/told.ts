// Steps of tools that a provider ran elsewhere, as text: a model of another provider has no other form for them.
import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { writeSearchText } from "../../operations/chat/prompt/web-search.ts";

/** Texts of a list of contents, or the text itself. */
function readTexts(value: unknown): string {
  if (typeof value === "string") return value;
  return asArray(value)
    .map((one) => asString(asObject(one).text) ?? "")
    .join("");
}

function readPage(value: unknown): { readonly url: unknown; readonly title: unknown } {
  const { url, title } = asObject(value);
  return { url, title };
}

function writeFetch(value: unknown): string {
  const { url, status } = asObject(value);
  return `- ${asString(url) ?? ""}: ${asString(status) ?? ""}`;
}

/** Returns the step as text. `queries` are those of the search that a result belongs to. */
export function tellStep(
  { type, arguments: given, result }: JsonObject,
  queries: readonly unknown[],
): string {
  const { code, urls } = asObject(given);
  switch (type) {
    case "google_search_result":
      return writeSearchText(queries, asArray(result).map(readPage));
    case "code_execution_call":
      return `[Ran code:\n${asString(code) ?? ""}]`;
    case "code_execution_result":
      return `[The code's output:\n${readTexts(result)}]`;
    case "url_context_call":
      return `[Fetched ${asArray(urls)
        .filter((url) => typeof url === "string")
        .join(", ")}]`;
    default:
      return `[Fetched:\n${asArray(result).map(writeFetch).join("\n")}]`;
  }
}
