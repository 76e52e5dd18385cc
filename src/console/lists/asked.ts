// Forms that an address opens, as the search's actions and other pages name it: `?add=yes`.
import { useEffect } from "preact/hooks";
import { route, setQuery } from "../frame/route.ts";

/**
 * Calls `open` once the address asks to add this, also while the page is shown. The address then no longer asks, so that it
 * can ask again and Back opens nothing.
 */
export function useAdd(what: "yes" | "alias", open: () => void): void {
  const isAsked = route.value.query.get("add") === what;
  useEffect(() => {
    if (!isAsked) return;
    setQuery({ add: null }, { isTyping: true });
    open();
  }, [isAsked]);
}
