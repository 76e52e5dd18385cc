// Names the options of a web search for `x-poundkey-dropped`, as the client wrote them.

/** The client's names of a search's options, by those of the chat form. */
type OptionNames = Readonly<Record<string, string>>;

const NO_NAMES: OptionNames = {};
const OPTION = "web_search_options";

/** Returns the names of the ask's fields for a search that the client wrote at `path`; none if it wrote none. */
export function nameSearch(path: string | null, options: OptionNames): Readonly<Record<string, string>> {
  if (path === null) return NO_NAMES;
  const named = Object.entries(options).map(([name, own]) => [`${OPTION}.${name}`, `${path}.${own}`]);
  return { [OPTION]: path, ...Object.fromEntries(named) };
}
