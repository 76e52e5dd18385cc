// Loads data that lies beside the manual's pages or at a gateway's routes: as JSON from a gateway, or from a script where pages
// are files, since browsers fetch nothing for those.

declare global {
  interface Window {
    /** The JSON of the data script that ran last. */
    manualData?: string;
    /** For the scripts of single pages. */
    loadManualData?: <Data>(url: string) => Promise<Data>;
  }
}

export async function loadData<Data>(url: string): Promise<Data> {
  if (!url.endsWith(".js")) return (await fetch(url)).json();
  const script = document.createElement("script");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  script.onload = () => resolve();
  script.onerror = reject;
  script.src = url;
  document.head.append(script);
  await promise;
  return JSON.parse(window.manualData ?? "");
}

/** Writes the script of some data. */
export function writeDataScript(data: unknown): string {
  return `window.manualData = ${JSON.stringify(JSON.stringify(data))};\n`;
}
