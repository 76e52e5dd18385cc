// Aliases: names of the operator's own for models, which a client may use.

/** One model of a group, with its share of the group's load, relative to the others'. */
export interface AliasTarget {
  readonly model: string;
  readonly weight: number;
}

/** An id or `Router#…`; or the models of a group, which share the load. */
export type Alias = string | readonly AliasTarget[];

/** `*` in a name stands for any text. */
export const ALIAS_NAME = /^[^\s]{1,200}$/;
/** Bounds of a share of the load. */
export const WEIGHT_MIN = 0.001;
export const WEIGHT_MAX = 1000;
/** The most models of a group: each request looks at all of them. */
export const GROUP_MAX = 50;
