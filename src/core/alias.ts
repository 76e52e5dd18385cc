// Aliases: the operator's own names for models.

/** A member of a group, with its share of the load relative to the others'. */
export interface AliasTarget {
  readonly model: string;
  readonly weight: number;
}

/** A model id, `Router#…`, or the models of a group that share the load. */
export type Alias = string | readonly AliasTarget[];

/**
 * `*` in a name stands for any text. A name of stars alone would take every misspelled model, and `__proto__` would
 * disappear where aliases are fields of an object.
 */
export const ALIAS_NAME = /^(?!\*+$|__proto__$)[^\s]{1,200}$/;
export const ALIAS_EXPECTED = "1 to 200 characters without spaces, but not only * and not __proto__";
/** Bounds on a weight. */
export const WEIGHT_MIN = 0.001;
export const WEIGHT_MAX = 1000;
/** Bounded because every request looks at all of them. */
export const GROUP_MAX = 50;
