// Aliases: the operator's own names for models.

/** A member of a group, with its share of the load relative to the others'. */
export interface AliasTarget {
  readonly model: string;
  readonly weight: number;
}

/** A model id, `Router#…`, or the models of a group that share the load. */
export type Alias = string | readonly AliasTarget[];

/** `*` in a name stands for any text. */
export const ALIAS_NAME = /^[^\s]{1,200}$/;
/** Bounds on a weight. */
export const WEIGHT_MIN = 0.001;
export const WEIGHT_MAX = 1000;
/** Bounded because every request looks at all of them. */
export const GROUP_MAX = 50;
