// Pages whose code is fetched when they are first opened.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { reloadPage } from "../browser.ts";
import { Failed, Placeholder } from "../parts/states.tsx";
import { describeError } from "./api.ts";

/** Returns a component that loads the real one once. After an upgrade, the files of the page before are gone. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, draw] = useState(0);
    const [error, setError] = useState<string | null>(null);
    useEffect(() => {
      if (loaded !== null) return;
      const show = (Page: ComponentType<Props>) => {
        loaded = Page;
        draw((count) => count + 1);
      };
      load().then(show, (thrown: unknown) => setError(describeError(thrown)));
    }, []);
    if (loaded !== null) {
      const Page = loaded;
      return <Page {...props} />;
    }
    return error === null ? (
      <Placeholder rows={5} />
    ) : (
      <Failed message={error} retry={async () => reloadPage()} />
    );
  };
}
