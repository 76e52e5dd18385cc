// A call as code, in the language that was chosen last.
import { signal } from "@preact/signals";
import { remember, remembered } from "../browser.ts";
import { type Example, LANGUAGES, type Language, snippet } from "../snippets.ts";
import { Code, Segments } from "./button.tsx";

const kept = LANGUAGES.find(({ value }) => value === remembered("language"))?.value;
const language = signal<Language>(kept ?? "curl");

export function ExampleCode({ example }: { readonly example: Example }) {
  const choose = (value: Language) => {
    language.value = value;
    remember("language", value);
  };
  return (
    <div class="stack">
      <Segments label="Language" options={LANGUAGES} value={language.value} onChange={choose} />
      <Code text={snippet(language.value, example)} />
    </div>
  );
}
