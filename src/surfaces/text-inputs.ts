// Texts as OpenAI's APIs accept them: a text or its token ids, or a list of either.
type TextInput = string | readonly number[];

export function listTextInputs(given: TextInput | readonly TextInput[]): readonly TextInput[] {
  return typeof given === "string" || isIds(given) ? [given] : given;
}

function isIds(given: readonly (number | TextInput)[]): given is readonly number[] {
  return typeof given[0] === "number";
}
