/**
 * The names of a model, as far as reading a line or flags needs them. A model's own catalog fits it.
 */
export interface MemberCatalog {
  /** By full name: `TrackedEvents.count`. */
  readonly find: (name: string) => CatalogMember | undefined;
  /** Full names of all members that are offered. */
  readonly names: () => readonly string[];
  /** Full name of the time dimension that a bare date range filters. */
  readonly timeMemberOf: (cube: string) => string | undefined;
  /** Why a member of this full name is left out of the model. */
  readonly whyLeftOut?: ((name: string) => string | undefined) | undefined;
  /** Members with another name there, by the full name that others use. */
  readonly otherName?: ((name: string) => string | undefined) | undefined;
}

export type CatalogMember =
  | { readonly kind: 'measure' | 'segment' }
  | {
      readonly kind: 'dimension';
      readonly member: {
        readonly type: string;
        /** What a time can be cut into besides the standard granularities. */
        readonly granularities?: readonly { readonly name: string }[] | undefined;
      };
    };
