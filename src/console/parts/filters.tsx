// A page's filters in a row, which narrow screens fold into one button.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";

const NARROW = "(max-width: 640px)";

function useNarrow(): boolean {
  const query = matchMedia(NARROW);
  const [isNarrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const take = () => setNarrow(query.matches);
    query.addEventListener("change", take);
    return () => query.removeEventListener("change", take);
  }, []);
  return isNarrow;
}

interface FiltersProps {
  /** The number of filters that are set. */
  readonly count: number;
  readonly children: ComponentChildren;
}

export function Filters({ count, children }: FiltersProps) {
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  if (!isNarrow) return <div class="row filters">{children}</div>;
  return (
    <>
      <Button
        label={isOpen ? "Hide the filters" : count > 0 ? `Filter (${count})` : "Filter"}
        icon="limits"
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && <div class="row filters">{children}</div>}
    </>
  );
}
