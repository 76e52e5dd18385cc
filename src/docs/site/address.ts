// The gateway's address in the manual's examples: one literal in the sources, in whose place readers see their own gateway's.

export const EXAMPLE_ADDRESS = "https://llm.example.com";

/** Characters that mean something in HTML, Markdown or a shell's string. Addresses are complete without them. */
const UNSAFE = /[^\w.~:/[\]%-]/g;

/** Puts the address in the place of the examples'. */
export function fillAddress(text: string, address: string): string {
  return text.replaceAll(EXAMPLE_ADDRESS, address.replace(UNSAFE, encodeURIComponent));
}
