// A field for any number of models, and patterns of them.
import { SELECTORS, useModels } from "../frame/names.ts";
import { ChipsField } from "./chips/chips-field.tsx";
import type { LabelProps } from "./field.tsx";

interface ModelsFieldProps extends LabelProps {
  readonly chosen: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
  /** Shown until a model is chosen. */
  readonly placeholder?: string;
  /** Names that may be chosen beside the models and selectors. */
  readonly others?: readonly string[];
}

export function ModelsField({ others = [], ...props }: ModelsFieldProps) {
  const { on } = useModels();
  const known = [...SELECTORS.map((selector) => selector.id), ...others, ...on.map((model) => model.id)];
  return <ChipsField {...props} known={known} things="models" />;
}
